// A layered graph: nodes and, where an edge passes through a layer, a place for it. Edges
// that pass several layers share their places with the other long edges of the same node, so
// that a hub has one line that fans out and not a hundred beside each other.

import { endsOf, type Ends } from './layers'

export interface Levels {
  /** Vertices: first the nodes, then the places of edges. */
  count: number
  nodes: number
  /** The layer of each vertex, counted from 0. */
  layer: Int32Array
  layers: number
  /** Segments between vertices of neighbouring layers. */
  a: Uint32Array
  b: Uint32Array
  /** The heights at which segments touch, from the middle of the vertex. */
  portA: Float32Array
  portB: Float32Array
  weight: Float32Array
  /** Segments by their right and left ends. */
  up: Ends
  down: Ends
  /** The chain that each pair uses, or -1, and each chain's first vertex and layer. */
  chainOf: Int32Array
  chainFirst: Uint32Array
  chainLayer: Int32Array
  /** twice the node that the chain belongs to; one more if it leads to the node. */
  chainKey: Uint32Array
}

interface Chain {
  key: number
  low: number
  high: number
  pairs: number[]
}

/** The number of places that edges may have. If more are needed, the longest chains get none. */
export function placesAllowed(nodes: number): number {
  return 20_000 + 2 * nodes
}

export function makeLevels(
  heights: Float32Array,
  a: Uint32Array,
  b: Uint32Array,
  portA: Float32Array,
  portB: Float32Array,
  layer: Int32Array,
): Levels {
  const nodes = heights.length
  const pairs = a.length
  const longOut = new Uint32Array(nodes)
  const longIn = new Uint32Array(nodes)
  for (let p = 0; p < pairs; p++) {
    if (layer[b[p]!]! - layer[a[p]!]! < 2) continue
    longOut[a[p]!]!++
    longIn[b[p]!]!++
  }
  const byKey = new Map<number, Chain>()
  const chainOf = new Int32Array(pairs).fill(-1)
  for (let p = 0; p < pairs; p++) {
    const low = layer[a[p]!]! + 1
    const high = layer[b[p]!]! - 1
    if (high < low) continue
    const key = longIn[b[p]!]! > longOut[a[p]!]! ? 2 * b[p]! + 1 : 2 * a[p]!
    const chain = byKey.get(key)
    if (chain) {
      chain.low = Math.min(chain.low, low)
      chain.high = Math.max(chain.high, high)
      chain.pairs.push(p)
    } else byKey.set(key, { key, low, high, pairs: [p] })
  }
  let chains = [...byKey.values()]
  let places = 0
  for (const chain of chains) places += chain.high - chain.low + 1
  if (places > placesAllowed(nodes)) {
    chains.sort((x, y) => x.high - x.low - (y.high - y.low) || x.key - y.key)
    let left = placesAllowed(nodes)
    chains = chains.filter((chain) => (left -= chain.high - chain.low + 1) >= 0)
    places = 0
    for (const chain of chains) places += chain.high - chain.low + 1
  }

  const count = nodes + places
  const layers = new Int32Array(count)
  layers.set(layer)
  const segments: { a: number; b: number; pa: number; pb: number; w: number }[] = []
  const chainFirst = new Uint32Array(chains.length)
  const chainLayer = new Int32Array(chains.length)
  const chainKey = new Uint32Array(chains.length)
  let vertex = nodes
  for (const [c, chain] of chains.entries()) {
    const owner = chain.key >> 1
    const leads = chain.key & 1
    const first = vertex
    chainFirst[c] = first
    chainLayer[c] = chain.low
    chainKey[c] = chain.key
    for (let l = chain.low; l <= chain.high; l++) {
      layers[vertex] = l
      if (l > chain.low) segments.push({ a: vertex - 1, b: vertex, pa: 0, pb: 0, w: 8 })
      vertex++
    }
    let port = 0
    for (const p of chain.pairs) {
      chainOf[p] = c
      if (leads) segments.push({ a: a[p]!, b: first + layer[a[p]!]! + 1 - chain.low, pa: portA[p]!, pb: 0, w: 1 })
      else segments.push({ a: first + layer[b[p]!]! - 1 - chain.low, b: b[p]!, pa: 0, pb: portB[p]!, w: 1 })
      port += (leads ? portB : portA)[p]! / chain.pairs.length
    }
    if (leads) segments.push({ a: vertex - 1, b: owner, pa: 0, pb: port, w: 2 })
    else segments.push({ a: owner, b: first, pa: port, pb: 0, w: 2 })
  }
  for (let p = 0; p < pairs; p++) {
    if (layer[b[p]!]! - layer[a[p]!]! === 1) segments.push({ a: a[p]!, b: b[p]!, pa: portA[p]!, pb: portB[p]!, w: 1 })
  }

  let max = 0
  for (let v = 0; v < nodes; v++) max = Math.max(max, layer[v]!)
  const segA = Uint32Array.from(segments, (s) => s.a)
  const segB = Uint32Array.from(segments, (s) => s.b)
  return {
    count,
    nodes,
    layer: layers,
    layers: max + 1,
    a: segA,
    b: segB,
    portA: Float32Array.from(segments, (s) => s.pa),
    portB: Float32Array.from(segments, (s) => s.pb),
    weight: Float32Array.from(segments, (s) => s.w),
    up: endsOf(count, segB),
    down: endsOf(count, segA),
    chainOf,
    chainFirst,
    chainLayer,
    chainKey,
  }
}
