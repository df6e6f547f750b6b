import { beforeEach, expect, test, vi } from 'vitest'
import { readAddress } from './address'
import type { Row } from './rows'

const asked: number[] = []
let total = 0

vi.mock('./ask', () => ({
  askPart: (_: unknown, start: number) => {
    asked.push(start)
    const size = Math.max(0, Math.min(100, total - start))
    const searchResults = Array.from({ length: size }, (_, i) => ({ entity: { urn: `urn:li:dataset:${start + i}`, type: 'DATASET' }, matchedFields: [], missing: [] }))
    return Promise.resolve({ found: { total, searchResults }, names: new Map() })
  },
}))

const { mostRows, readRows, tableOf } = await import('./table')
const none = new AbortController().signal
const all = readAddress(new URLSearchParams('q=x&start=300&shown=200'))

beforeEach(() => {
  asked.length = 0
})

test('everything that is found is read, from the first result on', async () => {
  total = 250
  const told: [number, number][] = []
  const read = await readRows(all, none, (...progress) => told.push(progress))
  expect(asked).toEqual([0, 100, 200])
  expect(read.rows.map(({ entity }) => entity.urn)).toEqual(Array.from({ length: 250 }, (_, i) => `urn:li:dataset:${i}`))
  expect(told).toEqual([[100, 250], [200, 250], [250, 250]])
})

test('a table ends at the most rows', async () => {
  total = mostRows
  expect((await readRows(all, none, () => {})).rows).toHaveLength(mostRows)
  const atMost = asked.length
  total = mostRows + 1
  asked.length = 0
  const more = await readRows(all, none, () => {})
  expect([more.rows.length, more.total, asked.length]).toEqual([mostRows, mostRows + 1, atMost])
})

test('a row of the table has what the result shows', () => {
  const named = (urn: string, name: string) => ({ urn, type: 'tag', name, platformName: 'Kafka', exists: true, removed: false })
  const row: Row = {
    entity: named('urn:li:dataset:1', '=1+1'),
    subType: 'Topic',
    description: 'Orders, "new"',
    deprecated: true,
    owners: [named('urn:li:corpuser:a', 'Ada'), named('urn:li:corpuser:b', '')],
    tags: [],
    terms: [named('urn:li:glossaryTerm:t', 'Term')],
    domain: named('urn:li:domain:d', 'Sales'),
    path: [{ name: 'prod' }, { name: 'shop' }],
    matches: [],
    missing: [],
    whole: '',
  }
  expect(tableOf([row]).split('\r\n')).toEqual([
    'urn,name,type,sub type,platform,path,description,owners,tags,terms,domain,deprecated,removed',
    `urn:li:dataset:1,'=1+1,Tag,Topic,Kafka,prod / shop,"Orders, ""new""",Ada; urn:li:corpuser:b,,Term,Sales,true,false`,
    '',
  ])
})
