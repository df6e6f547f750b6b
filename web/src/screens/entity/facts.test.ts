import { describe, expect, it } from 'vitest'
import { above, deprecation, description, descriptionPlace, domains, externalUrl, links, owners, properties, summaryOf, tagsOf, termsOf, type Named } from './facts'
import { safeUrl, text, words, type Tree } from './json'

const names = new Map<string, Named>([
  ['urn:li:corpuser:ada', { urn: 'urn:li:corpuser:ada', type: 'corpuser', name: 'Ada Wren' }],
  ['urn:li:ownershipType:__system__technical_owner', { urn: 'urn:li:ownershipType:__system__technical_owner', type: 'ownershipType', name: 'Technical Owner' }],
  ['urn:li:container:marts', { urn: 'urn:li:container:marts', type: 'container', name: 'marts' }],
])

describe('names', () => {
  it('of members are words', () => {
    expect(words('TECHNICAL_OWNER')).toBe('Technical owner')
    expect(words('customProperties')).toBe('Custom properties')
    expect(words('DownstreamOf')).toBe('Downstream of')
  })
})

it('owners have the type that is stated, in words', () => {
  const aspects: Record<string, Tree> = {
    ownership: {
      owners: [
        { owner: 'urn:li:corpuser:ada', type: 'DATA_STEWARD' },
        { owner: 'urn:li:corpuser:ada', type: 'CUSTOM', typeUrn: 'urn:li:ownershipType:__system__technical_owner' },
        { owner: 'urn:li:corpuser:nobody', type: 'NONE' },
        { type: 'NONE' },
      ],
    },
  }
  expect(owners(aspects, names).map((one) => [one.owner.name, one.type])).toEqual([
    ['Ada Wren', 'Data steward'],
    ['Ada Wren', 'Technical owner'],
    ['nobody', ''],
  ])
})

it('what is stated twice is shown once', () => {
  const ada = { owner: 'urn:li:corpuser:ada', type: 'DATA_STEWARD' }
  expect(owners({ ownership: { owners: [ada, ada, { ...ada, type: 'NONE' }] } }, names).map((one) => one.type)).toEqual(['Data steward', ''])
  expect(tagsOf({ tags: [{ tag: 'urn:li:tag:a' }, { tag: 'urn:li:tag:b' }, { tag: 'urn:li:tag:a' }] }, names).map((one) => one.entity.name)).toEqual(['a', 'b'])
  expect(termsOf({ terms: [{ urn: 'urn:li:glossaryTerm:a' }, { urn: 'urn:li:glossaryTerm:a' }] }, names)).toHaveLength(1)
  expect(domains({ domains: { domains: ['urn:li:domain:a', 'urn:li:domain:a'] } }, names)).toHaveLength(1)
})

describe('description', () => {
  it('is what people wrote, else what was ingested', () => {
    const ingested = { datasetProperties: { description: 'ingested' } }
    expect(description('dataset', ingested)).toBe('ingested')
    expect(description('dataset', { ...ingested, editableDatasetProperties: { description: 'written' } })).toBe('written')
    expect(description('dataset', { ...ingested, editableDatasetProperties: { description: '' } })).toBe('ingested')
    expect(description('glossaryTerm', { glossaryTermInfo: { definition: 'a term' } })).toBe('a term')
    expect(description('corpuser', { corpUserEditableInfo: { aboutMe: 'me' } })).toBe('me')
    expect(description('incident', { incidentInfo: { description: 'late' } })).toBe('late')
  })

  it('can be edited where the server has a place for it', () => {
    expect(descriptionPlace('dataset', {})).toEqual({ aspect: 'editableDatasetProperties', member: 'description' })
    expect(descriptionPlace('tag', {})).toBeUndefined()
    expect(descriptionPlace('tag', { tagProperties: { name: 'x' } })).toEqual({ aspect: 'tagProperties', member: 'description' })
    expect(descriptionPlace('assertion', {})).toBeUndefined()
  })

  it('is summed up without markup', () => {
    expect(summaryOf('# Title\n\n- **One** row per [order](https://x.example).\n\n```sql\nselect 1\n```')).toBe('Title One row per order.')
    expect(summaryOf('a_b and 2 * 3 * 4')).toBe('a_b and 2 * 3 * 4')
  })
})

it('links lead only to http and https', () => {
  expect(safeUrl('javascript:alert(1)')).toBeUndefined()
  expect(safeUrl(' JaVaScRiPt:alert(1)')).toBeUndefined()
  expect(safeUrl('data:text/html,x')).toBeUndefined()
  expect(safeUrl('//evil.example')).toBeUndefined()
  expect(safeUrl('https://wiki.example/a')).toBe('https://wiki.example/a')
  const aspects = { institutionalMemory: { elements: [{ url: 'javascript:alert(1)', description: '' }] } }
  expect(links(aspects, names)).toEqual([{ url: 'javascript:alert(1)', href: undefined, label: 'javascript:alert(1)', at: undefined, by: undefined }])
  expect(externalUrl('dashboard', { dashboardInfo: { dashboardUrl: 'javascript:x', externalUrl: 'https://bi.example/' } })).toBe('https://bi.example/')
})

it('deprecation counts only while it holds', () => {
  expect(deprecation({ deprecation: { deprecated: false, note: 'x' } }, names)).toBeUndefined()
  expect(deprecation({ deprecation: { deprecated: true, note: 'x', decommissionTime: 5, actor: 'urn:li:corpuser:ada' } }, names)).toMatchObject({
    note: 'x',
    when: 5,
    actor: { name: 'Ada Wren' },
    replacement: undefined,
  })
})

it('the container stands for the last part of the browse path', () => {
  const container = { container: 'urn:li:container:marts' }
  expect(above({ container, browsePathsV2: { path: [{ id: 'analytics' }, { id: 'marts' }] } }, names)).toEqual(['analytics', names.get('urn:li:container:marts')])
  expect(above({ browsePathsV2: { path: [{ id: 'Default' }] } }, names)).toEqual([])
  expect(above({ container, browsePathsV2: { path: [{ id: 'x', urn: 'urn:li:container:marts' }] } }, names)).toEqual([names.get('urn:li:container:marts')])
})

it('properties are custom and structured ones, by name', () => {
  const aspects = {
    datasetProperties: { customProperties: { retention: '3 years', owner: 'urn:li:corpuser:ada' } },
    structuredProperties: { properties: [{ propertyUrn: 'urn:li:structuredProperty:size', values: [{ double: 5 }] }] },
  }
  expect(properties(aspects, names).map((one) => [one.name, one.type, one.values[0]?.text, one.values[0]?.entity?.name])).toEqual([
    ['owner', '', 'urn:li:corpuser:ada', 'Ada Wren'],
    ['retention', '', '3 years', undefined],
    ['size', 'Number', '5', undefined],
  ])
})

it('values of any form are read without failing', () => {
  expect(text({ string: 'PYTHON' })).toBe('PYTHON')
  expect(text([1])).toBe('')
  expect(text(null)).toBe('')
  expect(owners({ ownership: { owners: 'x' } }, names)).toEqual([])
  expect(owners({ ownership: { owners: [null, 3, { owner: {} }] } }, names)).toEqual([])
})
