// Draws nodes on a canvas at the three levels of detail.

import { LABEL, labelsOf } from './labels'
import { NODE_WIDTH } from './layout'
import { legible, type Detail } from './look'
import { BADGES, BAR, columnsTop, hasBar, HEADER, ROW, ROWS } from './measure'
import type { Palette } from './palette'
import type { Positions } from './routes'
import { MORE, PAGE, type Scene } from './scene'
import { outline, signs } from './shapes'
import type { Texts } from './text'
import { badgeColours, countText, platformLine, rowsLabel } from './words'
import type { GraphNode, NodeKind } from './types'

export type Context = OffscreenCanvasRenderingContext2D

export interface Drawing {
  scene: Scene
  palette: Palette
  texts: Texts
  at: Positions
  zoom: number
  detail: Detail
  selectedNode: string | undefined
  selectedColumn: string | undefined
  first: (id: string) => number
  /** Nodes whose text is shown by elements. */
  bare: ReadonlySet<number>
}

const signPaths = new Map<NodeKind, Path2D>()
const FADED = 0.28

function shape(node: GraphNode, x: number, y: number, h: number): Path2D {
  const path = new Path2D()
  outline(path, node.kind, x, y, NODE_WIDTH, h)
  path.closePath()
  return path
}

/** Far: shapes of their colour, many with one stroke of the brush. */
export function paintDots(ctx: Context, d: Drawing, nodes: readonly number[]): void {
  const { structure: s } = d.scene
  const groups = new Map<string, { node: GraphNode; heads: Path2D; bodies: Path2D }>()
  const simple = d.zoom < 0.14
  const least = 2.2 / d.zoom
  for (const v of nodes) {
    const node = s.nodes[v]!
    const key = `${node.kind} ${node.dim ? 1 : 0} ${node.change ?? ''} ${node.missing ? 1 : 0}`
    let group = groups.get(key)
    if (!group) groups.set(key, (group = { node, heads: new Path2D(), bodies: new Path2D() }))
    const x = d.at.x[v]!
    const y = d.at.y[v]!
    const h = s.heights[v]!
    if (simple) group.heads.rect(x, y, NODE_WIDTH, Math.max(least, Math.min(h, HEADER)))
    else outline(group.heads, node.kind, x, y, NODE_WIDTH, Math.min(h, HEADER))
    if (h > HEADER) group.bodies.rect(x + 3, y + HEADER, NODE_WIDTH - 6, h - HEADER)
  }
  for (const { node, heads, bodies } of groups.values()) {
    const colour = d.palette[`kind-${node.kind}`]
    const faded = node.dim ? FADED : 1
    ctx.fillStyle = node.change ? d.palette[node.change] : colour
    ctx.globalAlpha = faded * 0.3
    ctx.fill(bodies)
    ctx.globalAlpha = faded * (node.missing ? 0.35 : 0.85)
    ctx.fill(heads)
    if (node.change && !simple) {
      ctx.globalAlpha = faded
      ctx.strokeStyle = d.palette[node.change]
      ctx.lineWidth = 2 / d.zoom
      ctx.setLineDash(node.change === 'ended' ? [5 / d.zoom, 4 / d.zoom] : [])
      ctx.stroke(heads)
      ctx.setLineDash([])
    }
  }
  ctx.globalAlpha = 1
}

