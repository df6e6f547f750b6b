// A graph as numbers: nodes by index, edges gathered into pairs of nodes.

import { columnPort, heightOf, PORT } from './measure'
import type { Graph, GraphEdge, GraphNode } from './types'

export interface Structure {
  nodes: readonly GraphNode[]
  /** The edges whose two ends are in the graph. */
  edges: readonly GraphEdge[]
  index: ReadonlyMap<string, number>
  heights: Float32Array
  /** Pairs of nodes with edges between them: first pairs of two nodes, then pairs of a node with itself. */
  from: Uint32Array
  to: Uint32Array
  /** The number of pairs of two different nodes. */
  proper: number
  /** The average height at which the edges of a pair touch a node, from its top. */
  fromPort: Float32Array
  toPort: Float32Array
  /** The edges of pair p are edgesOf[edgeStart[p]] to edgesOf[edgeStart[p + 1] - 1]. */
  edgeStart: Uint32Array
  edgesOf: Uint32Array
}

export function structureOf(graph: Graph): Structure {
  const index = new Map<string, number>()
  const nodes: GraphNode[] = []
  for (const node of graph.nodes) {
    if (index.has(node.id)) continue
    index.set(node.id, nodes.length)
    nodes.push(node)
  }
  const count = nodes.length
  const pairs = new Map<number, number>()
  const edges: GraphEdge[] = []
  const from: number[] = []
  const to: number[] = []
  const loops: number[] = []
  const pairOf: number[] = []
  for (const edge of graph.edges) {
    const a = index.get(edge.from)
    const b = index.get(edge.to)
    if (a === undefined || b === undefined) continue
    const key = a * count + b
    let pair = pairs.get(key)
    if (pair === undefined) {
      if (a === b) {
        pair = -1 - loops.length
        loops.push(a)
      } else {
        pair = from.length
        from.push(a)
        to.push(b)
      }
      pairs.set(key, pair)
    }
    edges.push(edge)
    pairOf.push(pair)
  }
  const proper = from.length
  for (const v of loops) {
    from.push(v)
    to.push(v)
  }
  const total = from.length
  const edgeStart = new Uint32Array(total + 1)
  for (const [e, pair] of pairOf.entries()) {
    const p = pair < 0 ? proper - 1 - pair : pair
    pairOf[e] = p
    edgeStart[p + 1]!++
  }
  for (let p = 0; p < total; p++) edgeStart[p + 1]! += edgeStart[p]!
  const fill = edgeStart.slice()
  const edgesOf = new Uint32Array(edges.length)
  for (const [e, p] of pairOf.entries()) edgesOf[fill[p]!++] = e

  const structure: Structure = {
    nodes,
    edges,
    index,
    heights: Float32Array.from(nodes, heightOf),
    from: Uint32Array.from(from),
    to: Uint32Array.from(to),
    proper,
    fromPort: new Float32Array(total).fill(PORT),
    toPort: new Float32Array(total).fill(PORT),
    edgeStart,
    edgesOf,
  }
  averagePorts(structure)
  return structure
}

function averagePorts(s: Structure): void {
  const rows = new ColumnRows()
  for (let p = 0; p < s.proper; p++) {
    const a = s.nodes[s.from[p]!]!
    const b = s.nodes[s.to[p]!]!
    if (!a.columns && !b.columns) continue
    let fromSum = 0
    let toSum = 0
    let count = 0
    for (let k = s.edgeStart[p]!; k < s.edgeStart[p + 1]!; k++) {
      const edge = s.edges[s.edgesOf[k]!]!
      if (edge.fromColumn === undefined && edge.toColumn === undefined) continue
      fromSum += portOf(a, edge.fromColumn, 0, rows)
      toSum += portOf(b, edge.toColumn, 0, rows)
      count++
    }
    if (!count) continue
    s.fromPort[p] = fromSum / count
    s.toPort[p] = toSum / count
  }
}

/** The rows of columns in their nodes, looked up once for a list of columns. */
export class ColumnRows {
  private readonly known = new WeakMap<object, Map<string, number>>()

  of(node: GraphNode, column: string): number | undefined {
    if (!node.columns) return undefined
    let rows = this.known.get(node.columns)
    if (!rows) this.known.set(node.columns, (rows = new Map(node.columns.map((one, i) => [one.id, i]))))
    return rows.get(column)
  }
}

/** The height at which an edge touches a node, from its top. */
export function portOf(node: GraphNode, column: string | undefined, first: number, rows: ColumnRows): number {
  if (column === undefined || !node.columns?.length) return PORT
  const row = rows.of(node, column)
  return row === undefined ? PORT : columnPort(node, row, first)
}

/** Whether a layout of one structure is valid for the other. */
export function sameShape(one: Structure, other: Structure): boolean {
  return (
    one.nodes.length === other.nodes.length &&
    one.proper === other.proper &&
    same(one.from, other.from) &&
    same(one.to, other.to) &&
    same(one.heights, other.heights) &&
    same(one.fromPort, other.fromPort) &&
    same(one.toPort, other.toPort) &&
    one.nodes.every((node, i) => node.id === other.nodes[i]!.id)
  )
}

function same(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  if (one.length !== other.length) return false
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false
  return true
}
