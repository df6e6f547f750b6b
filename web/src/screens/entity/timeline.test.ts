import { expect, it } from 'vitest'
import { byDay, findUrns, urnsIn, withNames, type Transaction } from './timeline'
import type { Json } from './json'
import { figure, seriesOf, topUsers } from './usage'
import { contentsOf } from './contents'
import { selectedTab, tabsOf } from './tabs'

const dataset = 'urn:li:dataset:(urn:li:dataPlatform:x,a.b,PROD)'

it('finds URNs in texts, with their brackets', () => {
  const text = `Upstream ${dataset} was added, 'urn:li:tag:X', (urn:li:corpuser:a)`
  expect(findUrns(text).map(({ from, to }) => text.slice(from, to))).toEqual([dataset, 'urn:li:tag:X', 'urn:li:corpuser:a'])
  expect(findUrns('urn:li:dataset:(unclosed')).toHaveLength(1)
})

it('puts names in place of URNs', () => {
  const names = new Map([['urn:li:tag:X', { urn: 'urn:li:tag:X', type: 'tag', name: 'Important' }]])
  expect(withNames('Tag urn:li:tag:X was added', names)).toBe('Tag Important was added')
  expect(withNames(`Column urn:li:schemaField:(${dataset},f%28x%29) of ${dataset}`, new Map())).toBe('Column f(x) of a.b')
})

const change = (category: string) => ({ entityUrn: dataset, category, operation: 'ADD' as const, description: `Tag urn:li:tag:${category}`, semanticVersionChange: 'MINOR' })
const transactions: Transaction[] = [
  { timestampMillis: 300, actor: { urn: 'urn:li:corpuser:a' }, changes: [change('TAG'), change('OWNER')] },
  { timestampMillis: 200, actor: null, changes: [change('TAG')] },
  { timestampMillis: 100, actor: null, changes: [change('TAG')] },
]

it('shows changes by day, of one category, as many as are wanted', () => {
  const day = (at: number) => (at >= 200 ? 'late' : 'early')
  expect(byDay(transactions, '', 10, day).map((one) => [one.title, one.entries.length])).toEqual([['late', 3], ['early', 1]])
  expect(byDay(transactions, 'TAG', 2, day).map((one) => [one.title, one.entries.length])).toEqual([['late', 2]])
  expect(urnsIn(transactions)).toEqual(['urn:li:corpuser:a', 'urn:li:tag:TAG', 'urn:li:tag:OWNER'])
})

it('values become series by time, with gaps', () => {
  const entries: { time: number; value: Json }[] = [
    { time: 2, value: { rowCount: 5, timestampMillis: 2, note: 'x' } },
    { time: 1, value: { rowCount: 3, sizeInBytes: 9, timestampMillis: 1 } },
  ]
  expect(seriesOf(entries)).toEqual({
    times: [1, 2],
    series: [
      { name: 'rowCount', label: 'Rows', values: [3, 5] },
      { name: 'sizeInBytes', label: 'Size', values: [9, null] },
    ],
  })
  expect(topUsers([{ value: { userCounts: [{ user: 'a', count: 1 }, { user: 'b', count: 5 }] } }, { value: { userCounts: [{ user: 'a', count: 2 }] } }])).toEqual([
    { urn: 'b', count: 5 },
    { urn: 'a', count: 3 },
  ])
  expect(figure('sizeInBytes', 2_010_000)).toBe('2 MB')
  expect(figure('rowCount', 16_750)).toBe('16,750')
})

it('entities have the tabs that apply to them', () => {
  const ids = (type: string, more = {}) => tabsOf({ type, timeSeries: [], hasLineage: false, columns: 0, ...more }).map((tab) => tab.id)
  expect(ids('tag')).toEqual(['contents', 'documentation', 'related', 'timeline', 'history', 'raw'])
  expect(ids('dataset', { columns: 3, hasLineage: true, timeSeries: ['datasetProfile'] })).toEqual([
    'columns', 'documentation', 'lineage', 'queries', 'usage', 'quality', 'related', 'timeline', 'history', 'raw',
  ])
  expect(ids('assertion', { timeSeries: ['assertionRunEvent'] })[0]).toBe('quality')
  const tabs = tabsOf({ type: 'tag', timeSeries: [], hasLineage: false, columns: 0 })
  expect(selectedTab(tabs, 'raw')).toBe('raw')
  expect(selectedTab(tabs, 'columns')).toBe('contents')
})

it('every section of contents says how it is found', () => {
  for (const type of ['container', 'domain', 'tag', 'glossaryTerm', 'glossaryNode', 'dataProduct', 'corpGroup', 'corpuser', 'dataFlow', 'dashboard', 'structuredProperty', 'dataPlatform'])
    for (const section of contentsOf(type, 'urn:li:x:y')) expect([section.any, section.relationships, section.columnsOf].filter(Boolean)).toHaveLength(1)
})
