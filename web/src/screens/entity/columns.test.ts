import { describe, expect, it } from 'vitest'
import { readablePath } from '../../lib/columns'
import { columnsOf, matching, percent, profiles, unfolded } from './columns'
import { columnUrn, decodePath } from '../../lib/columns'
import { condition, detailsOf } from './details'

const none = new Map()
const field = (fieldPath: string, more = {}) => ({ fieldPath, nativeDataType: 'int', type: { type: { 'com.linkedin.schema.NumberType': {} } }, ...more })

describe('paths of version 2', () => {
  it('are shown without their markers', () => {
    expect(readablePath('[version=2.0].[type=struct].order.[type=array].[type=struct].lines.[type=int].price')).toBe('order.lines.price')
    expect(readablePath('[version=2.0].[key=True].[type=int].id')).toBe('id')
    expect(readablePath('plain.path')).toBe('plain.path')
    expect(readablePath('a[0].b')).toBe('a[0].b')
    expect(readablePath('[version=2.0].[type=map.of.x].a')).toBe('a')
    expect(readablePath('[version=2.0]')).toBe('[version=2.0]')
  })

  it('make a tree', () => {
    const aspects = { schemaMetadata: { fields: [field('[version=2.0].[type=struct].order'), field('[version=2.0].[type=struct].order.[type=int].id'), field('other.id')] } }
    expect(columnsOf(aspects, none).map((one) => [one.name, one.depth, one.parent])).toEqual([
      ['order', 0, ''],
      ['id', 1, 'order'],
      ['other.id', 0, ''],
    ])
  })
})

it('a path that a schema has twice is one column', () => {
  const aspects = { schemaMetadata: { fields: [field('a', { description: 'first' }), field('b'), field('a', { description: 'second' })] } }
  expect(columnsOf(aspects, none).map((one) => [one.path, one.description])).toEqual([['a', 'first'], ['b', '']])
})

it('an entity that a fact names twice is shown once', () => {
  const aspects = { dashboardInfo: { datasets: ['urn:li:tag:a', 'urn:li:tag:b', 'urn:li:tag:a'] } }
  expect(detailsOf('dashboard', aspects, none)[0]?.entities?.map((one) => one.name)).toEqual(['a', 'b'])
})

it('edges that repeat their ends are one fact, and no label says that it is a URN', () => {
  const aspects = {
    dataJobInputOutput: { inputDatasets: ['urn:li:tag:a'], inputDatasetEdges: [{ destinationUrn: 'urn:li:tag:a' }] },
    dataJobKey: { flow: 'urn:li:tag:f' },
    dataJobInfo: { flowUrn: 'urn:li:tag:f' },
  }
  expect(detailsOf('dataJob', aspects, none).map((one) => [one.label, one.entities?.[0]?.name])).toEqual([['Flow', 'f'], ['Input datasets', 'a']])
})

it('what people wrote goes before what was ingested', () => {
  const aspects = {
    schemaMetadata: {
      primaryKeys: ['a'],
      fields: [field('a', { description: 'ingested', globalTags: { tags: [{ tag: 'urn:li:tag:X' }, { tag: 'urn:li:tag:Y' }] } }), field('b', { description: 'ingested', nullable: true })],
    },
    editableSchemaMetadata: { editableSchemaFieldInfo: [{ fieldPath: 'a', description: 'written', globalTags: { tags: [{ tag: 'urn:li:tag:X' }] } }] },
  }
  const [a, b] = columnsOf(aspects, none)
  expect(a).toMatchObject({ description: 'written', ingestedDescription: 'ingested', key: true, type: 'Number' })
  expect(a?.tags.map((tag) => tag.entity.name)).toEqual(['X'])
  expect(a?.ingestedTags.map((tag) => tag.entity.name)).toEqual(['Y'])
  expect(b).toMatchObject({ description: 'ingested', key: false, nullable: true })
})

