// The whole graph as a picture: one SVG text without links to other files.

import { NODE_WIDTH } from './layout'
import { BADGES, BAR, columnsTop, hasBar, HEADER, ROW, ROWS } from './measure'
import type { Palette } from './palette'
import { LastMiddle, trace, type Sink } from './routes'
import type { Scene } from './scene'
import { outline, signs } from './shapes'
import type { GraphEdge, GraphNode } from './types'
import { platformLine, rowsLabel } from './words'

const PAD = 32

/** Shortens a text by its number of letters, when there is no canvas to measure it. */
function cut(text: string, letters: number): string {
  return text.length > letters ? `${text.slice(0, Math.max(1, letters - 1))}…` : text
}

export function escapeXml(text: string): string {
  const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"']/g, (mark) => marks[mark]!)
}

class PathText implements Sink {
  d = ''
  moveTo(x: number, y: number): void {
    this.d += `M${num(x)} ${num(y)}`
  }
  lineTo(x: number, y: number): void {
    this.d += `L${num(x)} ${num(y)}`
  }
  bezierCurveTo(ax: number, ay: number, bx: number, by: number, x: number, y: number): void {
    this.d += `C${num(ax)} ${num(ay)} ${num(bx)} ${num(by)} ${num(x)} ${num(y)}`
  }
}

function num(value: number): number {
  return Math.round(value * 10) / 10
}

export function svgOf(scene: Scene, p: Palette, first: (id: string) => number): string {
  const { bounds } = scene.solved
  const left = num(bounds.left - PAD)
  const top = num(bounds.top - PAD)
  const width = num(bounds.right - bounds.left + 2 * PAD)
  const height = num(bounds.bottom - bounds.top + 2 * PAD)
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} ${top} ${width} ${height}" width="${width}" height="${height}" font-family="${escapeXml(p.font)}">`,
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${p['bg-sunken']}"/>`,
  ]
  for (let q = 0; q < scene.structure.from.length; q++) {
    for (const line of scene.lines(q, first, true)) out.push(edge(scene, p, q, line))
  }
  // Above the lines, as on the screen.
  for (let q = 0; q < scene.structure.from.length; q++) {
    for (const line of scene.lines(q, first, true)) out.push(...through(scene, p, q, line))
  }
  for (let v = 0; v < scene.structure.nodes.length; v++) out.push(node(scene, p, v, first))
  out.push('</svg>')
  return out.join('\n')
}

function edge(scene: Scene, p: Palette, q: number, line: { from: number; to: number; edges: readonly GraphEdge[] }): string {
  const { structure: s, solved } = scene
  const path = new PathText()
  trace(path, s, solved, solved, q, line.from, line.to)
  const { change } = line.edges[0]!
  const state = change && line.edges.every((one) => one.change === change) ? change : undefined
  const colour = state ? p[state] : p.edge
  const dashes = state === 'ended' ? '7 5' : !state && line.edges.every((one) => one.derived) ? '2 3' : ''
  const dim = line.edges.every((one) => one.dim) || s.nodes[s.from[q]!]!.dim || s.nodes[s.to[q]!]!.dim
  const x = num(solved.x[s.to[q]!]!)
  const y = num(solved.y[s.to[q]!]! + line.to)
  return (
    `<g${dim ? ' opacity="0.25"' : ''}><path d="${path.d}" fill="none" stroke="${colour}" stroke-width="${state ? 2 : 1.4}"${dashes ? ` stroke-dasharray="${dashes}"` : ''}/>` +
    `<path d="M${x} ${y}l-8 -4v8z" fill="${colour}"/></g>`
  )
}

