import { describe, expect, it } from 'vitest'
import { errorOf, facetsOf, runOf } from './told'

const facet = (name: string, value: unknown, runId: string | null = null) => ({ name, eventTime: '2026-11-27T10:00:00Z', runId, facet: JSON.stringify(value) })

describe('facetsOf', () => {
  const told = {
    facets: [facet('parent', { x: 1 }), facet('sql', 1, 'A1')],
    inputs: [],
    outputs: [{ name: 'd', facets: [facet('outputStatistics', { rowCount: 3 })] }],
  }
  it('lists the own facets first', () => {
    expect(facetsOf(told).map(({ of, key, run, value }) => [of, key, run, value])).toEqual([
      ['', 'parent', '', { x: 1 }],
      ['', 'sql', 'A1', 1],
      ['d', 'outputStatistics', '', { rowCount: 3 }],
    ])
  })
  it('lists none of an entity that nothing has told of', () => {
    expect(facetsOf(undefined)).toEqual([])
  })
})

describe('errorOf', () => {
  it('prefers the facet', () => {
    const facets = facetsOf({ facets: [facet('errorMessage', { message: 'broken', stackTrace: 'at x' })], inputs: [], outputs: [] })
    expect(errorOf(facets, { 'errorMessage.message': 'cut' })).toEqual({ message: 'broken', trace: 'at x' })
  })
  it('reads the properties of callers who get no facets', () => {
    expect(errorOf([], { 'errorMessage.message': 'cut' })).toEqual({ message: 'cut', trace: '' })
  })
})

it('a run has its id in small letters, as in the catalog', () => {
  expect(runOf(' 0190C3A0-F10E ')).toBe('urn:li:dataProcessInstance:0190c3a0-f10e')
})
