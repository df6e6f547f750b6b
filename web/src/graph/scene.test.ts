import { describe, expect, it } from 'vitest'
import { NODE_WIDTH } from './layout'
import { BAR, columnsTop, HEADER, ROW, ROWS } from './measure'
import { between, MORE } from './scene'
import { step } from './steps'
import { sameShape, structureOf } from './structure'
import { anyGraph, edgesOf, graphOf, nodeOf, random, solved } from './testing'

const top = () => 0
const columns = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `c${i}`, name: `c${i}` }))

describe('culling', () => {
  it('finds the nodes and the lines of a part as a look at each of them does', () => {
    const graph = anyGraph(5, 300, 450)
    const { structure: s, scene } = solved(graph)
    const next = random(9)
    const { bounds } = scene.solved
    let found = 0
    for (let i = 0; i < 50; i++) {
      const left = bounds.left + next() * (bounds.right - bounds.left)
      const up = bounds.top + next() * (bounds.bottom - bounds.top)
      const box = { left, top: up, right: left + 900, bottom: up + 500 }
      const expected = s.nodes.map((_, v) => v).filter((v) => {
        const at = scene.boxOf(v)
        return at.left <= box.right && at.right >= box.left && at.top <= box.bottom && at.bottom >= box.top
      })
      expect(scene.nodesIn(box).sort((a, b) => a - b)).toEqual(expected)
      found += expected.length
      // Every line that begins or ends within the part must be among the pairs to draw.
      const pairs = new Set(scene.pairsIn(box))
      for (let p = 0; p < s.proper; p++) {
        for (const [x, y] of [[scene.solved.x[s.from[p]!]! + NODE_WIDTH, scene.solved.y[s.from[p]!]! + 28], [scene.solved.x[s.to[p]!]!, scene.solved.y[s.to[p]!]! + 28]] as const) {
          if (x >= box.left && x <= box.right && y >= box.top && y <= box.bottom) expect(pairs.has(p)).toBe(true)
        }
      }
    }
    expect(found).toBeGreaterThan(50)
    expect(scene.nodesIn(bounds)).toHaveLength(300)
    expect(scene.pairsIn(bounds)).toHaveLength(s.from.length)
  })

  it('of nothing is nothing', () => {
    const { scene } = solved({ nodes: [], edges: [] })
    expect(scene.nodesIn({ left: -1, top: -1, right: 1, bottom: 1 })).toEqual([])
    expect(scene.at(0, 0, 6, true, top)).toBeNull()
    expect(scene.nearest(0, 0)).toBe(-1)
  })
})

describe('what is at a point', () => {
  const open = nodeOf('a', { columns: columns(30), moreUp: 3, moreDown: 4, badges: [{ label: 'PII' }] })
  const { scene } = solved({
    nodes: [open, nodeOf('b', { columns: columns(3) }), nodeOf('c')],
    edges: [
      { id: 'whole', from: 'a', to: 'b' },
      { id: 'one', from: 'a', to: 'b', fromColumn: 'c1', toColumn: 'c2' },
      { id: 'loop', from: 'c', to: 'c' },
    ],
  })
  const x = scene.solved.x[0]!
  const y = scene.solved.y[0]!
  const list = y + columnsTop(open)

  it('a header, the bar, a column, the arrows that scroll', () => {
    expect(scene.at(x + 100, y + 10, 6, true, top)).toEqual({ part: 'node', node: 0 })
    expect(scene.at(x + 60, list - BAR / 2, 6, true, top)).toEqual({ part: 'bar', node: 0 })
    expect(scene.at(x + 60, list + ROW * 4 + 3, 6, true, top)).toEqual({ part: 'column', node: 0, row: 4 })
    expect(scene.at(x + 60, list + ROW * 4 + 3, 6, true, () => 10)).toEqual({ part: 'column', node: 0, row: 14 })
    expect(scene.at(x + NODE_WIDTH - 12, list - BAR / 2, 6, true, top)).toEqual({ part: 'page', node: 0, by: ROWS })
    expect(scene.at(x + NODE_WIDTH - 40, list - BAR / 2, 6, true, top)).toEqual({ part: 'page', node: 0, by: -ROWS })
  })

  it('the handles at both sides, also where they stand out', () => {
    const at = y + HEADER - MORE.rise
    expect(scene.at(x - 10, at, 6, true, top)).toEqual({ part: 'more', node: 0, direction: 'up' })
    expect(scene.at(x + NODE_WIDTH + 10, at, 6, true, top)).toEqual({ part: 'more', node: 0, direction: 'down' })
    expect(scene.at(x - 10, at, 6, false, top)).toBeNull()
  })

  it('far away, only the node', () => {
    expect(scene.at(x + 60, list + ROW, 6, false, top)).toEqual({ part: 'node', node: 0 })
  })

  it('an edge between columns, one between nodes, and one that leads back to its node', () => {
    const b = { x: scene.solved.x[1]!, y: scene.solved.y[1]! }
    const port = b.y + columnsTop(scene.structure.nodes[1]!) + ROW * 2.5
    const ids = (hit: ReturnType<typeof scene.at>) => (hit?.part === 'edges' ? hit.edges.map((edge) => edge.id) : hit)
    expect(ids(scene.at(b.x - 5, port, 6, true, top))).toEqual(['one'])
    expect(ids(scene.at(b.x - 5, b.y + HEADER / 2, 6, true, top))).toEqual(['whole'])
    expect(ids(scene.at(b.x - 5, b.y - 40, 6, true, top))).toBeNull()
    const c = { x: scene.solved.x[2]!, y: scene.solved.y[2]! }
    expect(ids(scene.at(c.x + 120, c.y + HEADER + 13, 6, true, top))).toEqual(['loop'])
  })

  it('an edge to a column that was scrolled away ends at the end of the list', () => {
    const lines = scene.lines(0, (id) => (id === 'a' ? 10 : 0), true)
    expect(lines.map((line) => [line.column, line.from])).toEqual([
      [false, HEADER / 2],
      [true, columnsTop(open)],
    ])
  })
})

