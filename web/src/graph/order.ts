// The order of the vertices in each layer, with few crossings: sweeps over the layers that sort each layer by
// the mean position of its neighbours, then exchanges of neighbours. The amount of work depends only on the
// size of the graph, never on time, so the same graph always looks the same.

import type { Levels } from './levels'

export type Order = Uint32Array[]

/** The first order: that of a depth-first walk, which draws trees without crossings. */
export function firstOrder(g: Levels): Order {
  const rows: number[][] = Array.from({ length: g.layers }, () => [])
  const seen = new Uint8Array(g.count)
  const next = new Uint32Array(g.count)
  const stack = new Uint32Array(g.count)
  const roots = Array.from({ length: g.count }, (_, v) => v)
  roots.sort((v, w) => g.layer[v]! - g.layer[w]! || v - w)
  for (const root of roots) {
    if (seen[root]) continue
    let depth = 0
    stack[0] = root
    seen[root] = 1
    rows[g.layer[root]!]!.push(root)
    while (depth >= 0) {
      const v = stack[depth]!
      const downs = g.down.start[v + 1]! - g.down.start[v]!
      const ups = g.up.start[v + 1]! - g.up.start[v]!
      const i = next[v]!++
      if (i >= downs + ups) {
        depth--
        continue
      }
      const w = i < downs ? g.b[g.down.list[g.down.start[v]! + i]!]! : g.a[g.up.list[g.up.start[v]! + i - downs]!]!
      if (seen[w]) continue
      seen[w] = 1
      rows[g.layer[w]!]!.push(w)
      stack[++depth] = w
    }
  }
  return rows.map((row) => Uint32Array.from(row))
}

/**
 * Another first order: by the distance from a vertex at the end of the graph. It keeps distant vertices
 * apart, where a depth-first walk would lay one end of a long graph over the other.
 */
function orderFromEnd(g: Levels): Order {
  let { far, distance } = walkFrom(g, 0)
  ;({ far, distance } = walkFrom(g, far))
  ;({ distance } = walkFrom(g, far))
  return firstOrder(g).map((row) => {
    const at = new Map<number, number>()
    for (const [i, v] of row.entries()) at.set(v, i)
    return row.sort((v, w) => distance[v]! - distance[w]! || at.get(v)! - at.get(w)!)
  })
}

function walkFrom(g: Levels, root: number): { far: number; distance: Uint32Array } {
  const distance = new Uint32Array(g.count)
  const queue = new Uint32Array(g.count)
  const seen = new Uint8Array(g.count)
  let filled = 1
  queue[0] = root
  seen[root] = 1
  for (let i = 0; i < filled; i++) {
    const v = queue[i]!
    for (const [ends, other] of [[g.down, g.b], [g.up, g.a]] as const) {
      for (let k = ends.start[v]!; k < ends.start[v + 1]!; k++) {
        const w = other[ends.list[k]!]!
        if (seen[w]) continue
        seen[w] = 1
        distance[w] = distance[v]! + 1
        queue[filled++] = w
      }
    }
  }
  return { far: queue[filled - 1]!, distance }
}

/**
 * An order with few crossings: both first orders are improved, and the better result is taken; of large
 * graphs, only the better first order is improved.
 */
export function orderOf(g: Levels): Order {
  const better = (one: Order, other: Order) => (crossings(g, other) < crossings(g, one) ? other : one)
  const first = firstOrder(g)
  if (g.count > 4000) return untangle(g, better(first, orderFromEnd(g)))
  const one = untangle(g, first)
  return crossings(g, one) ? better(one, untangle(g, orderFromEnd(g))) : one
}

/** The position of each vertex in its layer. */
export function positions(g: Levels, order: Order): Uint32Array {
  const at = new Uint32Array(g.count)
  for (const row of order) for (let i = 0; i < row.length; i++) at[row[i]!] = i
  return at
}

/** How many pairs of segments cross. */
export function crossings(g: Levels, order: Order): number {
  const at = positions(g, order)
  let sum = 0
  for (let l = 0; l + 1 < order.length; l++) sum += between(g, order[l]!, order[l + 1]!.length, at)
  return sum
}

