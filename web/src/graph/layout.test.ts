import { describe, expect, it } from 'vitest'
import { jobOf } from './job'
import { backEdges, endsOf, layersOf, topological } from './layers'
import { NODE_WIDTH, PITCH } from './layout'
import { makeLevels, placesAllowed } from './levels'
import { crossings, firstOrder, orderOf, positions, type Order } from './order'
import type { Levels } from './levels'
import { structureOf } from './structure'
import { anyGraph, graphOf, nodeOf, random, solved } from './testing'
import type { Graph } from './types'

/** Pairs of nodes that overlap, found layer by layer. */
function overlaps(graph: Graph, at = solved(graph)): string[] {
  const { structure, result } = at
  const layers = new Map<number, number[]>()
  for (let v = 0; v < structure.nodes.length; v++) {
    const x = Math.round(result.x[v]!)
    layers.set(x, [...(layers.get(x) ?? []), v])
  }
  const found: string[] = []
  const xs = [...layers.keys()].sort((a, b) => a - b)
  for (let i = 1; i < xs.length; i++) if (xs[i]! - xs[i - 1]! < NODE_WIDTH) found.push(`layers ${xs[i - 1]} ${xs[i]}`)
  for (const row of layers.values()) {
    row.sort((v, w) => result.y[v]! - result.y[w]!)
    for (let i = 1; i < row.length; i++) {
      if (result.y[row[i - 1]!]! + structure.heights[row[i - 1]!]! > result.y[row[i]!]!) found.push(`${row[i - 1]} ${row[i]}`)
    }
  }
  return found
}

function levelsOf(graph: Graph): Levels {
  const job = jobOf(structureOf(graph), null, -1)
  const order = Uint32Array.from(graph.nodes, (_, i) => i)
  const back = backEdges(order.length, job.from, job.to, order)
  const a = job.from.map((v, p) => (back[p] ? job.to[p]! : v))
  const b = job.to.map((v, p) => (back[p] ? job.from[p]! : v))
  return makeLevels(job.heights, a, b, job.fromPort, job.toPort, layersOf(order.length, a, b))
}

const seeds = [1, 2, 3, 4, 5, 6, 7, 8]

