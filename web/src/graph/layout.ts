// Layered layout from left to right. It is pure: typed arrays in, typed arrays out, the same answer for the
// same input. It runs in a worker (layout.worker.ts).

import { backEdges, components, layersOf, UNKNOWN } from './layers'
import { makeLevels, type Levels } from './levels'
import { exchange, orderOf } from './order'
import { GAP, insertOrder, place } from './place'

/** The width of every node. */
export const NODE_WIDTH = 240

/**
 * The distance from layer to layer, at least; high graphs have more room, so that their edges are not too
 * steep.
 */
export const PITCH = 350
const WIDEST = 8

export interface LayoutInput {
  heights: Float32Array
  /** Pairs of different nodes, each once. */
  from: Uint32Array
  to: Uint32Array
  /** The average height at which the edges of a pair touch a node, from the top of the node. */
  fromPort: Float32Array
  toPort: Float32Array
  previous?: Placed
  /** The node that does not move; -1 for none. It has an effect only with previous. */
  anchor: number
}

/** Where nodes and chains of an earlier layout stood, by the numbers of this one. */
export interface Placed {
  /** Left and top; NaN for a node that was not in the earlier layout. */
  x: Float32Array
  y: Float32Array
  chains: Chains
  pitch: number
}

/** The places of edges that pass layers: chain c has the points start[c] to start[c + 1] - 1. */
export interface Chains {
  /** Twice the number of the node that the chain belongs to; one more for a chain of edges into the node. */
  key: Float64Array
  start: Uint32Array
  x: Float32Array
  y: Float32Array
}

export interface LayoutResult {
  x: Float32Array
  y: Float32Array
  chains: Chains
  /** The chain that each pair runs along, or -1; the pair uses the part of it between its two ends. */
  chainOf: Int32Array
  /** 1 for a pair that is drawn against the flow, as in a cycle. */
  back: Uint8Array
  /** The distance from the left of a layer to the left of the next. */
  pitch: number
}

const ROOM = 60

export function layout(input: LayoutInput): LayoutResult {
  const count = input.heights.length
  const parts = components(count, input.from, input.to)
  const old = new Uint8Array(parts.count)
  const previous = input.previous
  if (previous) for (let v = 0; v < count; v++) if (!Number.isNaN(previous.x[v]!)) old[parts.of[v]!] = 1

  const nodesOf: number[][] = Array.from({ length: parts.count + 1 }, () => [])
  const pairsOf: number[][] = Array.from({ length: parts.count + 1 }, () => [])
  // Parts that stood together before are laid out together, with one list of layers.
  const part = (v: number) => (old[parts.of[v]!] ? parts.count : parts.of[v]!)
  for (let v = 0; v < count; v++) nodesOf[part(v)]!.push(v)
  for (let p = 0; p < input.from.length; p++) pairsOf[part(input.from[p]!)]!.push(p)

  const done: Part[] = []
  for (let c = 0; c <= parts.count; c++) {
    if (nodesOf[c]!.length) done.push(layoutPart(input, nodesOf[c]!, pairsOf[c]!, c === parts.count))
  }
  return assemble(input, done)
}

interface Part {
  nodes: number[]
  pairs: number[]
  levels: Levels
  back: Uint8Array
  /** The middles of the vertices. */
  y: Float64Array
  /** The place of layer 0, and whether x and y are final. */
  x0: number
  kept: boolean
  top: number
  bottom: number
}

