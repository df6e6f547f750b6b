import { expect, test } from 'vitest'
import { rowOf, urnsOf, type Found } from './rows'

const dataset = {
  matchedFields: [
    { name: 'tags', value: 'urn:li:tag:PII' },
    { name: 'urn', value: 'urn:li:dataset:x' },
  ],
  entity: {
    urn: 'urn:li:dataset:x',
    type: 'DATASET',
    datasetProps: { description: 'ingested' },
    edited: { description: 'edited' },
    ownership: { owners: [{ owner: { urn: 'urn:li:corpuser:ada' } }, { owner: { urn: 'urn:li:corpuser:ada' } }, { owner: {} }] },
    tags: { tags: [{ tag: { urn: 'urn:li:tag:PII', properties: { colorHex: '#f00' } } }] },
    domain: { domain: { urn: 'urn:li:domain:d' } },
    parentContainers: { containers: [{ urn: 'urn:li:container:schema' }, { urn: 'urn:li:container:db' }] },
    subTypes: { typeNames: ['Table'] },
    browsePathV2: { path: [{ name: 'ignored', entity: null }] },
  },
}
const found = { total: 1, searchResults: [dataset] } as unknown as Found
const names = new Map(
  Object.entries({ 'urn:li:dataset:x': 'orders', 'urn:li:tag:PII': 'Personal', 'urn:li:container:db': 'shop' }).map(([urn, name]) => [
    urn,
    { urn, name, type: urn.split(':')[2]!, platformName: null, exists: true, removed: false },
  ]),
)

test('every URN that is shown is named', () => {
  expect([...new Set(urnsOf(found))].sort()).toEqual([
    'urn:li:container:db',
    'urn:li:container:schema',
    'urn:li:corpuser:ada',
    'urn:li:dataset:x',
    'urn:li:domain:d',
    'urn:li:tag:PII',
  ])
})

test('a row', () => {
  const row = rowOf(found.searchResults[0]!, names, ['personal'])
  expect(row.entity.name).toBe('orders')
  expect(row.description).toBe('edited')
  expect(row.owners.map((owner) => owner.urn)).toEqual(['urn:li:corpuser:ada'])
  expect(row.tags).toMatchObject([{ name: 'Personal', color: '#f00' }])
  expect(row.path).toEqual([
    { urn: 'urn:li:container:db', name: 'shop' },
    { urn: 'urn:li:container:schema', name: 'urn:li:container:schema' },
  ])
  expect(row.subType).toBe('Table')
  expect(row.matches).toEqual([{ field: 'Tag', pieces: [{ text: 'Personal', marked: true }] }])
})

test('a row of a type that has nothing but a URN', () => {
  const bare = { matchedFields: [], entity: { urn: 'urn:li:query:q', type: 'QUERY' } } as unknown as Found['searchResults'][number]
  const row = rowOf(bare, new Map(), [])
  expect(row).toMatchObject({ description: '', owners: [], tags: [], terms: [], path: [], matches: [], entity: { name: 'urn:li:query:q', type: 'query' } })
})

test('a tag or term that is stated twice is shown once', () => {
  const tag = { tag: { urn: 'urn:li:tag:PII' } }
  const term = { term: { urn: 'urn:li:glossaryTerm:t' } }
  const twice = { ...dataset, entity: { ...dataset.entity, tags: { tags: [tag, tag] }, glossaryTerms: { terms: [term, term] } } }
  const row = rowOf(twice as unknown as Found['searchResults'][number], names, [])
  expect([row.tags.length, row.terms.length]).toEqual([1, 1])
})
