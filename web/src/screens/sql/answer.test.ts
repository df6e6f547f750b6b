import { describe, expect, test } from 'vitest'
import { drawingOf, linesOf, ordered, outputsOf, personalOf, placesOf, problemsOf, type Answer } from './answer'

const table = (name: string, urn: string | null, columns: object[]) => ({
  name, state: urn ? 'KNOWN' : 'UNKNOWN', deprecated: false, note: null, personal: false, nearest: [], owners: [], labels: [],
  dataset: urn ? { urn, type: 'dataset', name, platformName: 'Snowflake', removed: false, exists: true } : null,
  columns: columns.map((column) => ({ state: 'KNOWN', nativeDataType: null, read: true, written: false, personal: false, nameSays: null, labels: [], ...column })),
})

const answer = {
  dialect: 'snowflake', platform: 'snowflake', partial: false, reason: null,
  statements: [
    {
      kind: 'select', line: 1, reads: ['s.customers', 's.orders'], writes: [], runs: 'RUNS', notUnderstood: [], gone: [],
      columns: [{ output: 'total', how: 'aggregation', sources: [{ table: 's.orders', column: 'amount', possible: false }] }],
      columnsRead: [{ table: 's.customers', column: 'city', clause: 'filter', line: 3, possible: false }],
    },
  ],
  tables: [table('s.customers', 'urn:li:dataset:c', [{ name: 'city', personal: true }]), table('s.orders', null, [{ name: 'amount' }])],
} as unknown as Answer

describe('the text', () => {
  test('names of a column are marked, also in another letter case and between quotes, but not within words', () => {
    expect(linesOf('select City,\n "city", cityx, x.city from t', 'city')).toEqual([
      [{ text: 'select ', lit: false }, { text: 'City', lit: true }, { text: ',', lit: false }],
      [{ text: ' "', lit: false }, { text: 'city', lit: true }, { text: '", cityx, x.', lit: false }, { text: 'city', lit: true }, { text: ' from t', lit: false }],
    ])
  })
  test('without a column, lines are whole; signs in a name mean themselves', () => {
    expect(linesOf('a\n', undefined)).toEqual([[{ text: 'a', lit: false }], [{ text: '', lit: false }]])
    expect(linesOf('a.b axb', 'a.b')[0]).toEqual([{ text: 'a.b', lit: true }, { text: ' axb', lit: false }])
  })
})

test('dialects of the catalog are offered first, by their datasets', () => {
  const { known, others } = ordered([{ value: 'urn:li:dataPlatform:postgres', count: 2 }, { value: 'urn:li:dataPlatform:snowflake', count: 9 }, { value: 'urn:li:dataPlatform:looker', count: 1 }])
  expect(known.map(([name]) => name)).toEqual(['snowflake', 'postgres'])
  expect(others.map(([name]) => name)).not.toContain('postgres')
})

test('where a column is read, where it flows, and which are personal', () => {
  expect(placesOf(answer.statements, { table: 's.customers', column: 'city' })).toEqual([{ clause: 'filter', line: 3 }])
  expect(outputsOf(answer.statements, { table: 's.orders', column: 'amount' })).toEqual(['total'])
  expect(personalOf(answer.tables).map(({ column }) => column.name)).toEqual(['city'])
})

test('a column that is gone is told once', () => {
  const statement = {
    gone: [{ table: 't', column: 'a', line: 2 }, { table: 't2', column: null, line: 3 }],
    notUnderstood: [{ line: 2, text: 'x.a', why: 'the known columns …' }, { line: 3, text: 'x.a', why: '…' }, { line: 3, text: '*', why: '…' }],
  } as unknown as Answer['statements'][number]
  expect(problemsOf(statement).map(({ line, text }) => [line, text])).toEqual([[3, 'x.a'], [3, '*']])
})

test('the drawing leads from columns to outputs, and from columns that are only read to clauses', () => {
  const { nodes, edges } = drawingOf(answer, { query: 'Query', table: 'Table', lineOf: (line) => `line ${line}` })
  expect(nodes.map(({ id, title, missing }) => ({ id, title, missing }))).toEqual([
    { id: 'urn:li:dataset:c', title: 's.customers', missing: false },
    { id: 'table s.orders', title: 's.orders', missing: true },
    { id: 'statement 0', title: 'SELECT, line 1', missing: undefined },
  ])
  expect(nodes[2]!.columns!.map(({ name }) => name)).toEqual(['total', '(filter)'])
  expect(edges.filter(({ fromColumn }) => fromColumn).map(({ from, fromColumn, toColumn, title }) => [from, fromColumn, toColumn, title])).toEqual([
    ['table s.orders', 'amount', 'total', 'aggregation'],
    ['urn:li:dataset:c', 'city', '(filter)', 'filter, line 3'],
  ])
})