function layoutPart(input: LayoutInput, nodes: number[], pairs: number[], kept: boolean): Part {
  const local = new Map<number, number>()
  for (const [i, v] of nodes.entries()) local.set(v, i)
  const heights = Float32Array.from(nodes, (v) => input.heights[v]!)
  const from = Uint32Array.from(pairs, (p) => local.get(input.from[p]!)!)
  const to = Uint32Array.from(pairs, (p) => local.get(input.to[p]!)!)
  const previous = kept ? input.previous : undefined

  const order = Uint32Array.from(nodes, (_, i) => i)
  if (previous) {
    // Walk from left to right in the old layout, so that an edge that went with the flow still does.
    const x = (i: number) => (Number.isNaN(previous.x[nodes[i]!]!) ? Infinity : previous.x[nodes[i]!]!)
    order.sort((i, j) => (x(i) === x(j) ? i - j : x(i) - x(j)))
  }
  const back = backEdges(nodes.length, from, to, order)
  const a = from.map((v, p) => (back[p] ? to[p]! : v))
  const b = to.map((v, p) => (back[p] ? from[p]! : v))
  const portOf = (p: number, atFrom: boolean) =>
    atFrom ? input.fromPort[pairs[p]!]! - heights[from[p]!]! / 2 : input.toPort[pairs[p]!]! - heights[to[p]!]! / 2
  const portA = Float32Array.from(pairs, (_, p) => portOf(p, !back[p]))
  const portB = Float32Array.from(pairs, (_, p) => portOf(p, !!back[p]))

  let base = 0
  let known: Int32Array | undefined
  if (previous) {
    const anchor = local.get(input.anchor) ?? -1
    base = previous.x[nodes[anchor >= 0 && !Number.isNaN(previous.x[input.anchor]!) ? anchor : firstKnown(nodes, previous)]!]!
    known = Int32Array.from(nodes, (v) => (Number.isNaN(previous.x[v]!) ? UNKNOWN : Math.round((previous.x[v]! - base) / previous.pitch)))
  }
  const layer = layersOf(nodes.length, a, b, known)
  let low = Infinity
  for (const l of layer) low = Math.min(low, l)
  for (let i = 0; i < layer.length; i++) layer[i]! -= low
  const levels = makeLevels(heights, a, b, portA, portB, layer)
  const x0 = base + low * (previous?.pitch ?? PITCH)

  let y: Float64Array
  if (previous) {
    const standing = standingOf(levels, nodes, heights, previous, x0, input.anchor)
    const rows = insertOrder(levels, standing.y)
    exchange(levels, rows, Uint8Array.from(standing.y, (at) => (Number.isNaN(at) ? 0 : 1)))
    y = place(levels, heights, rows, standing)
  } else {
    y = place(levels, heights, orderOf(levels))
  }
  let top = Infinity
  let bottom = -Infinity
  for (let v = 0; v < levels.count; v++) {
    const half = v < nodes.length ? heights[v]! / 2 : 0
    top = Math.min(top, y[v]! - half)
    bottom = Math.max(bottom, y[v]! + half)
  }
  return { nodes, pairs, levels, back, y, x0, kept, top, bottom }
}

function firstKnown(nodes: number[], previous: Placed): number {
  return nodes.findIndex((v) => !Number.isNaN(previous.x[v]!))
}

/**
 * The vertices that stand already: nodes by their tops (they grow downwards), edges by their places in the
 * layers.
 */
function standingOf(g: Levels, nodes: number[], heights: Float32Array, previous: Placed, x0: number, anchor: number) {
  const y = new Float64Array(g.count).fill(NaN)
  const weight = new Float64Array(g.count).fill(1)
  for (const [i, v] of nodes.entries()) {
    y[i] = previous.y[v]! + heights[i]! / 2
    weight[i] = v === anchor ? 1e9 : 50
  }
  const places = new Map<string, number>()
  const { chains } = previous
  for (let c = 0; c < chains.key.length; c++) {
    for (let i = chains.start[c]!; i < chains.start[c + 1]!; i++) {
      places.set(`${chains.key[c]!} ${Math.round((chains.x[i]! - x0) / previous.pitch)}`, chains.y[i]!)
    }
  }
  for (let c = 0; c < g.chainFirst.length; c++) {
    const own = g.chainKey[c]!
    const key = 2 * nodes[own >> 1]! + (own & 1)
    const end = c + 1 < g.chainFirst.length ? g.chainFirst[c + 1]! : g.count
    for (let v = g.chainFirst[c]!; v < end; v++) {
      const at = places.get(`${key} ${g.layer[v]!}`)
      if (at === undefined) continue
      y[v] = at
      weight[v] = 5
    }
  }
  return { y, weight }
}

