import { describe, expect, it } from 'vitest'
import { edgesOf, nodeOf } from '../../graph/testing'
import type { Graph, GraphNode } from '../../graph/types'
import { arrange, arrangeLit, arrangeSelection, groupId, groupKey, isGroup } from './arrange'

function graph(nodes: GraphNode[], pairs: [string, string][]): Graph {
  return { nodes, edges: edgesOf(pairs).map((edge) => ({ ...edge, id: `${edge.from} ${edge.to}` })) }
}
const job = (id: string) => nodeOf(id, { kind: 'job' })
const keep = new Set<string>()
const ids = (of: Graph) => [of.nodes.map(({ id }) => id).sort(), of.edges.map(({ id }) => id).sort()]

describe('jobs on edges', () => {
  const plain = graph([nodeOf('a'), nodeOf('b'), job('j'), nodeOf('c')], [['a', 'j'], ['b', 'j'], ['j', 'c'], ['a', 'c']])

  it('stand on each edge that they make, and on the direct one', () => {
    const { graph: drawn, standIns } = arrange(plain, { keep, jobsOnEdges: true })
    expect(ids(drawn)).toEqual([['a', 'b', 'c'], ['a c', 'b c']])
    expect(drawn.edges.every(({ through, title }) => through === 'job' && title?.includes('by j'))).toBe(true)
    expect(standIns.get('j')).toEqual({ edge: 'a c' })
  })

  it.each([
    ['when it is kept', plain, new Set(['j'])],
    ['beside another job', graph([nodeOf('a'), job('j'), job('k'), nodeOf('c')], [['a', 'j'], ['j', 'k'], ['k', 'c']]), keep],
    ['at an end', graph([nodeOf('a'), job('j')], [['a', 'j']]), keep],
    ['in a cycle', graph([nodeOf('a'), job('j')], [['a', 'j'], ['j', 'a']]), keep],
    ['with many pairs', graph([...'abc'].map((id) => nodeOf(id)).concat(job('j'), [...'xyz'].map((id) => nodeOf(id))), [...[...'abc'].map((id): [string, string] => [id, 'j']), ...[...'xyz'].map((id): [string, string] => ['j', id])]), keep],
  ])('stay nodes %s', (_, from, kept) => {
    const { graph: drawn } = arrange(from, { keep: kept, jobsOnEdges: true })
    expect(ids(drawn)).toEqual(ids(from))
  })

  it('are lit and selected on their edge', () => {
    const arranged = arrange(plain, { keep, jobsOnEdges: true })
    const lit = arrangeLit({ nodes: new Set(['b', 'j', 'c']), edges: new Set(['b j', 'j c']) }, arranged)
    expect(lit?.edges.has('b c')).toBe(true)
    expect(lit?.edges.has('a c')).toBe(false)
    expect(arrangeSelection({ node: 'j' }, arranged)).toEqual({ edge: 'a c' })
    expect(arrangeSelection({ edge: 'b j' }, arranged)).toEqual({ edge: 'b c' })
    expect(arrangeSelection({ node: 'a' }, arranged)).toEqual({ node: 'a' })
  })
})

describe('siblings', () => {
  const two = graph([nodeOf('m', { platform: 'dbt', badges: [{ label: 'Ana' }] }), nodeOf('t', { platform: 'Snowflake', badges: [{ label: 'Ana' }, { label: 'PII' }] }), nodeOf('up'), nodeOf('down')], [['up', 'm'], ['m', 't'], ['t', 'down']])
  const siblings = new Map([['m', { first: 'm', platforms: ['Snowflake'] }], ['t', { first: 'm', platforms: ['dbt'] }]])

  it('are one node with both marks and the edges of both', () => {
    const { graph: drawn, standIns } = arrange(two, { keep, siblings })
    expect(ids(drawn)).toEqual([['down', 'm', 'up'], ['m down', 'up m']])
    expect(drawn.nodes.find(({ id }) => id === 'm')).toMatchObject({ alsoOn: 'Snowflake', badges: [{ label: 'Ana' }, { label: 'PII' }] })
    expect(standIns.get('t')).toEqual({ node: 'm' })
  })

  it('have both marks when only one is shown, and stay two while columns are open', () => {
    const one = arrange(graph([nodeOf('t', { platform: 'Snowflake' })], []), { keep, siblings })
    expect(one.graph.nodes[0]?.alsoOn).toBe('dbt')
    const open = { ...two, nodes: two.nodes.map((node) => (node.id === 't' ? { ...node, columns: [{ id: 'c', name: 'c' }] } : node)) }
    expect(arrange(open, { keep, siblings }).graph.nodes).toHaveLength(4)
  })
})

describe('groups', () => {
  const of = (id: string) => ({ key: id[0]!, label: id[0]!.toUpperCase() })
  const four = graph(['a1', 'a2', 'b1', 'b2'].map((id) => nodeOf(id)), [['a1', 'b1'], ['a1', 'a2'], ['a2', 'b2']])

  it('fold all of one key, but not what is kept or alone', () => {
    const a = groupId('platform', 'a')
    const { graph: drawn } = arrange(four, { keep: new Set(['b1']), groups: { by: 'platform', of, open: new Set() } })
    expect(ids(drawn)).toEqual([['b1', 'b2', a], [`${a} b1`, `${a} b2`]])
    expect(drawn.nodes.find(({ id }) => id === a)?.fold?.count).toBe(2)
    expect([isGroup(a), groupKey(a)]).toEqual([true, 'a'])
  })

  it('unfold', () => {
    expect(ids(arrange(four, { keep, groups: { by: 'platform', of, open: new Set(['a', 'b']) } }).graph)).toEqual(ids(four))
  })
})

it('only what is wanted is left, with its edges', () => {
  expect(ids(arrange(graph([nodeOf('a'), nodeOf('b'), nodeOf('c')], [['a', 'b'], ['b', 'c']]), { keep, only: new Set(['a', 'b']) }).graph)).toEqual([['a', 'b'], ['a b']])
})