/** The sign of a job that stands on an edge. */
function through(scene: Scene, p: Palette, q: number, line: { from: number; to: number; edges: readonly GraphEdge[] }): string[] {
  const edge = line.edges.find((one) => one.through)
  if (!edge?.through) return []
  const middle = new LastMiddle()
  trace(middle, scene.structure, scene.solved, scene.solved, q, line.from, line.to)
  const [x, y] = [num(middle.x), num(middle.y)]
  const colour = p[`kind-${edge.through}`]
  return [
    `<g${edge.dim ? ' opacity="0.3"' : ''}><title>${escapeXml(edge.title ?? '')}</title>` +
      `<circle cx="${x}" cy="${y}" r="10" fill="${p['bg-raised']}" stroke="${colour}" stroke-width="1.5"/>` +
      `<path transform="translate(${num(x - 6.5)} ${num(y - 6.5)}) scale(0.8125)" d="${signs[edge.through]}" fill="none" stroke="${colour}" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/></g>`,
  ]
}

function node(scene: Scene, p: Palette, v: number, firstOf: (id: string) => number): string {
  const n = scene.structure.nodes[v]!
  const x = num(scene.solved.x[v]!)
  const y = num(scene.solved.y[v]!)
  const path = new PathText()
  outline(path, n.kind, x, y, NODE_WIDTH, scene.structure.heights[v]!)
  const fill = n.change === 'added' ? p['good-soft'] : n.change === 'ended' ? p['bad-soft'] : n.missing ? p['bg-sunken'] : p['bg-raised']
  const stroke = n.change ? p[n.change] : n.start ? p.accent : p['border-strong']
  const dashes = n.change === 'ended' ? ' stroke-dasharray="7 5"' : n.missing ? ' stroke-dasharray="3 3"' : ''
  const colour = p[`kind-${n.kind}`]
  const out = [
    `<g${n.dim ? ' opacity="0.3"' : ''}><title>${escapeXml(n.id)}</title>`,
    `<path d="${path.d}Z" fill="${fill}" stroke="${stroke}" stroke-width="${n.change || n.start ? 2 : 1}"${dashes}/>`,
    `<rect x="${x + 13}" y="${y + 13}" width="30" height="30" rx="7" fill="${colour}" fill-opacity="0.13"/>`,
    `<path transform="translate(${x + 19} ${y + 19}) scale(1.125)" d="${signs[n.kind]}" fill="none" stroke="${colour}" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round"/>`,
    text(x + 54, y + 24.5, cut(n.title, 21), 13, p.text, n.removed ? ' font-weight="600" text-decoration="line-through"' : ' font-weight="600"'),
    text(x + 54, y + 42, cut(platformLine(n), 30), 11.5, p['text-soft']),
  ]
  if (n.badges?.length) out.push(text(x + 14, y + HEADER + 10, cut(n.badges.map((badge) => badge.label).join(' · '), 38), 11, p['text-soft']))
  if (hasBar(n)) out.push(...columns(n, p, x, y, firstOf(n.id)))
  out.push('</g>')
  return out.join('')
}

function columns(n: GraphNode, p: Palette, x: number, y: number, first: number): string[] {
  const bar = y + HEADER + (n.badges?.length ? BADGES : 0)
  const out = [`<path d="M${x + 1} ${bar + 0.5}h${NODE_WIDTH - 2}" stroke="${p.border}"/>`, text(x + 30, bar + BAR / 2 + 4, rowsLabel(n, first), 11.5, p['text-soft'])]
  for (const [i, column] of (n.columns ?? []).slice(first, first + ROWS).entries()) {
    const at = y + columnsTop(n) + i * ROW + ROW / 2 + 4
    out.push(text(x + 30, at, cut(column.name, column.type ? 20 : 32), 12, column.change ? p[column.change] : p.text))
    if (column.type) out.push(text(x + NODE_WIDTH - 14, at, cut(column.type, 11), 11, p['text-soft'], ' text-anchor="end"'))
  }
  return out
}

function text(x: number, y: number, value: string, size: number, fill: string, more = ''): string {
  return `<text x="${num(x)}" y="${num(y)}" font-size="${size}" fill="${fill}"${more}>${escapeXml(value)}</text>`
}