/** From afar: the names of added and ended nodes. */
export function paintLabels(ctx: Context, d: Drawing, only?: ReadonlySet<number>): void {
  for (const { node: v, text, box } of labelsOf(d.scene, d.at, d.zoom, d.texts)) {
    const node = d.scene.structure.nodes[v]!
    if (only && !only.has(v)) continue
    const colour = node.change ? d.palette[node.change] : node.start ? d.palette.accent : d.palette.text
    const plain = !node.change && !node.start
    ctx.globalAlpha = node.dim ? FADED : 1
    ctx.fillStyle = d.palette['bg-raised']
    ctx.strokeStyle = colour
    ctx.lineWidth = 1 / d.zoom
    ctx.setLineDash(node.change === 'ended' ? [4 / d.zoom, 3 / d.zoom] : [])
    ctx.beginPath()
    ctx.roundRect(box.left, box.top, box.right - box.left, box.bottom - box.top, 4 / d.zoom)
    ctx.globalAlpha *= plain ? 0.92 : 1
    ctx.fill()
    ctx.globalAlpha = node.dim ? FADED : 1
    if (!plain) ctx.stroke()
    ctx.setLineDash([])
    const size = LABEL.size / d.zoom
    ctx.font = d.texts.font(size, true)
    ctx.textBaseline = 'middle'
    ctx.textAlign = 'left'
    ctx.fillStyle = colour
    const at = (box.top + box.bottom) / 2
    ctx.fillText(text, box.left + LABEL.side / d.zoom, at)
    if (node.removed) ctx.fillRect(box.left + LABEL.side / d.zoom, at, box.right - box.left - (2 * LABEL.side) / d.zoom, 1 / d.zoom)
  }
  ctx.globalAlpha = 1
}

/** A node with its name; near, a node with all its parts. Lit nodes have a stronger border. */
export function paintNode(ctx: Context, d: Drawing, v: number, lit?: { columns?: ReadonlySet<string>; key: (id: string, column: string) => string }): void {
  const { structure: s } = d.scene
  const node = s.nodes[v]!
  const x = d.at.x[v]!
  const y = d.at.y[v]!
  const h = s.heights[v]!
  const p = d.palette
  const selected = d.selectedNode === node.id
  const path = shape(node, x, y, h)
  ctx.globalAlpha = node.dim && !lit ? FADED : 1

  if (node.fold) {
    // A pile: two more sheets behind.
    for (const shift of [8, 4]) {
      const sheet = shape(node, x + shift, y + shift, h)
      ctx.fillStyle = p['bg-raised']
      ctx.fill(sheet)
      ctx.strokeStyle = p.border
      ctx.lineWidth = 1
      ctx.stroke(sheet)
    }
  }
  if (selected) {
    ctx.strokeStyle = p['accent-soft']
    ctx.lineWidth = 9
    ctx.stroke(path)
  }
  ctx.fillStyle = node.change === 'added' ? p['good-soft'] : node.change === 'ended' ? p['bad-soft'] : node.missing ? p['bg-sunken'] : p['bg-raised']
  ctx.fill(path)
  const strong = selected || lit || node.start
  ctx.strokeStyle = node.change ? p[node.change] : strong ? p.accent : node.missing ? p['border-strong'] : p['border-strong']
  ctx.lineWidth = selected ? 2.5 : strong || node.change ? 2 : d.detail === 'near' ? 1 : Math.min(2.5, 1 / d.zoom)
  ctx.setLineDash(node.change === 'ended' ? [7, 5] : node.missing ? [3, 3] : [])
  ctx.stroke(path)
  ctx.setLineDash([])

  if (d.detail === 'near') {
    paintSign(ctx, d, node, x, y)
    if (hasBar(node)) paintColumns(ctx, d, node, v, x, y, lit)
    if (!d.bare.has(v)) paintTexts(ctx, d, node, x, y)
  } else {
    paintName(ctx, d, node, x, y, h, path)
  }
  if (!d.bare.has(v) || d.detail !== 'near') paintMore(ctx, d, node, x, y)
  ctx.globalAlpha = 1
}

