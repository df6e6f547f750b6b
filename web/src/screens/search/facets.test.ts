import { expect, test } from 'vitest'
import { readAddress } from './address'
import { facetsOf, facetTitle, valueLabel } from './facets'
import type { Found } from './rows'

const found = {
  facets: [
    { field: 'tags', displayName: 'Tagged With', aggregations: [{ value: 'urn:li:tag:PII', count: 3, displayName: 'Personal' }] },
    { field: 'hasSiblings', displayName: 'Has Siblings', aggregations: [{ value: 'true', count: 3, displayName: 'true' }] },
    { field: '_entityType', displayName: 'Type', aggregations: [{ value: 'DATA_JOB', count: 26, displayName: 'DATA_JOB' }] },
    { field: 'domains', displayName: 'Domain', aggregations: [] },
  ],
} as unknown as Found

test('facets in their order, with names, without what says little', () => {
  const facets = facetsOf(found, readAddress(new URLSearchParams('type=dataJob')))
  expect(facets.map((facet) => facet.title)).toEqual(['Type', 'Tag'])
  expect(facets[0]!.values).toEqual([{ value: 'dataJob', label: 'Jobs', count: 26, chosen: true }])
  expect(facets[1]!.values).toEqual([{ value: 'urn:li:tag:PII', label: 'Personal', count: 3, chosen: false }])
})

test('a chosen value stays, so that it can be taken back', () => {
  const facets = facetsOf(found, readAddress(new URLSearchParams('tags=urn:li:tag:Old&domains=urn:li:domain:x&hasSiblings=true')))
  expect(facets.map((facet) => facet.field)).toEqual(['_entityType', 'tags', 'domains', 'hasSiblings'])
  expect(facets[1]!.values.at(-1)).toEqual({ value: 'urn:li:tag:Old', label: 'Old', count: undefined, chosen: true })
})

test('names of fields and values', () => {
  expect(facetTitle('someNewField')).toBe('Some new field')
  expect(facetTitle('roles', 'Role')).toBe('Role')
  expect(valueLabel('deprecated', 'true', 'true')).toBe('Yes')
  expect(valueLabel('origin', 'PROD', 'PROD')).toBe('PROD')
})
