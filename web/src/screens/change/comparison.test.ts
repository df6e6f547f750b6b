import { describe, expect, it } from 'vitest'
import { causeOf, drawingOf, mostColumns, ownerNames, type Comparison } from './comparison'

const named = (urn: string) => ({ urn, type: 'dataset', name: urn })

const compared: Comparison = {
  tables: [
    { ...named('orders'), change: 'changed', edgesAdded: 1, edgesEnded: 0, columns: [{ path: 'state', change: 'ended' }, { path: 'note', change: 'changed', type: 'bigint', oldType: 'int' }, { path: 'fresh', change: 'added' }] },
    { ...named('old'), change: 'ended', edgesAdded: 0, edgesEnded: 0, columns: [] },
  ],
  nodes: [{ ...named('orders'), exists: true, change: 'changed' }, { ...named('old'), exists: true, change: 'ended' }, { ...named('mart'), exists: false }, { ...named('new'), exists: false, change: 'added' }],
  edges: [{ upstream: 'orders', downstream: 'mart' }, { upstream: 'orders', downstream: 'new', change: 'added' }],
  certain: [{ ...named('mart'), of: named('orders'), column: 'state', degree: 1, owners: ['ada'] }],
  possible: [],
  owners: [{ urn: 'ada', name: 'Ada', email: 'ada@larkspur.example', count: 1 }, { urn: 'bo', name: 'Bo', count: 1 }],
  partial: false,
}

describe('the drawing of a change', () => {
  const { nodes, edges } = drawingOf(compared, 'orders')
  it('marks what is new, changed and gone, also in words', () => {
    expect(nodes.map(({ id, change, removed, missing, start, badges }) => [id, change, removed, missing, start, badges?.map(({ label }) => label).join()])).toEqual([
      ['orders', undefined, false, false, true, 'changed'],
      ['old', 'ended', true, false, false, 'gone'],
      ['mart', undefined, false, true, false, ''],
      ['new', 'added', false, false, false, 'new'],
    ])
    expect(edges.map(({ from, to, change }) => [from, to, change])).toEqual([['orders', 'mart', undefined], ['orders', 'new', 'added']])
  })
  it('opens the columns that differ', () => {
    expect(nodes[0]?.columns?.map(({ name, type, change }) => [name, type, change])).toEqual([['state', 'gone', 'ended'], ['note', 'changed int → bigint', undefined], ['fresh', 'new', 'added']])
    const many = { ...compared, tables: [{ ...compared.tables[0]!, columns: Array.from({ length: mostColumns + 1 }, (_, i) => ({ path: String(i), change: 'added' as const })) }] }
    const [wide] = drawingOf(many, undefined).nodes
    expect([wide?.columns?.length, wide?.columnCount]).toEqual([mostColumns, mostColumns + 1])
  })
})

it('names causes and owners', () => {
  expect(compared.certain.map(causeOf)).toEqual(['orders.state'])
  expect([...ownerNames(compared)]).toEqual([['ada', 'Ada (ada@larkspur.example)'], ['bo', 'Bo']])
})
