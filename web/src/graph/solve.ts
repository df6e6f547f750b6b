// The work of the layout's worker: the places of the nodes, and indexes to find nodes and lines by place.

import Flatbush from 'flatbush'
import { layout, NODE_WIDTH, type LayoutInput, type LayoutResult } from './layout'
import { REACH } from './routes'

/** A job for the worker. Pairs of a node with itself follow the other pairs. */
export interface Job extends LayoutInput {
  loops: Uint32Array
}

export interface Solved extends LayoutResult {
  /** Search trees of the nodes, and of the lines of all pairs; null if there is none. */
  nodeTree: ArrayBuffer | null
  pairTree: ArrayBuffer | null
  /** The box around the drawing. */
  bounds: Box
  milliseconds: number
}

export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

export function solve(job: Job): Solved {
  const started = performance.now()
  const result = layout(job)
  const { x, y } = result
  const count = job.heights.length
  const bounds: Box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity }
  const grow = (left: number, top: number, right: number, bottom: number) => {
    bounds.left = Math.min(bounds.left, left)
    bounds.top = Math.min(bounds.top, top)
    bounds.right = Math.max(bounds.right, right)
    bounds.bottom = Math.max(bounds.bottom, bottom)
  }

  const nodes = count ? new Flatbush(count, 16, Float32Array) : null
  for (let v = 0; v < count; v++) {
    nodes!.add(x[v]!, y[v]!, x[v]! + NODE_WIDTH, y[v]! + job.heights[v]!)
    grow(x[v]!, y[v]!, x[v]! + NODE_WIDTH, y[v]! + job.heights[v]!)
  }
  nodes?.finish()

  const proper = job.from.length
  const total = proper + job.loops.length
  const pairs = total ? new Flatbush(total, 16, Float32Array) : null
  for (let p = 0; p < total; p++) {
    const a = p < proper ? job.from[p]! : job.loops[p - proper]!
    const b = p < proper ? job.to[p]! : a
    let left = Math.min(x[a]!, x[b]!)
    let right = Math.max(x[a]!, x[b]!) + NODE_WIDTH
    let top = Math.min(y[a]!, y[b]!)
    let bottom = Math.max(y[a]! + job.heights[a]!, y[b]! + job.heights[b]!)
    const chain = p < proper ? result.chainOf[p]! : -1
    if (chain >= 0) {
      for (let i = result.chains.start[chain]!; i < result.chains.start[chain + 1]!; i++) {
        const cx = result.chains.x[i]!
        if (cx < left || cx > right) continue
        top = Math.min(top, result.chains.y[i]!)
        bottom = Math.max(bottom, result.chains.y[i]!)
      }
    }
    if (p >= proper || result.back[p]) {
      left -= REACH
      right += REACH
      bottom += REACH
    } else {
      left = x[a]! + NODE_WIDTH
      right = x[b]!
    }
    pairs!.add(left, top, right, bottom)
    grow(left, top, right, bottom)
  }
  pairs?.finish()
  if (!count) Object.assign(bounds, { left: 0, top: 0, right: 0, bottom: 0 })
  return {
    ...result,
    nodeTree: nodes ? (nodes.data as ArrayBuffer) : null,
    pairTree: pairs ? (pairs.data as ArrayBuffer) : null,
    bounds,
    milliseconds: performance.now() - started,
  }
}

/** The buffers of an answer, which are moved to the page and not copied. */
export function moved(solved: Solved): ArrayBuffer[] {
  const lists = [solved.x, solved.y, solved.chainOf, solved.back, ...Object.values(solved.chains)] as { buffer: ArrayBuffer }[]
  return [...lists.map((list) => list.buffer), solved.nodeTree, solved.pairTree].filter((one) => one !== null)
}