function paintSign(ctx: Context, d: Drawing, node: GraphNode, x: number, y: number): void {
  const alpha = ctx.globalAlpha
  const colour = d.palette[`kind-${node.kind}`]
  ctx.fillStyle = colour
  ctx.globalAlpha = alpha * 0.13
  ctx.beginPath()
  ctx.roundRect(x + 13, y + 13, 30, 30, 7)
  ctx.fill()
  ctx.globalAlpha = alpha
  let sign = signPaths.get(node.kind)
  if (!sign) signPaths.set(node.kind, (sign = new Path2D(signs[node.kind])))
  ctx.save()
  ctx.translate(x + 19, y + 19)
  ctx.scale(18 / 16, 18 / 16)
  ctx.strokeStyle = colour
  ctx.lineWidth = 1.4
  ctx.lineCap = 'round'
  ctx.lineJoin = 'round'
  ctx.stroke(sign)
  ctx.restore()
}

/** The sign of a node that is not drawn itself, on its edge. */
export function paintThrough(ctx: Context, d: Drawing, kind: NodeKind, x: number, y: number, strong: boolean, dim: boolean): void {
  const colour = d.palette[`kind-${kind}`]
  const radius = Math.min(16, 10 / Math.min(1, d.zoom))
  ctx.globalAlpha = dim ? FADED : 1
  ctx.fillStyle = d.palette['bg-raised']
  ctx.strokeStyle = colour
  ctx.lineWidth = strong ? 2.5 : 1.5
  ctx.beginPath()
  ctx.arc(x, y, radius, 0, 7)
  ctx.fill()
  ctx.stroke()
  let sign = signPaths.get(kind)
  if (!sign) signPaths.set(kind, (sign = new Path2D(signs[kind])))
  ctx.save()
  ctx.translate(x - radius * 0.65, y - radius * 0.65)
  ctx.scale((radius * 1.3) / 16, (radius * 1.3) / 16)
  ctx.lineWidth = 1.7
  ctx.lineCap = 'round'
  ctx.lineJoin = 'round'
  ctx.stroke(sign)
  ctx.restore()
  ctx.globalAlpha = 1
}

/** Everything of the header that elements show when the node has them. */
function paintTexts(ctx: Context, d: Drawing, node: GraphNode, x: number, y: number): void {
  const p = d.palette
  const room = NODE_WIDTH - 54 - 16
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  const size = legible(13, d.zoom)
  ctx.font = d.texts.font(size, true)
  ctx.fillStyle = node.missing ? p['text-soft'] : p.text
  const title = d.texts.fit(node.title, room, size, true)
  ctx.fillText(title, x + 54, y + 20)
  if (node.removed) ctx.fillRect(x + 54, y + 20, d.texts.width(title, size, true), 1)
  const small = legible(11.5, d.zoom)
  ctx.font = d.texts.font(small)
  ctx.fillStyle = p['text-soft']
  ctx.fillText(d.texts.fit(platformLine(node), room, small), x + 54, y + 38)
  if (node.badges?.length) paintBadges(ctx, d, node, x + 12, y + HEADER - 3)
}

function paintBadges(ctx: Context, d: Drawing, node: GraphNode, x: number, y: number): void {
  const badges = node.badges!
  const end = x + NODE_WIDTH - 24
  const size = legible(11, d.zoom)
  ctx.font = d.texts.font(size)
  for (const [i, badge] of badges.entries()) {
    const rest = badges.length - i
    const room = end - x - (rest > 1 ? 26 : 0) - 12
    if (room < 30) {
      ctx.fillStyle = d.palette['text-soft']
      ctx.fillText(`+${rest}`, x + 2, y + 9)
      return
    }
    const text = d.texts.fit(badge.label, Math.min(room, 110), size)
    const width = d.texts.width(text, size) + 12
    const [back, fore] = badgeColours(badge.tone)
    ctx.fillStyle = d.palette[back]
    ctx.beginPath()
    ctx.roundRect(x, y, width, 18, 9)
    ctx.fill()
    ctx.fillStyle = d.palette[fore]
    ctx.fillText(text, x + 6, y + 9.5)
    x += width + 4
  }
}

