import { describe, expect, test } from 'vitest'
import { inputOf, readAddress, toParams, unfiltered, type Asked } from './address'
import { withParams } from '../../lib/paths'
import { definitionOf, keepable, leftOut } from './views'

const asked = (query: string): Asked => readAddress(new URLSearchParams(query))

describe('what a view keeps', () => {
  test('all filters together, without the words', () => {
    const search = asked('q=orders&platform=a&platform=b&type=dataset')
    expect(definitionOf(search)).toEqual({
      entityTypes: [],
      filter: {
        operator: 'AND',
        filters: [
          { field: 'platform', values: ['a', 'b'] },
          { field: '_entityType', values: ['dataset'] },
        ],
      },
    })
    expect(leftOut(search)).toBe('the words')
    expect(keepable(search)).toBe(true)
  })

  test('a domain with what is in it', () => {
    expect(definitionOf(asked('within=urn:li:domain:a')).filter.filters).toEqual([{ field: 'domains', values: ['urn:li:domain:a'], condition: 'DESCENDANTS_INCL' }])
  })

  test('nothing of words, folders and removed ones', () => {
    const search = asked('q=x&path=%E2%90%9Fa&removed=true')
    expect(keepable(search)).toBe(false)
    expect(leftOut(search)).toBe('the words, the folder, removed entities')
  })
})

describe('the address', () => {
  test('has the view and the place', () => {
    const search = asked('view=urn:li:dataHubView:v&within=urn:li:glossaryNode:g&platform=a')
    expect(search.view).toBe('urn:li:dataHubView:v')
    expect(readAddress(new URL(withParams('/', toParams(search)), 'http://a').searchParams)).toEqual(search)
    expect(unfiltered(search)).not.toHaveProperty('view')
    expect(unfiltered(search)).not.toHaveProperty('within')
  })

  test('narrows what is asked: one of the fields must have the term', () => {
    const input = inputOf(asked('view=urn:li:dataHubView:v&within=urn:li:glossaryTerm:g&platform=a'))
    expect(input.viewUrn).toBe('urn:li:dataHubView:v')
    expect(input.orFilters?.map(({ and }) => and?.map((one) => one.field))).toEqual([
      ['platform', 'glossaryTerms'],
      ['platform', 'fieldGlossaryTerms'],
      ['platform', 'editedFieldGlossaryTerms'],
    ])
  })
})
