// Draws a part of a graph on a canvas: the lines first, then the nodes on top of them.

import { boxOf, detailAt, type Frame, type Look } from './look'
import { paintDots, paintThrough, paintLabels, paintNode, type Context, type Drawing } from './paintnodes'
import type { Palette } from './palette'
import { LastMiddle, trace, type Positions } from './routes'
import type { Scene } from './scene'
import type { Texts } from './text'
import { columnKey, type GraphEdge, type Lit } from './types'

export interface Painting {
  scene: Scene
  palette: Palette
  texts: Texts
  look: Look
  frame: Frame
  at: Positions
  bare: ReadonlySet<number>
}

/** How many lines are stroked at once: very long paths are slow. */
const BATCH = 120

type Style = 'plain' | 'derived' | 'soft' | 'dim' | 'added' | 'ended' | 'lit' | 'chosen'
const order: Style[] = ['dim', 'soft', 'derived', 'plain', 'added', 'ended', 'lit', 'chosen']

function begin(ctx: Context, frame: Frame): void {
  const scale = frame.zoom * frame.ratio
  ctx.setTransform(1, 0, 0, 1, 0, 0)
  ctx.clearRect(0, 0, ctx.canvas.width, ctx.canvas.height)
  ctx.setTransform(scale, 0, 0, scale, -frame.left * scale, -frame.top * scale)
}

function drawingOf({ scene, palette, texts, look, frame, at, bare }: Painting): Drawing {
  const chosen = look.selected && 'node' in look.selected ? look.selected : undefined
  return {
    scene,
    palette,
    texts,
    at,
    zoom: frame.zoom,
    detail: detailAt(frame.zoom),
    selectedNode: chosen?.node,
    selectedColumn: chosen?.column,
    first: (id) => look.first.get(id) ?? 0,
    bare,
  }
}

/** Paints the graph as it is. */
export function paintAll(ctx: Context, painting: Painting): void {
  begin(ctx, painting.frame)
  const d = drawingOf(painting)
  const box = boxOf(painting.frame)
  const lines = new Lines(ctx, d)
  const { nodes } = d.scene.structure
  const chosen = painting.look.selected && 'edge' in painting.look.selected ? painting.look.selected.edge : undefined
  const columns = d.detail !== 'far'
  for (const p of d.scene.pairsIn(box)) {
    const { from, to } = d.scene.structure
    const faded = !!nodes[from[p]!]!.dim || !!nodes[to[p]!]!.dim
    const drawn = d.scene.lines(p, d.first, columns)
    for (const line of drawn) lines.add(styleOf(line.edges, faded, !line.column && drawn.length > 1, chosen), p, line.from, line.to)
  }
  lines.finish()
  throughs(ctx, d, box, (edge) => edge.id === chosen)
  const seen = d.scene.nodesIn(box)
  if (d.detail === 'far') {
    paintDots(ctx, d, seen)
    paintLabels(ctx, d)
  } else for (const v of seen) paintNode(ctx, d, v)
}

/** The signs of nodes that stand on edges. */
function throughs(ctx: Context, d: Drawing, box: ReturnType<typeof boxOf>, strong: (edge: GraphEdge) => boolean, wanted: (edge: GraphEdge) => boolean = () => true): void {
  if (d.detail === 'far') return
  for (const p of d.scene.pairsIn(box)) {
    for (const line of d.scene.lines(p, d.first, true)) {
      const edge = line.edges.find((one) => one.through)
      if (!edge?.through || !wanted(edge)) continue
      const middle = new LastMiddle()
      trace(middle, d.scene.structure, d.scene.solved, d.at, p, line.from, line.to)
      paintThrough(ctx, d, edge.through, middle.x, middle.y, strong(edge), !!edge.dim)
    }
  }
}

function styleOf(edges: readonly GraphEdge[], faded: boolean, beside: boolean, chosen: string | undefined): Style {
  if (chosen !== undefined && edges.some((edge) => edge.id === chosen)) return 'chosen'
  const { change } = edges[0]!
  if (change && edges.every((edge) => edge.change === change)) return change
  if (faded || edges.every((edge) => edge.dim)) return 'dim'
  if (edges.every((edge) => edge.derived)) return 'derived'
  // The line between two nodes steps back when the lines between their columns are drawn.
  return beside ? 'soft' : 'plain'
}