function paintColumns(
  ctx: Context,
  d: Drawing,
  node: GraphNode,
  v: number,
  x: number,
  y: number,
  lit?: { columns?: ReadonlySet<string>; key: (id: string, column: string) => string },
): void {
  const p = d.palette
  const bar = y + HEADER + (node.badges?.length ? BADGES : 0)
  const bare = d.bare.has(v)
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  const columns = node.columns ?? []
  if (!bare) {
    ctx.font = d.texts.font(legible(11.5, d.zoom))
    ctx.fillStyle = p['text-soft']
    ctx.fillText(rowsLabel(node, d.first(node.id)), x + 30, bar + BAR / 2)
  }
  ctx.fillStyle = p.border
  ctx.fillRect(x + 1, bar, NODE_WIDTH - 2, 1)
  ctx.strokeStyle = p['text-soft']
  ctx.lineWidth = 1.5
  ctx.beginPath()
  const cy = bar + BAR / 2
  if (columns.length) ctx.moveTo(x + 15, cy - 2), ctx.lineTo(x + 19, cy + 2), ctx.lineTo(x + 23, cy - 2)
  else ctx.moveTo(x + 17, cy - 4), ctx.lineTo(x + 21, cy), ctx.lineTo(x + 17, cy + 4)
  ctx.stroke()
  if (!columns.length) return
  if (columns.length > ROWS) {
    ctx.beginPath()
    for (const [i, tip] of [-2, 2].entries()) {
      const cx = x + NODE_WIDTH - 6 - PAGE * (1.5 - i)
      ctx.moveTo(cx - 4, cy - tip)
      ctx.lineTo(cx, cy + tip)
      ctx.lineTo(cx + 4, cy - tip)
    }
    ctx.stroke()
  }

  const first = d.first(node.id)
  const size = legible(12, d.zoom)
  const typeSize = legible(11, d.zoom)
  const top = y + columnsTop(node)
  const end = Math.min(columns.length, first + ROWS)
  for (let i = first; i < end; i++) {
    const column = columns[i]!
    const at = top + (i - first) * ROW
    const isLit = lit?.columns?.has(lit.key(node.id, column.id)) ?? false
    const chosen = d.selectedNode === node.id && d.selectedColumn === column.id
    if (isLit || chosen || column.change) {
      ctx.fillStyle = column.change === 'added' ? p['good-soft'] : column.change === 'ended' ? p['bad-soft'] : p['accent-soft']
      ctx.fillRect(x + 2, at, NODE_WIDTH - 4, ROW)
    }
    if (column.linked !== false) {
      ctx.fillStyle = isLit || chosen ? p.accent : p.edge
      ctx.beginPath()
      ctx.arc(x + 19, at + ROW / 2, 2.5, 0, 7)
      ctx.fill()
    }
    if (bare) continue
    const type = column.type ? d.texts.fit(column.type, 76, typeSize) : ''
    const taken = type ? d.texts.width(type, typeSize) + 10 : 0
    ctx.font = d.texts.font(size)
    ctx.fillStyle = column.change ? p[column.change] : column.linked === false ? p['text-soft'] : p.text
    ctx.fillText(d.texts.fit(column.name, NODE_WIDTH - 30 - 14 - taken, size), x + 30, at + ROW / 2 + 0.5)
    if (!type) continue
    ctx.font = d.texts.font(typeSize)
    ctx.fillStyle = p['text-soft']
    ctx.textAlign = 'right'
    ctx.fillText(type, x + NODE_WIDTH - 14, at + ROW / 2 + 0.5)
    ctx.textAlign = 'left'
  }
}

const LINE = 1.2

/** The form of a name at the middle distance: letters of the same size on the screen, and the platform in preference to a second line. */
export function nameRoom(closed: number, zoom: number): { size: number; small: number; lines: number; withPlatform: boolean } {
  const size = (zoom >= 0.5 ? 12 : 11.5) / zoom
  const small = 11 / zoom
  const withPlatform = closed - 2 >= LINE * size + small * 1.3
  const rest = closed - 2 - (withPlatform ? small * 1.3 : 0)
  return { size, small, lines: rest >= 2 * LINE * size ? 2 : 1, withPlatform }
}

