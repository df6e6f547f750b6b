import { describe, expect, it } from 'vitest'
import { columnKey } from '../../graph/types'
import { columnUrn } from '../../lib/columns'
import { type ColumnPath, columnsOf, columnsToShow } from './columns'
import { columnEdgeId, draw, foldLabel, litBy } from './drawing'
import { edgeKey, short } from './known'
import { show } from './shown'
import { dataset, graph, link } from './testgraph'
import { defaultView, openColumns, toggleFilter } from './view'

describe('columns of a node', () => {
  const fields = Array.from({ length: 100 }, (_, i) => ({ fieldPath: `c${i}`, nativeType: 'string' }))
  const columns = columnsOf([{ fieldPath: 'c70', upstreams: 1, downstreams: 0 }, { fieldPath: 'lost', upstreams: 0, downstreams: 2 }], fields)

  it('are those of the schema and those that lineage names', () => {
    expect(columns).toHaveLength(101)
    expect(columns[70]).toEqual({ path: 'c70', type: 'string', upstreams: 1, downstreams: 0 })
    expect(columns[100]).toEqual({ path: 'lost', type: undefined, upstreams: 0, downstreams: 2 })
  })

  it('are not all shown, but those wanted and those with lineage, in their order', () => {
    expect(columnsToShow(columns, new Set(['c99']), 5).map(({ path }) => path)).toEqual(['c0', 'c1', 'c70', 'c99', 'lost'])
    expect(columnsToShow(columns, new Set(), 500)).toHaveLength(101)
  })
})

describe('the drawing', () => {
  const known = graph(['a > job', 'job > b', 'b > c', 'a > b', 'z > b'], { a: { columns: 3 }, b: { columns: 1 } })
  const urn = (table: string, column: string) => columnUrn(dataset(table), column)
  const step = (table: string, path: string, degree: number): [string, ColumnPath['steps'] extends Map<string, infer S> ? S : never] => [
    urn(table, path),
    { urn: urn(table, path), path, degree, entity: { urn: dataset(table), type: 'dataset', name: table } },
  ]
  const path: ColumnPath = {
    start: urn('b', 'x'),
    steps: new Map([step('b', 'x', 0), step('a', 'y', -1), step('c', 'x', 1)]),
    links: [
      link('', '', { upstream: urn('a', 'y'), downstream: urn('b', 'x'), statedBy: [dataset('job')] }),
      link('', '', { upstream: urn('b', 'x'), downstream: urn('c', 'x') }),
    ],
    partial: false,
    reason: undefined,
  }
  const scene = (view = defaultView) => ({
    known,
    root: dataset('b'),
    view,
    shown: show(known, dataset('b'), view),
    busy: new Set<string>(),
    columns: new Map([[dataset('b'), { columns: [{ path: 'x', type: 'int', upstreams: 1, downstreams: 1 }], links: path.links }]]),
    path: undefined,
  })

  it('has the columns of opened nodes and the edges of them', () => {
    const graph = draw(scene(openColumns(defaultView, short(dataset('b')), true)))
    expect(graph.nodes.find(({ id }) => id === dataset('b'))?.columns).toEqual([{ id: 'x', name: 'x', type: 'int', linked: true }])
    expect(graph.edges.filter(({ fromColumn }) => fromColumn !== undefined).map(({ id }) => id)).toEqual([
      columnEdgeId(urn('a', 'y'), urn('b', 'x')),
      columnEdgeId(urn('b', 'x'), urn('c', 'x')),
    ])
    expect(draw(scene()).nodes.find(({ id }) => id === dataset('b'))?.columns).toBeUndefined()
  })

  it('shows of closed nodes the columns on the path that is selected', () => {
    const graph = draw({ ...scene(), path })
    expect(graph.nodes.find(({ id }) => id === dataset('a'))?.columns).toEqual([{ id: 'y', name: 'y', linked: true }])
    expect(graph.nodes.find(({ id }) => id === dataset('z'))?.columns).toBeUndefined()
  })

  it('dims what does not match and keeps it', () => {
    const graph = draw(scene(toggleFilter(defaultView, 'owner', 'urn:li:corpuser:nobody')))
    expect(graph.nodes).toHaveLength(5)
    expect(graph.nodes.every(({ dim }) => dim)).toBe(true)
    expect(graph.edges.every(({ dim }) => dim)).toBe(true)
  })

  it('lights a path: its columns, the job that states it, and the edges between', () => {
    const lit = litBy(known, path)
    expect([...lit.nodes].sort()).toEqual(['a', 'b', 'c', 'job'].map(dataset).sort())
    expect(lit.columns).toEqual(new Set([columnKey(dataset('b'), 'x'), columnKey(dataset('a'), 'y'), columnKey(dataset('c'), 'x')]))
    expect(lit.edges).toContain(edgeKey(dataset('a'), dataset('job')))
    expect(lit.edges).toContain(edgeKey(dataset('a'), dataset('b')))
    expect(lit.edges).not.toContain(edgeKey(dataset('z'), dataset('b')))
    expect(lit.edges).toContain(columnEdgeId(urn('a', 'y'), urn('b', 'x')))
  })

  it('names folds', () => {
    expect(foldLabel([['chart', 37]])).toBe('37 charts')
    expect(
      foldLabel([
        ['chart', 1200],
        ['dashboard', 1],
      ]),
    ).toBe('1,200 charts and 1 dashboard')
    expect(
      foldLabel([
        ['chart', 20],
        ['dataset', 14],
        ['dataJob', 13],
      ]),
    ).toBe('20 charts, 14 datasets and 13 of other types')
  })
})

it('a column that a schema names twice is one', () => {
  const counts = [{ fieldPath: 'a', upstreams: 2, downstreams: 1 }]
  expect(columnsOf(counts, [{ fieldPath: 'a' }, { fieldPath: 'a' }])).toEqual([{ path: 'a', type: undefined, upstreams: 2, downstreams: 1 }])
})