it('fields of charts are columns of datasets', () => {
  const source = 'urn:li:schemaField:(urn:li:dataset:(p,d,PROD),net)'
  const aspects = { inputFields: { fields: [{ schemaFieldUrn: source, schemaField: field('net') }] } }
  expect(columnsOf(aspects, none)).toMatchObject([{ path: 'net', source }])
})

describe('search in columns', () => {
  const columns = columnsOf({ schemaMetadata: { fields: [field('order'), field('order.id'), field('order.Price', { description: 'in euros' }), field('z')] } }, none)

  it('finds all words and keeps what contains a match', () => {
    expect(matching(columns, 'PRICE euro').map((one) => one.readable)).toEqual(['order', 'order.Price'])
    expect(matching(columns, '  ').length).toBe(4)
    expect(matching(columns, 'nothing')).toEqual([])
  })

  it('hides what is in folded columns', () => {
    expect(unfolded(columns, new Set(['order'])).map((one) => one.readable)).toEqual(['order', 'z'])
    expect(unfolded(columns, new Set()).length).toBe(4)
  })

  it('reads many columns, deep ones too', () => {
    const deep = Array.from({ length: 10_000 }, (_, i) => field(Array.from({ length: (i % 30) + 1 }, (_, j) => `c${j}`).join('.') + (i >= 30 ? `_${i}` : '')))
    expect(matching(columnsOf({ schemaMetadata: { fields: deep } }, none), 'c3').length).toBeGreaterThan(1000)
  })
})

it('profiles say shares', () => {
  const found = profiles({ rowCount: 200, fieldProfiles: [{ fieldPath: 'a', nullCount: 3, uniqueCount: 200, min: '1' }, { fieldPath: 'b', nullProportion: 0.5 }] })
  expect(found.get('a')).toMatchObject({ nullShare: 0.015, uniqueShare: 1, min: '1' })
  expect(found.get('b')).toMatchObject({ nullShare: 0.5, nulls: undefined })
  expect([0, 0.0001, 0.015, 0.5, 0.9999, 1].map(percent)).toEqual(['0 %', '< 0.1 %', '1.5 %', '50 %', '> 99.9 %', '100 %'])
})

it('URNs of columns encode what would end them', () => {
  const dataset = 'urn:li:dataset:(urn:li:dataPlatform:x,d,PROD)'
  expect(columnUrn(dataset, 'f(a,b)')).toBe(`urn:li:schemaField:(${dataset},f%28a%2Cb%29)`)
  expect(decodePath('f%28a%2Cb%29')).toBe('f(a,b)')
})

it('conditions of assertions are said in words', () => {
  const info = {
    type: 'DATASET',
    datasetAssertion: { scope: 'DATASET_ROWS', aggregation: 'ROW_COUNT', operator: 'BETWEEN', parameters: { minValue: { value: '1', type: 'NUMBER' }, maxValue: { value: '5', type: 'NUMBER' } } },
  }
  expect(condition(info)).toBe('Row count is between 1 and 5')
  expect(condition({})).toBe('Assertion')
  expect(condition({ description: 'No late orders' })).toBe('No late orders')
})

it('details name every member of aspects that have no place of their own', () => {
  const aspects = {
    dashboardInfo: { title: 'x', charts: ['urn:li:chart:(looker,a)'], lastModified: { created: { time: 1791158400000, actor: 'urn:li:corpuser:a' } }, access: { string: 'PUBLIC' }, empty: [] },
    ownership: { owners: [] },
    dashboardKey: { dashboardTool: 'looker' },
  }
  expect(detailsOf('dashboard', aspects, none).map((one) => [one.label, one.text ?? one.time ?? one.entities?.[0]?.name])).toEqual([
    ['Charts', 'a'],
    ['Last modified › Created', 1791158400000],
    ['Access', 'PUBLIC'],
    ['Dashboard tool', 'looker'],
  ])
})