describe('a layout', () => {
  it.each(seeds)('of any graph has no overlaps, and edges go to the right but in cycles (seed %i)', (seed) => {
    const graph = anyGraph(seed, 20 + seed * 20, 30 + seed * 25)
    const at = solved(graph)
    expect(overlaps(graph, at)).toEqual([])
    const { structure: s, result } = at
    let forward = 0
    for (let p = 0; p < s.proper; p++) {
      const right = result.x[s.to[p]!]! - result.x[s.from[p]!]!
      if (result.back[p]) expect(right).toBeLessThanOrEqual(-result.pitch)
      else expect(right).toBeGreaterThanOrEqual(result.pitch)
      forward += result.back[p] ? 0 : 1
    }
    expect(forward).toBeGreaterThan(s.proper / 2)
  })

  it('of a graph without cycles turns no edge around', () => {
    const next = random(11)
    const pairs = Array.from({ length: 400 }, () => {
      const a = Math.floor(next() * 199)
      return [a, a + 1 + Math.floor(next() * (199 - a))] as const
    })
    const { result } = solved(graphOf(200, pairs))
    expect(result.back.some((one) => one === 1)).toBe(false)
  })

  it('is the same for the same graph', () => {
    for (const seed of seeds) {
      const graph = anyGraph(seed, 80, 120)
      const one = solved(graph).result
      const other = solved(structuredClone(graph)).result
      expect(other.x).toEqual(one.x)
      expect(other.y).toEqual(one.y)
      expect(other.chains).toEqual(one.chains)
    }
  })

  it('turns one edge of a cycle around, and none is lost', () => {
    const { result } = solved(graphOf(3, [[0, 1], [1, 2], [2, 0]]))
    expect([...result.back]).toEqual([0, 0, 1])
    expect([...result.x]).toEqual([0, PITCH, 2 * PITCH])
  })

  it('puts a source beside what it feeds, not at the far left', () => {
    const { result } = solved(graphOf(5, [[0, 1], [1, 2], [2, 3], [4, 3]]))
    expect(result.x[4]).toBe(result.x[2])
  })

  it('draws a tree without crossings, its root in the middle of its children', () => {
    const pairs: [number, number][] = []
    for (let v = 1; v < 121; v++) pairs.push([Math.floor((v - 1) / 3), v])
    const graph = graphOf(121, pairs)
    const levels = levelsOf(graph)
    expect(crossings(levels, orderOf(levels))).toBe(0)
    const { result } = solved(graph)
    expect(result.y[0]).toBeCloseTo((result.y[1]! + result.y[3]!) / 2, 0)
  })

  it('sorts away the crossings of a knot', () => {
    // Two rows whose order is turned around.
    const graph = graphOf(40, Array.from({ length: 20 }, (_, i) => [i, 39 - i] as const))
    const levels = levelsOf(graph)
    expect(crossings(levels, orderOf(levels))).toBe(0)
  })

  it('has no more crossings than its first order, and counts them right', () => {
    for (const seed of seeds) {
      const levels = levelsOf(anyGraph(seed, 60, 110))
      const first = firstOrder(levels)
      const last = orderOf(levels)
      expect(crossings(levels, first)).toBe(slowCrossings(levels, first))
      expect(crossings(levels, last)).toBe(slowCrossings(levels, last))
      expect(crossings(levels, last)).toBeLessThan(crossings(levels, first))
    }
  })

  it('keeps places free where edges pass a layer', () => {
    const graph = graphOf(6, [[0, 1], [1, 2], [2, 3], [0, 3], [0, 4], [4, 5]])
    const { structure, result } = solved(graph)
    const chain = result.chainOf[3]!
    expect(chain).toBeGreaterThanOrEqual(0)
    for (let i = result.chains.start[chain]!; i < result.chains.start[chain + 1]!; i++) {
      for (let v = 0; v < 6; v++) {
        if (result.x[v] !== result.chains.x[i]) continue
        const y = result.chains.y[i]!
        expect(y < result.y[v]! || y > result.y[v]! + structure.heights[v]!).toBe(true)
      }
    }
  })

  it('packs what is not connected without overlaps, in about the shape of a screen', () => {
    const graph = graphOf(900, Array.from({ length: 300 }, (_, i) => [i * 3, i * 3 + 1] as const))
    expect(overlaps(graph)).toEqual([])
    const { bounds } = solved(graph).result
    const shape = (bounds.right - bounds.left) / (bounds.bottom - bounds.top)
    expect(shape).toBeGreaterThan(0.5)
    expect(shape).toBeLessThan(4)
  })

  it('takes an empty graph and a single node with an edge to itself', () => {
    expect(solved({ nodes: [], edges: [] }).result.bounds).toEqual({ left: 0, top: 0, right: 0, bottom: 0 })
    const { structure, result } = solved(graphOf(1, [[0, 0]]))
    expect(structure.proper).toBe(0)
    expect([...result.x, ...result.y]).toEqual([0, 0])
  })
})

describe('a layout anew', () => {
  it.each(seeds)('does not move the anchor and keeps the order of the others (seed %i)', (seed) => {
    const graph = anyGraph(seed, 60, 70)
    const before = solved(graph)
    const anchor = String(seed * 5)
    const added = Array.from({ length: 12 }, (_, i) => nodeOf(`new${i}`))
    const after = solved(
      { nodes: [...added, ...graph.nodes], edges: [...graph.edges, ...added.map((node, i) => ({ id: node.id, from: i % 2 ? anchor : node.id, to: i % 2 ? node.id : anchor }))] },
      before.scene,
      anchor,
    )
    const place = (one: typeof before, id: string) => {
      const v = one.structure.index.get(id)!
      return [one.result.x[v]!, one.result.y[v]!] as const
    }
    expect(place(after, anchor)).toEqual(place(before, anchor))
    expect(overlaps(graph, after)).toEqual([])
    for (const a of graph.nodes) {
      expect(place(after, a.id)[0]).toBe(place(before, a.id)[0])
      for (const b of graph.nodes) {
        if (place(before, a.id)[0] !== place(before, b.id)[0] || place(before, a.id)[1] >= place(before, b.id)[1]) continue
        expect(place(after, a.id)[1]).toBeLessThan(place(after, b.id)[1])
      }
    }
  })

  it('moves nothing where there is room', () => {
    const graph = graphOf(4, [[0, 1], [0, 2], [2, 3]])
    const before = solved(graph)
    const after = solved({ nodes: [...graph.nodes, nodeOf('4')], edges: [...graph.edges, { id: 'n', from: '3', to: '4' }] }, before.scene, '3')
    expect([...after.result.x.slice(0, 4)]).toEqual([...before.result.x])
    expect([...after.result.y.slice(0, 4)]).toEqual([...before.result.y])
  })

  it('makes room below a node that opens its columns, and its top stays', () => {
    const graph = graphOf(4, [[0, 1], [0, 2], [0, 3]])
    const before = solved(graph)
    const columns = Array.from({ length: 12 }, (_, i) => ({ id: `c${i}`, name: `c${i}` }))
    const open = { ...graph, nodes: graph.nodes.map((node) => (node.id === '2' ? { ...node, columns } : node)) }
    const after = solved(open, before.scene, '2')
    expect(after.result.y[2]).toBe(before.result.y[2])
    expect(overlaps(open, after)).toEqual([])
  })

  it('puts a new edge to the right even when its ends stood side by side', () => {
    const graph = graphOf(3, [[0, 1], [0, 2]])
    const before = solved(graph)
    const after = solved({ ...graph, edges: [...graph.edges, { id: 'n', from: '1', to: '2' }] }, before.scene, '0')
    expect(after.result.x[2]! - after.result.x[1]!).toBe(after.result.pitch)
    expect([after.result.x[0], after.result.y[0]]).toEqual([before.result.x[0], before.result.y[0]])
  })

  it('keeps the anchor when it is pushed itself', () => {
    const graph = graphOf(2, [[0, 1]])
    const before = solved(graph)
    const after = solved({ nodes: [...graph.nodes, nodeOf('2')], edges: [...graph.edges, { id: 'a', from: '0', to: '2' }, { id: 'b', from: '2', to: '1' }] }, before.scene, '1')
    expect([after.result.x[1], after.result.y[1]]).toEqual([before.result.x[1], before.result.y[1]])
    expect(after.result.x[1]! - after.result.x[0]!).toBe(2 * after.result.pitch)
  })
})

