import { columnKey, type Direction, type Graph, type GraphEdge, type Lit } from './types'

/** The edges at each node and at each column of a graph. */
export interface Adjacency {
  nodes: Map<string, { up: GraphEdge[]; down: GraphEdge[] }>
  columns: Map<string, { up: GraphEdge[]; down: GraphEdge[] }>
}

export function adjacency(graph: Graph): Adjacency {
  const nodes: Adjacency['nodes'] = new Map()
  const columns: Adjacency['columns'] = new Map()
  for (const node of graph.nodes) nodes.set(node.id, { up: [], down: [] })
  for (const edge of graph.edges) {
    nodes.get(edge.from)?.down.push(edge)
    nodes.get(edge.to)?.up.push(edge)
    if (edge.fromColumn !== undefined) at(columns, columnKey(edge.from, edge.fromColumn)).down.push(edge)
    if (edge.toColumn !== undefined) at(columns, columnKey(edge.to, edge.toColumn)).up.push(edge)
  }
  return { nodes, columns }
}

function at(columns: Adjacency['columns'], key: string) {
  let found = columns.get(key)
  if (!found) columns.set(key, (found = { up: [], down: [] }))
  return found
}

/**
 * A node with all nodes upstream and downstream of it in the graph; if a direction is given, with the nodes
 * in this direction only. */
export function nodePath(graph: Adjacency, id: string, direction?: Direction): Lit {
  const lit = { nodes: new Set([id]), edges: new Set<string>(), columns: new Set<string>() }
  for (const way of direction ? [direction] : (['up', 'down'] as const)) {
    const seen = new Set([id])
    const queue = [id]
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      for (const edge of graph.nodes.get(next)?.[way] ?? []) {
        lit.edges.add(edge.id)
        const other = way === 'up' ? edge.from : edge.to
        if (seen.has(other) || !graph.nodes.has(other)) continue
        seen.add(other)
        lit.nodes.add(other)
        queue.push(other)
      }
    }
  }
  return lit
}

/** A column and all columns that feed it or derive from it within the graph. */
export function columnPath(graph: Adjacency, node: string, column: string, direction?: Direction): Lit {
  const start = columnKey(node, column)
  const lit = { nodes: new Set([node]), edges: new Set<string>(), columns: new Set([start]) }
  for (const way of direction ? [direction] : (['up', 'down'] as const)) {
    const seen = new Set([start])
    const queue = [start]
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      for (const edge of graph.columns.get(next)?.[way] ?? []) {
        lit.edges.add(edge.id)
        const other = way === 'up' ? edge.from : edge.to
        lit.nodes.add(other)
        const otherColumn = way === 'up' ? edge.fromColumn : edge.toColumn
        if (otherColumn === undefined) continue
        const key = columnKey(other, otherColumn)
        if (seen.has(key)) continue
        seen.add(key)
        lit.columns.add(key)
        queue.push(key)
      }
    }
  }
  return lit
}

/** The nodes one hop away, each once. */
export function neighbours(graph: Adjacency, id: string, direction: Direction): string[] {
  const found = new Set<string>()
  for (const edge of graph.nodes.get(id)?.[direction] ?? []) {
    const other = direction === 'up' ? edge.from : edge.to
    if (other !== id && graph.nodes.has(other)) found.add(other)
  }
  return [...found]
}
