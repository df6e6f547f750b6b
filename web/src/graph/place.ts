// The heights of the vertices of each layer in a given order: as near as possible to the middle of their
// neighbours, without overlaps. Each layer is solved exactly (least squares under minimal distances, by
// pooling), layer after layer, in both directions.

import type { Levels } from './levels'
import type { Order } from './order'

/** Room between two nodes, between a node and an edge that passes, and between two edges. */
export const GAP = { node: 20, edge: 14, edges: 9 }

/**
 * The places of the last layout: the middle of each vertex, NaN where it is new, and how firmly it stands.
 */
export interface Standing {
  y: Float64Array
  weight: Float64Array
}

/** The middles of the vertices. */
export function place(g: Levels, heights: Float32Array, order: Order, standing?: Standing): Float64Array {
  const y = new Float64Array(g.count)
  const half = (v: number) => (v < g.nodes ? heights[v]! / 2 : 0)
  const apart = (v: number, w: number) =>
    half(v) + half(w) + (v < g.nodes ? (w < g.nodes ? GAP.node : GAP.edge) : w < g.nodes ? GAP.edge : GAP.edges)

  let longest = 0
  for (const row of order) {
    longest = Math.max(longest, row.length)
    let at = 0
    for (let i = 0; i < row.length; i++) {
      if (i) at += apart(row[i - 1]!, row[i]!)
      y[row[i]!] = at
    }
    for (const v of row) y[v]! -= at / 2
  }
  if (standing) for (let v = 0; v < g.count; v++) if (!Number.isNaN(standing.y[v]!)) y[v] = standing.y[v]!

  const target = new Float64Array(longest)
  const weight = new Float64Array(longest)
  const pool = new Pool(longest)
  const sweeps = standing ? 6 : g.count > 6000 ? 12 : 20
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const right = sweep % 2 === 0
    const both = standing !== undefined || sweep >= 4
    for (let l = 0; l < order.length; l++) {
      const row = order[right ? l : order.length - 1 - l]!
      let offset = 0
      for (let i = 0; i < row.length; i++) {
        const v = row[i]!
        if (i) offset += apart(row[i - 1]!, v)
        if (standing && !Number.isNaN(standing.y[v]!)) {
          target[i] = standing.y[v]! - offset
          weight[i] = standing.weight[v]!
          continue
        }
        let sum = 0
        let weights = 0
        if (both || right) {
          for (let k = g.up.start[v]!; k < g.up.start[v + 1]!; k++) {
            const s = g.up.list[k]!
            sum += g.weight[s]! * (y[g.a[s]!]! + g.portA[s]! - g.portB[s]!)
            weights += g.weight[s]!
          }
        }
        if (both || !right) {
          for (let k = g.down.start[v]!; k < g.down.start[v + 1]!; k++) {
            const s = g.down.list[k]!
            sum += g.weight[s]! * (y[g.b[s]!]! + g.portB[s]! - g.portA[s]!)
            weights += g.weight[s]!
          }
        }
        target[i] = (weights ? sum / weights : y[v]!) - offset
        weight[i] = weights || 0.1
      }
      pool.solve(target, weight, row.length)
      offset = 0
      for (let i = 0; i < row.length; i++) {
        if (i) offset += apart(row[i - 1]!, row[i]!)
        y[row[i]!] = target[i]! + offset
      }
    }
  }
  return y
}

/** Isotonic regression: the rising sequence nearest to the targets. */
class Pool {
  private readonly mean: Float64Array
  private readonly weight: Float64Array
  private readonly end: Uint32Array

  constructor(size: number) {
    this.mean = new Float64Array(size)
    this.weight = new Float64Array(size)
    this.end = new Uint32Array(size)
  }

  solve(target: Float64Array, weights: Float64Array, count: number): void {
    let blocks = 0
    for (let i = 0; i < count; i++) {
      let mean = target[i]!
      let weight = weights[i]!
      while (blocks && this.mean[blocks - 1]! > mean) {
        blocks--
        const sum = this.weight[blocks]! + weight
        mean = (this.mean[blocks]! * this.weight[blocks]! + mean * weight) / sum
        weight = sum
      }
      this.mean[blocks] = mean
      this.weight[blocks] = weight
      this.end[blocks++] = i + 1
    }
    for (let b = 0, i = 0; b < blocks; b++) while (i < this.end[b]!) target[i++] = this.mean[b]!
  }
}

/**
 * The order of the layers when some vertices have places: these keep their order, and each new vertex comes
 * between them at the place of its neighbours.
 */
export function insertOrder(g: Levels, standing: Float64Array): Order {
  const want = standing.slice()
  const turn = new Uint32Array(g.count)
  const queue = new Uint32Array(g.count)
  let filled = 0
  for (let v = 0; v < g.count; v++) if (!Number.isNaN(want[v]!)) queue[filled++] = v
  for (let i = 0; i < filled; i++) {
    const v = queue[i]!
    turn[v] = i
    for (const [ends, other] of [[g.down, g.b], [g.up, g.a]] as const) {
      for (let k = ends.start[v]!; k < ends.start[v + 1]!; k++) {
        const w = other[ends.list[k]!]!
        if (!Number.isNaN(want[w]!)) continue
        want[w] = middle(g, w, want)
        queue[filled++] = w
      }
    }
  }
  const rows: number[][] = Array.from({ length: g.layers }, () => [])
  for (let v = 0; v < g.count; v++) rows[g.layer[v]!]!.push(v)
  const known = (v: number) => (Number.isNaN(standing[v]!) ? 1 : 0)
  return rows.map((row) => Uint32Array.from(row.sort((v, w) => want[v]! - want[w]! || known(v) - known(w) || turn[v]! - turn[w]!)))
}

function middle(g: Levels, v: number, want: Float64Array): number {
  let sum = 0
  let count = 0
  for (const [ends, other] of [[g.down, g.b], [g.up, g.a]] as const) {
    for (let k = ends.start[v]!; k < ends.start[v + 1]!; k++) {
      const y = want[other[ends.list[k]!]!]!
      if (Number.isNaN(y)) continue
      sum += y
      count++
    }
  }
  return sum / count
}