/** Paints only the lit part, to be laid over the faded rest. */
export function paintLit(ctx: Context, painting: Painting, lit: Lit): void {
  begin(ctx, painting.frame)
  const d = drawingOf(painting)
  const box = boxOf(painting.frame)
  const lines = new Lines(ctx, d)
  for (const p of d.scene.pairsIn(box)) {
    for (const line of d.scene.lines(p, d.first, d.detail !== 'far')) {
      if (line.edges.some((edge) => lit.edges.has(edge.id))) lines.add('lit', p, line.from, line.to)
    }
  }
  lines.finish()
  throughs(ctx, d, box, () => true, (edge) => lit.edges.has(edge.id))
  const seen = d.scene.nodesIn(box).filter((v) => lit.nodes.has(d.scene.structure.nodes[v]!.id))
  if (d.detail === 'far') {
    paintDots(ctx, d, seen)
    paintLabels(ctx, d, new Set(seen))
  } else for (const v of seen) paintNode(ctx, d, v, { columns: lit.columns, key: columnKey })
}

/** Gathers lines by style and strokes them in batches. */
class Lines {
  private readonly open = new Map<Style, { path: Path2D; count: number; heads: Path2D }>()
  private readonly full: [Style, Path2D][] = []

  constructor(
    private readonly ctx: Context,
    private readonly d: Drawing,
  ) {}

  add(style: Style, p: number, from: number, to: number): void {
    let batch = this.open.get(style)
    if (!batch) this.open.set(style, (batch = { path: new Path2D(), count: 0, heads: new Path2D() }))
    const { scene, at, zoom } = this.d
    const { structure: s } = scene
    if (zoom < 0.06) {
      // Curves of a few pixels look like straight lines.
      batch.path.moveTo(at.x[s.from[p]!]! + 240, at.y[s.from[p]!]! + from)
      batch.path.lineTo(at.x[s.to[p]!]!, at.y[s.to[p]!]! + to)
    } else trace(batch.path, s, scene.solved, at, p, from, to)
    if (this.d.detail !== 'far') {
      const x = at.x[s.to[p]!]!
      const y = at.y[s.to[p]!]! + to
      const size = style === 'lit' || style === 'chosen' ? 9 : 8
      batch.heads.moveTo(x, y)
      batch.heads.lineTo(x - size, y - size / 2)
      batch.heads.lineTo(x - size, y + size / 2)
      batch.heads.closePath()
    }
    if (++batch.count < BATCH) return
    this.full.push([style, batch.path])
    batch.path = new Path2D()
    batch.count = 0
  }

  finish(): void {
    for (const [style, batch] of this.open) if (batch.count) this.full.push([style, batch.path])
    for (const style of order) {
      const paths = this.full.filter(([other]) => other === style)
      if (!paths.length) continue
      this.use(style, paths.length * BATCH)
      for (const [, path] of paths) this.ctx.stroke(path)
      this.ctx.setLineDash([])
      if (this.d.detail !== 'far') this.ctx.fill(this.open.get(style)!.heads)
    }
    this.ctx.globalAlpha = 1
  }

  private use(style: Style, count: number): void {
    const { ctx, d } = this
    const p = d.palette
    const far = d.detail === 'far'
    const width = style === 'lit' || style === 'chosen' ? 2.25 : style === 'added' || style === 'ended' ? 2 : style === 'soft' ? 1 : 1.4
    ctx.lineWidth = far ? (width * 0.8) / d.zoom : d.zoom < 1 ? width / Math.sqrt(d.zoom) : width
    const colour = { plain: p.edge, derived: p.edge, soft: p.edge, dim: p.edge, added: p.added, ended: p.ended, lit: p['edge-lit'], chosen: p['edge-lit'] }[style]
    ctx.strokeStyle = colour
    ctx.fillStyle = colour
    ctx.setLineDash(style === 'ended' ? [7 / d.zoom, 5 / d.zoom] : style === 'derived' ? [2 / d.zoom, 3 / d.zoom] : [])
    // Where thousands of lines overlap, each one is fainter.
    const crowd = far && count > 1500 ? Math.max(0.25, Math.sqrt(1500 / count)) : 1
    ctx.globalAlpha = style === 'dim' ? 0.25 : style === 'soft' ? 0.45 : style === 'plain' ? 0.9 * crowd : 1
  }
}
