import { describe, expect, it } from 'vitest'
import { edgesOf, graphOf, nodeOf } from './testing'
import { columnKey } from './types'
import { adjacency, columnPath, neighbours, nodePath } from './walk'

describe('closures', () => {
  const lists = adjacency(graphOf(6, [[0, 1], [1, 2], [2, 0], [2, 3], [4, 3], [5, 5]]))

  it('of a node go through cycles once, each way', () => {
    expect([...nodePath(lists, '1', 'down').nodes].sort()).toEqual(['0', '1', '2', '3'])
    expect([...nodePath(lists, '3', 'up').nodes].sort()).toEqual(['0', '1', '2', '3', '4'])
    // Both directions: the upstreams and the downstreams, but not other upstreams of the downstreams.
    const both = nodePath(lists, '4')
    expect([...both.nodes].sort()).toEqual(['3', '4'])
    expect([...both.edges]).toEqual(['e4'])
    expect([...nodePath(lists, '5').edges]).toEqual(['e5'])
    expect([...nodePath(lists, 'unknown').nodes]).toEqual(['unknown'])
  })

  it('of a chain of 50,000 needs no recursion', () => {
    const long = adjacency(graphOf(50_000, Array.from({ length: 49_999 }, (_, i) => [i, i + 1] as const)))
    expect(nodePath(long, '25000').nodes.size).toBe(50_000)
  })

  it('of a column follow columns, not whole nodes', () => {
    const graph = {
      nodes: ['a', 'b', 'c', 'd'].map((id) => nodeOf(id)),
      edges: [
        { id: '1', from: 'a', to: 'b', fromColumn: 'x', toColumn: 'y' },
        { id: '2', from: 'b', to: 'c', fromColumn: 'y', toColumn: 'z' },
        { id: '3', from: 'b', to: 'c', fromColumn: 'other', toColumn: 'z2' },
        { id: '4', from: 'b', to: 'd', fromColumn: 'y' },
        { id: '5', from: 'd', to: 'c' },
      ],
    }
    const path = columnPath(adjacency(graph), 'b', 'y')
    expect([...path.edges].sort()).toEqual(['1', '2', '4'])
    expect([...path.nodes].sort()).toEqual(['a', 'b', 'c', 'd'])
    expect([...path.columns!].sort()).toEqual([columnKey('a', 'x'), columnKey('b', 'y'), columnKey('c', 'z')])
    expect([...columnPath(adjacency(graph), 'b', 'y', 'up').edges]).toEqual(['1'])
  })

  it('neighbours are named once, without the node itself and without unknown ones', () => {
    const two = adjacency({ nodes: [nodeOf('a'), nodeOf('b')], edges: edgesOf([['a', 'b'], ['a', 'b'], ['a', 'a'], ['a', 'gone']]) })
    expect(neighbours(two, 'a', 'down')).toEqual(['b'])
    expect(neighbours(two, 'b', 'up')).toEqual(['a'])
    expect(neighbours(two, 'b', 'down')).toEqual([])
  })
})