/** At the middle distance: the name in letters that can be read, and the platform if there is room. */
function paintName(ctx: Context, d: Drawing, node: GraphNode, x: number, y: number, h: number, path: Path2D): void {
  const p = d.palette
  ctx.save()
  ctx.clip(path)
  ctx.fillStyle = p[`kind-${node.kind}`]
  ctx.fillRect(x, y, node.kind === 'job' ? 16 : 9, h)
  ctx.restore()
  // The height of the closed node, in whose middle its text is.
  const closed = Math.min(h, columnsTop(node))
  const { size, small, lines, withPlatform } = nameRoom(closed, d.zoom)
  const left = x + 20
  const room = NODE_WIDTH - 34
  const lineHeight = LINE * size
  const titles = d.texts.lines(node.title, room, size, true, lines >= 2)
  const tall = titles.length * lineHeight + (withPlatform ? small * 1.3 : 0)
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  ctx.font = d.texts.font(size, true)
  ctx.fillStyle = node.missing ? p['text-soft'] : p.text
  let at = y + (closed - tall) / 2 + lineHeight / 2
  for (const title of titles) {
    ctx.fillText(title, left, at)
    if (node.removed) ctx.fillRect(left, at, d.texts.width(title, size, true), 1 / d.zoom)
    at += lineHeight
  }
  if (withPlatform) {
    ctx.font = d.texts.font(small)
    ctx.fillStyle = p['text-soft']
    ctx.fillText(d.texts.fit(platformLine(node), room, small), left, at - lineHeight / 2 + small * 0.65)
  }
  if (!node.columns?.length) return
  ctx.fillStyle = p.border
  const top = y + columnsTop(node)
  const shown = Math.min(ROWS, node.columns.length)
  const first = d.first(node.id)
  if (small > ROW - 2) {
    // The letters would be too small: a stroke stands for each name.
    for (let i = 0; i < shown; i++) ctx.fillRect(left, top + i * ROW + ROW / 2 - 2, 60 + ((node.columns[first + i]!.name.length * 11) % 120), 4)
    return
  }
  ctx.font = d.texts.font(small)
  for (let i = 0; i < shown; i++) {
    const column = node.columns[first + i]!
    const chosen = d.selectedNode === node.id && d.selectedColumn === column.id
    ctx.fillStyle = chosen ? p.accent : column.change ? p[column.change] : column.linked === false ? p['text-soft'] : p.text
    ctx.fillText(d.texts.fit(column.name, room, small), left, top + (i + 0.5) * ROW)
  }
}

function paintMore(ctx: Context, d: Drawing, node: GraphNode, x: number, y: number): void {
  for (const [count, cx] of [[node.moreUp, x], [node.moreDown, x + NODE_WIDTH]] as const) {
    if (!count) continue
    const cy = y + HEADER - MORE.rise
    const p = d.palette
    ctx.fillStyle = p['bg-raised']
    ctx.strokeStyle = p['border-strong']
    ctx.lineWidth = Math.min(2, 1 / d.zoom)
    ctx.beginPath()
    ctx.roundRect(cx - MORE.width / 2, cy - MORE.height / 2, MORE.width, MORE.height, MORE.height / 2)
    ctx.fill()
    ctx.stroke()
    ctx.textBaseline = 'middle'
    ctx.textAlign = 'center'
    ctx.fillStyle = p.accent
    const near = d.detail === 'near'
    const size = near ? legible(11, d.zoom) : Math.min(18, 11 / d.zoom)
    ctx.font = d.texts.font(size, true)
    ctx.fillText(near ? (node.busy ? '…' : countText(count)) : '+', cx, cy + 0.5)
    ctx.textAlign = 'left'
  }
}
