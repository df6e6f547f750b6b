import { expect, test } from 'vitest'
import { domains, glossary, holding, holds, within } from './kinds'

test('what is at the top and what is in a node', () => {
  expect(within(glossary, undefined)).toEqual([{ field: 'parentNode', condition: 'EXISTS', values: [], negated: true }])
  expect(within(domains, 'urn:li:domain:a')).toEqual([{ field: 'parentDomain', values: ['urn:li:domain:a'] }])
})

test('what has a term, or one of its columns does', () => {
  expect(holding(glossary, 'urn:li:glossaryTerm:t').map(({ and }) => and?.[0]?.field)).toEqual(['glossaryTerms', 'fieldGlossaryTerms', 'editedFieldGlossaryTerms'])
  expect(holding(domains, 'urn:li:domain:a')).toEqual([{ and: [{ field: 'domains', values: ['urn:li:domain:a'], condition: 'DESCENDANTS_INCL' }] }])
})

test('only groups and domains hold others', () => {
  expect(holds(glossary, 'glossaryNode')).toBe(true)
  expect(holds(glossary, 'glossaryTerm')).toBe(false)
  expect(holds(domains, 'domain')).toBe(true)
})