/** Puts the parts together: old parts keep their places, new parts are packed into shelves below. */
function assemble(input: LayoutInput, parts: Part[]): LayoutResult {
  const count = input.heights.length
  const x = new Float32Array(count)
  const y = new Float32Array(count)
  const chainOf = new Int32Array(input.from.length).fill(-1)
  const back = new Uint8Array(input.from.length)

  const keys: number[] = []
  const starts: number[] = [0]
  const xs: number[] = []
  const ys: number[] = []
  const pitch = input.previous?.pitch ?? pitchOf(parts)
  for (const [part, at] of pack(parts, pitch)) {
    const { levels: g, nodes, pairs } = part
    for (const [i, v] of nodes.entries()) {
      x[v] = at.x + g.layer[i]! * pitch
      y[v] = at.y + part.y[i]! - input.heights[v]! / 2
    }
    const firstChain = keys.length
    for (let c = 0; c < g.chainFirst.length; c++) {
      const end = c + 1 < g.chainFirst.length ? g.chainFirst[c + 1]! : g.count
      for (let v = g.chainFirst[c]!; v < end; v++) {
        xs.push(at.x + g.layer[v]! * pitch)
        ys.push(at.y + part.y[v]!)
      }
      keys.push(2 * nodes[g.chainKey[c]! >> 1]! + (g.chainKey[c]! & 1))
      starts.push(xs.length)
    }
    for (const [i, p] of pairs.entries()) {
      back[p] = part.back[i]!
      if (g.chainOf[i]! >= 0) chainOf[p] = firstChain + g.chainOf[i]!
    }
  }

  const result: LayoutResult = {
    x,
    y,
    chains: { key: Float64Array.from(keys), start: Uint32Array.from(starts), x: Float32Array.from(xs), y: Float32Array.from(ys) },
    chainOf,
    back,
    pitch,
  }
  const { anchor, previous } = input
  if (previous && anchor >= 0 && !Number.isNaN(previous.x[anchor]!)) {
    move(result, previous.x[anchor]! - x[anchor]!, previous.y[anchor]! - y[anchor]!)
    x[anchor] = previous.x[anchor]!
    y[anchor] = previous.y[anchor]!
  }
  return result
}

function move(result: LayoutResult, dx: number, dy: number): void {
  if (!dx && !dy) return
  for (const list of [result.x, result.chains.x]) for (let i = 0; i < list.length; i++) list[i]! += dx
  for (const list of [result.y, result.chains.y]) for (let i = 0; i < list.length; i++) list[i]! += dy
}

/** Wider layers for a graph that is much higher than wide. */
function pitchOf(parts: Part[]): number {
  let ratio = 1
  for (const part of parts) ratio = Math.max(ratio, (part.bottom - part.top) / (part.levels.layers * PITCH))
  return NODE_WIDTH + Math.round((PITCH - NODE_WIDTH) * Math.min(WIDEST, ratio ** 0.75))
}

/**
 * Old parts keep their places. New parts are put into shelves, the tallest first: beside each other until a
 * shelf is as wide as the whole should be, and below each other where a shelf has room.
 */
function pack(parts: Part[], pitch: number): [Part, { x: number; y: number }][] {
  const placed: [Part, { x: number; y: number }][] = []
  let left = 0
  let top = 0
  for (const part of parts.filter((one) => one.kept)) {
    placed.push([part, { x: part.x0, y: 0 }])
    left = part.x0
    top = part.bottom + ROOM
  }
  const fresh = parts.filter((part) => !part.kept)
  const width = (part: Part) => part.levels.layers * pitch
  const height = (part: Part) => part.bottom - part.top + (part.nodes.length > 1 ? ROOM : GAP.node)
  let area = 0
  let widest = 0
  for (const part of fresh) {
    area += width(part) * height(part)
    widest = Math.max(widest, width(part))
  }
  const row = Math.max(widest, Math.ceil(Math.sqrt(area * 1.6) / pitch) * pitch)
  fresh.sort((p, q) => height(q) - height(p) || q.nodes.length - p.nodes.length || p.nodes[0]! - q.nodes[0]!)
  let shelf = 0
  // The column of parts that is being filled: where it begins, how wide and how full it is.
  let at = 0
  let wide = 0
  let full = 0
  for (const part of fresh) {
    if (full + height(part) > shelf || at + Math.max(wide, width(part)) > row) {
      at += wide
      wide = 0
      full = 0
    }
    if (at && at + width(part) > row) {
      top += shelf
      shelf = 0
      at = 0
    }
    placed.push([part, { x: left + at, y: top + full - part.top }])
    full += height(part)
    wide = Math.max(wide, width(part))
    shelf = Math.max(shelf, full)
  }
  return placed
}
