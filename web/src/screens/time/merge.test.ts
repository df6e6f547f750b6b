import { expect, it } from 'vitest'
import { around, changedAt, merge, type Answer, type Diff, type Link, type Node } from './merge'

function node(urn: string, degree = 0): Node {
  return { urn, type: 'dataset', subType: null, name: urn, platformName: 'Snowflake', parent: null, degree, exists: true, removed: false, owners: [] }
}

function link(upstream: string, downstream: string, since = 0, more: Partial<Link> = {}): Link {
  return { upstream, downstream, type: 'DownstreamOf', since, sinceRun: null, sinceActor: null, until: null, untilRun: null, untilActor: null, ...more }
}

const answer = (nodes: Node[], edges: Link[]): Answer => ({ nodes, edges, total: nodes.length, partial: false, reason: null, note: null })
const diff = (more: Partial<Diff>): Diff => ({ added: [], ended: [], moved: [], edgesAdded: [], edgesEnded: [], partial: false, reason: null, note: null, ...more })
const from = 100

it('shows what was added, and keeps what ended', () => {
  const at = answer([node('orders'), node('daily', 1)], [link('orders', 'daily', 150)])
  const merged = merge(at, [diff({ added: [node('daily')], ended: [node('raw', -1)], edgesAdded: [link('orders', 'daily', 150)], edgesEnded: [link('raw', 'orders', 5, { until: 160 })] })], from, 'orders')
  expect(merged.graph.nodes.map(({ id, change, start }) => [id, change, start])).toEqual([
    ['orders', undefined, true],
    ['daily', 'added', false],
    ['raw', 'ended', false],
  ])
  expect(merged.graph.edges.map(({ from, to, change }) => [from, to, change])).toEqual([
    ['orders', 'daily', 'added'],
    ['raw', 'orders', 'ended'],
  ])
  expect([merged.added, merged.ended]).toEqual([2, 2])
  expect(changedAt(merged, 'raw').map(({ change }) => change)).toEqual(['ended'])
})

it('shows as it was what ended and came back, as after a rollback', () => {
  const at = answer([node('orders'), node('daily', 1)], [link('orders', 'daily', 170)])
  const merged = merge(at, [diff({ edgesAdded: [link('orders', 'daily', 170)], edgesEnded: [link('orders', 'daily', 5, { until: 160 })] })], from, 'orders')
  expect(merged.graph.edges.map((edge) => edge.change)).toEqual([undefined])
})

it('shows as ended what came and went', () => {
  const at = answer([node('orders'), node('test', -1)], [])
  const merged = merge(at, [diff({ edgesEnded: [link('test', 'orders', 150, { until: 160 })] })], from, 'orders')
  expect(merged.graph.edges.map((edge) => edge.change)).toEqual(['ended'])
})

it('draws one line for several edges, as it was if one of them is', () => {
  const job = link('orders', 'daily', 150, { type: 'Produces' })
  const at = answer([node('orders'), node('daily', 1)], [link('orders', 'daily', 5), job])
  const merged = merge(at, [diff({ edgesAdded: [job] })], from, 'orders')
  expect(merged.graph.edges).toHaveLength(1)
  expect(merged.graph.edges[0]?.change).toBeUndefined()
  expect(merged.edges.get('orders\ndaily')?.links).toHaveLength(2)
})

it('keeps as it was what has only moved out of sight', () => {
  const at = answer([node('orders'), node('prices', -1)], [link('prices', 'orders', 150)])
  const moved = diff({ moved: [node('raw', -3)], edgesEnded: [link('raw', 'orders', 5, { until: 160 })] })
  const { graph } = merge(at, [moved], from, 'orders')
  expect(graph.nodes.map(({ id, change }) => [id, change])).toEqual([
    ['orders', undefined],
    ['prices', undefined],
    ['raw', undefined],
  ])
})

it('leaves out edges of what is not shown, and merges both directions', () => {
  const at = answer([node('orders'), node('a', -1), node('b', 1)], [])
  const merged = merge(at, [diff({ added: [node('a')], edgesEnded: [link('far', 'a', 5)] }), diff({ added: [node('b')] })], from, 'orders')
  expect(merged.graph.edges).toEqual([])
  expect(merged.added).toBe(2)
})

it('fades what is not next to a node', () => {
  const { graph } = merge(answer([node('a', -2), node('b', -1), node('c'), node('d', 1)], [link('a', 'b'), link('b', 'c'), link('c', 'd')]), [], from, 'c')
  const near = around(graph, 'c')
  expect(near.nodes.map(({ id, dim }) => [id, !!dim])).toEqual([['a', true], ['b', false], ['c', false], ['d', false]])
  expect(near.edges.map(({ from, dim }) => [from, !!dim])).toEqual([['a', true], ['b', false], ['c', false]])
})
