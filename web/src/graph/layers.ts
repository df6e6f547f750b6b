// The first half of a layered layout: which edges go against the flow, and in which layer each node stands.
// The time is linear in nodes and edges, and there is no recursion.

/** Edges by their ends: the edges of node v are list[start[v]] to list[start[v + 1] - 1]. */
export interface Ends {
  start: Uint32Array
  list: Uint32Array
}

export function endsOf(count: number, ends: Uint32Array): Ends {
  const start = new Uint32Array(count + 1)
  for (const v of ends) start[v + 1]!++
  for (let v = 0; v < count; v++) start[v + 1]! += start[v]!
  const fill = start.slice()
  const list = new Uint32Array(ends.length)
  for (let e = 0; e < ends.length; e++) list[fill[ends[e]!]!++] = e
  return { start, list }
}

/**
 * Marks edges so that reversing them leaves no cycle: the edges that lead back to a node that a depth-first
 * walk is still in. The walk begins at the nodes in the given order, first at nodes without incoming edges.
 */
export function backEdges(count: number, from: Uint32Array, to: Uint32Array, order: Uint32Array): Uint8Array {
  const out = endsOf(count, from)
  const into = endsOf(count, to)
  const back = new Uint8Array(from.length)
  const state = new Uint8Array(count)
  const next = new Uint32Array(count)
  const stack = new Uint32Array(count)
  const walk = (root: number) => {
    if (state[root]) return
    let depth = 0
    stack[0] = root
    state[root] = 1
    next[root] = out.start[root]!
    while (depth >= 0) {
      const v = stack[depth]!
      if (next[v]! === out.start[v + 1]!) {
        state[v] = 2
        depth--
        continue
      }
      const edge = out.list[next[v]!++]!
      const w = to[edge]!
      if (state[w] === 1) back[edge] = 1
      else if (!state[w]) {
        state[w] = 1
        next[w] = out.start[w]!
        stack[++depth] = w
      }
    }
  }
  for (const v of order) if (into.start[v] === into.start[v + 1]) walk(v)
  for (const v of order) walk(v)
  return back
}

/** The nodes in an order in which each edge of an acyclic graph leads from an earlier node to a later one. */
export function topological(count: number, from: Uint32Array, to: Uint32Array, out: Ends): Uint32Array {
  const open = new Uint32Array(count)
  for (const v of to) open[v]!++
  const order = new Uint32Array(count)
  let filled = 0
  for (let v = 0; v < count; v++) if (!open[v]) order[filled++] = v
  for (let i = 0; i < filled; i++) {
    const v = order[i]!
    for (let k = out.start[v]!; k < out.start[v + 1]!; k++) {
      const w = to[out.list[k]!]!
      if (--open[w]! === 0) order[filled++] = w
    }
  }
  void from
  return order
}

/** A layer that is not known yet. */
export const UNKNOWN = -0x80000000

/**
 * The layers of an acyclic graph. Known layers are kept unless an edge forbids it; the others
 * are the lowest possible ones, then moved to where their edges are shortest.
 */
export function layersOf(count: number, from: Uint32Array, to: Uint32Array, known?: Int32Array): Int32Array {
  const out = endsOf(count, from)
  const into = endsOf(count, to)
  const order = topological(count, from, to, out)
  const layer = known ? known.slice() : new Int32Array(count).fill(UNKNOWN)
  const kept = layer.map((l) => (l === UNKNOWN ? 0 : 1))

  const above = (v: number) => {
    let max = UNKNOWN
    for (let k = into.start[v]!; k < into.start[v + 1]!; k++) max = Math.max(max, layer[from[into.list[k]!]!]!)
    return max
  }
  const below = (v: number) => {
    let min = 0x7fffffff
    for (let k = out.start[v]!; k < out.start[v + 1]!; k++) {
      const l = layer[to[out.list[k]!]!]!
      if (l !== UNKNOWN) min = Math.min(min, l)
    }
    return min
  }

  if (known) {
    // A new node gets a layer behind or before its neighbours that have one.
    for (const v of order) {
      if (layer[v] !== UNKNOWN) continue
      const max = above(v)
      if (max !== UNKNOWN) layer[v] = max + 1
    }
    for (let i = count - 1; i >= 0; i--) {
      const v = order[i]!
      if (layer[v] !== UNKNOWN) continue
      const min = below(v)
      if (min !== 0x7fffffff) layer[v] = min - 1
    }
  }
  for (const v of order) {
    const max = above(v)
    if (layer[v] === UNKNOWN) layer[v] = max === UNKNOWN ? 0 : max + 1
    else if (max !== UNKNOWN && layer[v]! <= max) layer[v] = max + 1
  }

  // Shorten edges: a node with more edges to the right than to the left moves right, and vice versa.
  for (let sweep = 0; sweep < 8; sweep++) {
    let moved = false
    for (let i = 0; i < count; i++) {
      const v = order[sweep % 2 ? i : count - 1 - i]!
      if (kept[v]) continue
      const ins = into.start[v + 1]! - into.start[v]!
      const outs = out.start[v + 1]! - out.start[v]!
      if (ins === outs) continue
      const to = outs > ins ? below(v) - 1 : above(v) + 1
      if (to === layer[v]) continue
      layer[v] = to
      moved = true
    }
    if (!moved) break
  }
  return layer
}

/** The number of the connected component of each node; they are numbered by their first node. */
export function components(count: number, from: Uint32Array, to: Uint32Array): { of: Uint32Array; count: number } {
  const parent = Uint32Array.from({ length: count }, (_, i) => i)
  const find = (v: number) => {
    while (parent[v] !== v) {
      parent[v] = parent[parent[v]!]!
      v = parent[v]!
    }
    return v
  }
  for (let e = 0; e < from.length; e++) {
    const a = find(from[e]!)
    const b = find(to[e]!)
    if (a < b) parent[b] = a
    else parent[a] = b
  }
  const of = new Uint32Array(count)
  let found = 0
  for (let v = 0; v < count; v++) {
    const root = find(v)
    of[v] = root === v ? found++ : of[root]!
  }
  return { of, count: found }
}
