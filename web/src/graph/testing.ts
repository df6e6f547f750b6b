// Graphs for the tests of the engine, from seeds.

import { jobOf } from './job'
import { solve, type Solved } from './solve'
import { structureOf, type Structure } from './structure'
import { Scene } from './scene'
import type { Graph, GraphEdge, GraphNode } from './types'

export function random(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export function nodeOf(id: string, more: Partial<GraphNode> = {}): GraphNode {
  return { id, kind: 'data', type: 'Table', title: id, ...more }
}

export function edgesOf(pairs: readonly (readonly [string | number, string | number])[]): GraphEdge[] {
  return pairs.map(([from, to], i) => ({ id: `e${i}`, from: String(from), to: String(to) }))
}

export function graphOf(count: number, pairs: readonly (readonly [number, number])[]): Graph {
  return { nodes: Array.from({ length: count }, (_, i) => nodeOf(String(i))), edges: edgesOf(pairs) }
}

/** Any directed graph: cycles, loops, lone nodes, nodes of different heights. */
export function anyGraph(seed: number, count: number, edges: number): Graph {
  const next = random(seed)
  const at = () => Math.floor(next() * count)
  const graph = graphOf(count, Array.from({ length: edges }, () => [at(), at()] as const))
  return {
    ...graph,
    nodes: graph.nodes.map((node) =>
      next() < 0.3 ? { ...node, columns: Array.from({ length: 1 + Math.floor(next() * 30) }, (_, i) => ({ id: `c${i}`, name: `c${i}` })) } : node,
    ),
  }
}

export function solved(graph: Graph, before: Scene | null = null, anchor = ''): { structure: Structure; result: Solved; scene: Scene } {
  const structure = structureOf(graph)
  const result = solve(jobOf(structure, before, structure.index.get(anchor) ?? -1))
  return { structure, result, scene: new Scene(structure, result) }
}
