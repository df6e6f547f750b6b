import { describe, expect, it } from 'vitest'
import { readAddress, toParams } from './address'
import { columnsInput, fieldOfList, tableAddress, unusedFilters } from './foundcolumns'

const read = (text: string) => readAddress(new URLSearchParams(text))

describe('a search for columns', () => {
  it('takes tags, terms and the facts of the dataset from the address', () => {
    const asked = read('q=mail&in=columns&personal=true&tags=urn:li:tag:a&glossaryTerms=urn:li:glossaryTerm:b&owners=urn:li:corpuser:c&columnType=VARCHAR&type=dataset')
    expect(columnsInput(asked)).toEqual({
      query: 'mail',
      personal: true,
      labels: ['urn:li:tag:a', 'urn:li:glossaryTerm:b'],
      owners: ['urn:li:corpuser:c'],
      types: ['VARCHAR'],
    })
    expect(unusedFilters(asked)).toEqual(['_entityType'])
  })
  it('keeps its place in the address', () => {
    expect(toParams(read('in=columns&personal=true'))).toMatchObject({ in: 'columns', personal: true })
  })
  it('has a table of everything found', () => {
    expect(tableAddress(read('q=mail&in=columns&tags=urn:li:tag:a'))).toBe('/columns?query=mail&labels=urn%3Ali%3Atag%3Aa&format=csv')
  })
  it('names the fields of the lists of an answer', () => {
    expect(['labels', 'types', 'platforms', 'owners'].map(fieldOfList)).toEqual(['labels', 'columnType', 'platform', 'owners'])
  })
})