function between(g: Levels, row: Uint32Array, width: number, at: Uint32Array): number {
  const tree = new Uint32Array(width + 1)
  let inserted = 0
  let sum = 0
  for (const v of row) {
    const { start, list } = g.down
    const first = start[v]!
    const end = start[v + 1]!
    for (let k = first; k < end; k++) {
      let before = 0
      for (let i = at[g.b[list[k]!]!]! + 1; i > 0; i -= i & -i) before += tree[i]!
      sum += inserted - before
    }
    for (let k = first; k < end; k++) {
      for (let i = at[g.b[list[k]!]!]! + 1; i <= width; i += i & -i) tree[i]!++
      inserted++
    }
  }
  return sum
}

/** Reduces the crossings of an order. */
function untangle(g: Levels, first: Order): Order {
  const size = g.count + g.a.length
  if (!g.a.length) return first
  const sweeps = Math.max(4, Math.min(24, Math.round(200_000 / size)))
  const at = positions(g, first)
  const key = new Float64Array(g.count)
  const order = first.map((row) => row.slice())
  let best = first
  let fewest = crossings(g, first)
  let idle = 0
  for (let sweep = 0; sweep < sweeps && fewest > 0 && idle < 4; sweep++) {
    const down = sweep % 2 === 0
    for (let i = 1; i < order.length; i++) sortRow(g, order[down ? i : order.length - 1 - i]!, at, key, down)
    const now = crossings(g, order)
    if (now < fewest) {
      fewest = now
      best = order.map((row) => row.slice())
      idle = 0
    } else idle++
  }
  if (size < 6_000 && fewest > 0) exchange(g, best)
  return best
}

function sortRow(g: Levels, row: Uint32Array, at: Uint32Array, key: Float64Array, down: boolean): void {
  const { start, list } = down ? g.up : g.down
  const other = down ? g.a : g.b
  let sorted = true
  for (let i = 0; i < row.length; i++) {
    const v = row[i]!
    const from = start[v]!
    const end = start[v + 1]!
    let sum = 0
    let weights = 0
    for (let k = from; k < end; k++) {
      const w = g.weight[list[k]!]!
      sum += w * at[other[list[k]!]!]!
      weights += w
    }
    // A vertex without neighbours on this side keeps its place between the vertices beside it.
    key[v] = weights ? sum / weights : i ? key[row[i - 1]!]! : -1
    if (i && key[v]! < key[row[i - 1]!]!) sorted = false
  }
  if (!sorted) row.sort((v, w) => key[v]! - key[w]! || at[v]! - at[w]!)
  for (let i = 0; i < row.length; i++) at[row[i]!] = i
}

/** Exchanges neighbouring vertices while that removes crossings; never two that are kept. */
export function exchange(g: Levels, order: Order, kept?: Uint8Array): void {
  const at = positions(g, order)
  const sides = [
    { ends: g.up, other: g.a },
    { ends: g.down, other: g.b },
  ]
  const near: [Uint32Array, Uint32Array][] = Array.from({ length: g.count }, () => [none, none])
  const refresh = (v: number) => {
    near[v] = sides.map(({ ends, other }) => {
      const list = ends.list.subarray(ends.start[v]!, ends.start[v + 1]!)
      return Uint32Array.from(list, (e) => at[other[e]!]!).sort()
    }) as [Uint32Array, Uint32Array]
  }
  for (let round = 0; round < 10; round++) {
    let better = false
    for (const row of order) {
      for (const v of row) refresh(v)
      for (let i = 0; i + 1 < row.length; i++) {
        const v = row[i]!
        const w = row[i + 1]!
        if (kept?.[v] && kept[w]) continue
        let gain = 0
        for (const side of [0, 1] as const) gain += pairs(near[v]![side], near[w]![side]) - pairs(near[w]![side], near[v]![side])
        if (gain <= 0) continue
        row[i] = w
        row[i + 1] = v
        at[w] = i
        at[v] = i + 1
        better = true
      }
    }
    if (!better) return
  }
}

const none = new Uint32Array(0)

/**
 * The number of pairs in which the first list's entry is greater than the second's; both lists are sorted.
 */
function pairs(first: Uint32Array, second: Uint32Array): number {
  let sum = 0
  let j = 0
  for (const value of first) {
    while (j < second.length && second[j]! < value) j++
    sum += j
  }
  return sum
}
