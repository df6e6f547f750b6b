// A graph with its layout: the places of its parts, and the part at a point. The page and the worker have one
// each.

import Flatbush from 'flatbush'
import { NODE_WIDTH } from './layout'
import { BADGES, BAR, columnsTop, hasBar, HEADER, ROW, ROWS } from './measure'
import { Distance, trace, type Positions } from './routes'
import type { Box, Solved } from './solve'
import { ColumnRows, portOf, type Structure } from './structure'
import type { Direction, GraphEdge } from './types'

/** The part of the drawing at a point. */
export type Hit =
  | { part: 'node'; node: number }
  | { part: 'more'; node: number; direction: Direction }
  | { part: 'bar'; node: number }
  /** The arrows that scroll columns when not all of them fit. */
  | { part: 'page'; node: number; by: number }
  | { part: 'column'; node: number; row: number }
  | { part: 'edges'; edges: GraphEdge[] }

/** The width of an arrow that scrolls columns. */
export const PAGE = 24

/** The +n handles: the distance of their middle above the lower end of the header, and their size. */
export const MORE = { rise: 11, width: 30, height: 18 }

export class Scene {
  readonly rows = new ColumnRows()
  private readonly nodeTree: Flatbush | null
  private readonly pairTree: Flatbush | null

  constructor(
    readonly structure: Structure,
    readonly solved: Solved,
  ) {
    this.nodeTree = solved.nodeTree && Flatbush.from(solved.nodeTree)
    this.pairTree = solved.pairTree && Flatbush.from(solved.pairTree)
  }

  nodesIn(box: Box): number[] {
    return this.nodeTree?.search(box.left, box.top, box.right, box.bottom) ?? []
  }

  pairsIn(box: Box): number[] {
    return this.pairTree?.search(box.left, box.top, box.right, box.bottom) ?? []
  }

  boxOf(v: number): Box {
    const left = this.solved.x[v]!
    const top = this.solved.y[v]!
    return { left, top, right: left + NODE_WIDTH, bottom: top + this.structure.heights[v]! }
  }

  /** The node whose middle is nearest to a point, -1 if there is none. */
  nearest(x: number, y: number): number {
    return this.nodeTree?.neighbors(x, y, 1)[0] ?? -1
  }

  /**
   * The part at a point. far is the distance at which an edge is still hit, in units of the drawing; detail:
   * whether parts of nodes are shown.
   */
  at(x: number, y: number, far: number, detail: boolean, firstRow: (id: string) => number): Hit | null {
    if (detail) {
      const more = this.moreAt(x, y)
      if (more) return more
    }
    const slack = Math.max(0, far - 6)
    const nodes = this.nodesIn({ left: x - slack, top: y - slack, right: x + slack, bottom: y + slack })
    const v = nodes.length > 1 ? Math.max(...nodes.filter((one) => this.inside(one, x, y)), nodes[0]!) : nodes[0]
    if (v !== undefined) return detail ? this.partAt(v, x, y, firstRow) : { part: 'node', node: v }
    return this.edgesAt(x, y, far, firstRow)
  }

  private inside(v: number, x: number, y: number): boolean {
    const box = this.boxOf(v)
    return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom
  }

  private moreAt(x: number, y: number): Hit | null {
    const reach = MORE.width / 2
    for (const v of this.nodesIn({ left: x - reach, top: y - reach, right: x + reach, bottom: y + reach })) {
      const node = this.structure.nodes[v]!
      const box = this.boxOf(v)
      if (Math.abs(y - (box.top + HEADER - MORE.rise)) > MORE.height / 2 + 2) continue
      if (node.moreUp && Math.abs(x - box.left) <= reach) return { part: 'more', node: v, direction: 'up' }
      if (node.moreDown && Math.abs(x - box.right) <= reach) return { part: 'more', node: v, direction: 'down' }
    }
    return null
  }

  private partAt(v: number, x: number, y: number, firstRow: (id: string) => number): Hit {
    const node = this.structure.nodes[v]!
    const down = y - this.solved.y[v]!
    const bar = HEADER + (node.badges?.length ? BADGES : 0)
    if (hasBar(node) && down >= bar && down < bar + BAR) {
      const fromRight = this.solved.x[v]! + NODE_WIDTH - x
      if ((node.columns?.length ?? 0) <= ROWS || fromRight > 2 * PAGE + 6) return { part: 'bar', node: v }
      return { part: 'page', node: v, by: fromRight > PAGE + 6 ? -ROWS : ROWS }
    }
    const row = Math.floor((down - columnsTop(node)) / ROW)
    const shown = Math.min(ROWS, node.columns?.length ?? 0)
    if (row >= 0 && row < shown) return { part: 'column', node: v, row: row + firstRow(node.id) }
    return { part: 'node', node: v }
  }

  private edgesAt(x: number, y: number, far: number, firstRow: (id: string) => number): Hit | null {
    const { structure: s } = this
    let best = far
    let found: GraphEdge[] = []
    for (const p of this.pairsIn({ left: x - far, top: y - far, right: x + far, bottom: y + far })) {
      for (const line of this.lines(p, firstRow, true)) {
        const distance = new Distance(x, y, far)
        trace(distance, s, this.solved, this.solved, p, line.from, line.to)
        if (distance.found >= best) continue
        best = distance.found
        found = line.edges
      }
    }
    return found.length ? { part: 'edges', edges: found } : null
  }

  /** Whether the edges between columns of a pair are drawn one by one. */
  single(p: number): boolean {
    const { nodes, from, to } = this.structure
    return !!nodes[from[p]!]!.columns?.length || !!nodes[to[p]!]!.columns?.length
  }

  /** The lines of a pair: with columns, one for each edge between columns and one for the others. */
  lines(p: number, firstRow: (id: string) => number, columns: boolean): { from: number; to: number; edges: GraphEdge[]; column: boolean }[] {
    const { structure: s, rows } = this
    const edges: GraphEdge[] = []
    for (let k = s.edgeStart[p]!; k < s.edgeStart[p + 1]!; k++) edges.push(s.edges[s.edgesOf[k]!]!)
    const a = s.nodes[s.from[p]!]!
    const b = s.nodes[s.to[p]!]!
    const port = (node: typeof a, column: string | undefined) => portOf(node, column, firstRow(node.id), rows)
    if (!columns || !this.single(p)) return [{ from: port(a, undefined), to: port(b, undefined), edges, column: false }]
    const lines: { from: number; to: number; edges: GraphEdge[]; column: boolean }[] = []
    const whole: GraphEdge[] = []
    for (const edge of edges) {
      if (edge.fromColumn === undefined && edge.toColumn === undefined) whole.push(edge)
      else lines.push({ from: port(a, edge.fromColumn), to: port(b, edge.toColumn), edges: [edge], column: true })
    }
    if (whole.length) lines.unshift({ from: port(a, undefined), to: port(b, undefined), edges: whole, column: false })
    return lines
  }
}

/** The positions on the way from an old layout to a new one; t goes from 0 to 1. */
export function between(old: Positions, now: Positions, t: number): Positions {
  if (t >= 1) return now
  const mix = (from: Float32Array, to: Float32Array) => to.map((value, i) => (Number.isNaN(from[i]!) ? value : from[i]! + (value - from[i]!) * t))
  return { x: mix(old.x, now.x), y: mix(old.y, now.y) }
}