describe('large graphs', () => {
  it('a chain of 5,000 is laid out without recursion, in a row', () => {
    const graph = graphOf(5000, Array.from({ length: 4999 }, (_, i) => [i, i + 1] as const))
    const { result } = solved(graph)
    expect(result.x[4999]! - result.x[0]!).toBe(4999 * result.pitch)
    expect(Math.max(...result.y) - Math.min(...result.y)).toBeLessThan(1)
  })

  it('a star of 5,000 has one layer of children and no overlaps', () => {
    const graph = graphOf(5001, Array.from({ length: 5000 }, (_, i) => [0, i + 1] as const))
    expect(overlaps(graph)).toEqual([])
  })

  it('the places of long edges are bounded, whatever the edges', () => {
    // A chain with an edge from each node to the last, and 3,000 that jump anywhere.
    const next = random(3)
    const pairs: [number, number][] = []
    for (let v = 0; v + 1 < 3000; v++) pairs.push([v, v + 1], [v, 2999])
    for (let i = 0; i < 3000; i++) {
      const a = Math.floor(next() * 2998)
      pairs.push([a, a + 1 + Math.floor(next() * (2999 - a))])
    }
    const levels = levelsOf(graphOf(3000, pairs))
    expect(levels.count - levels.nodes).toBeLessThanOrEqual(placesAllowed(3000))
    expect(levels.layers).toBe(3000)
    // Long edges to the same node share their places: there are fewer segments than one place for each edge
    // would make.
    expect(levels.a.length).toBeLessThan(2 * levels.count + pairs.length)
  })

  it('a long edge of a hub shares its places with the others', () => {
    const pairs: [number, number][] = []
    for (let v = 0; v < 50; v++) pairs.push([v, v + 1])
    for (let v = 2; v <= 50; v++) pairs.push([0, v])
    const levels = levelsOf(graphOf(51, pairs))
    expect(levels.count - levels.nodes).toBe(49)
  })
})

describe('the parts', () => {
  it('a topological order has each edge forward', () => {
    const from = Uint32Array.from([3, 2, 0, 0])
    const to = Uint32Array.from([2, 1, 3, 1])
    expect([...topological(4, from, to, endsOf(4, from))]).toEqual([0, 3, 2, 1])
  })
})

function slowCrossings(g: Levels, order: Order): number {
  const at = positions(g, order)
  let sum = 0
  for (let i = 0; i < g.a.length; i++) {
    for (let j = i + 1; j < g.a.length; j++) {
      if (g.layer[g.a[i]!] !== g.layer[g.a[j]!]) continue
      if ((at[g.a[i]!]! - at[g.a[j]!]!) * (at[g.b[i]!]! - at[g.b[j]!]!) < 0) sum++
    }
  }
  return sum
}