describe('the structure of a graph', () => {
  it('gathers edges into pairs, leaves out unknown ends and takes nodes once', () => {
    const s = structureOf({ nodes: [nodeOf('a'), nodeOf('b'), nodeOf('a')], edges: edgesOf([['a', 'b'], ['a', 'b'], ['a', 'x'], ['b', 'b'], ['b', 'a']]) })
    expect(s.nodes).toHaveLength(2)
    expect(s.edges).toHaveLength(4)
    expect(s.proper).toBe(2)
    expect([...s.from]).toEqual([0, 1, 1])
    expect([...s.to]).toEqual([1, 0, 1])
    expect([...s.edgeStart]).toEqual([0, 2, 3, 4])
    expect([...s.edgesOf].map((e) => s.edges[e]!.id)).toEqual(['e0', 'e1', 'e4', 'e3'])
  })

  it('has the same shape when only looks differ', () => {
    const graph = graphOf(3, [[0, 1], [1, 2]])
    const dim = { ...graph, nodes: graph.nodes.map((node) => ({ ...node, dim: true, title: 'other' })) }
    expect(sameShape(structureOf(graph), structureOf(dim))).toBe(true)
    const opened = { ...graph, nodes: graph.nodes.map((node, i) => (i ? node : { ...node, columns: columns(2) })) }
    expect(sameShape(structureOf(graph), structureOf(opened))).toBe(false)
    const renamed = { ...graph, nodes: [nodeOf('x'), ...graph.nodes.slice(1)] }
    expect(sameShape(structureOf(graph), structureOf(renamed))).toBe(false)
  })
})

describe('steps by arrow keys', () => {
  it('follow edges to the nearest, and layers up and down', () => {
    const { scene, result, structure } = solved(graphOf(5, [[0, 1], [0, 2], [0, 3], [2, 4]]))
    const rows = [1, 2, 3].sort((a, b) => result.y[a]! - result.y[b]!)
    expect(step(scene, 0, 'right')).toBe(2)
    expect(step(scene, 2, 'left')).toBe(0)
    expect(step(scene, 2, 'right')).toBe(4)
    expect(step(scene, rows[0]!, 'down')).toBe(rows[1])
    expect(step(scene, rows[2]!, 'up')).toBe(rows[1])
    expect(step(scene, rows[0]!, 'up')).toBe(-1)
    expect(step(scene, structure.index.get('0')!, 'left')).toBe(-1)
  })
})

describe('positions between two layouts', () => {
  it('go from the old to the new, and new nodes are where they belong', () => {
    const old = { x: Float32Array.from([0, NaN]), y: Float32Array.from([10, NaN]) }
    const now = { x: Float32Array.from([100, 50]), y: Float32Array.from([20, 60]) }
    expect(between(old, now, 0.5)).toEqual({ x: Float32Array.from([50, 50]), y: Float32Array.from([15, 60]) })
    expect(between(old, now, 1)).toBe(now)
  })
})
