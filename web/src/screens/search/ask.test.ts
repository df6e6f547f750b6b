import { expect, test } from 'vitest'
import { moves, placeOfError, type Answer } from './ask'

test('where a structured query is wrong', () => {
  expect(placeOfError('the query is wrong at character 16 ((orders): the parenthesis is not closed')).toBe(16)
  expect(placeOfError('the query is wrong at its end (character 13): a word is missing')).toBe(13)
  expect(placeOfError('no type has the field x')).toBeUndefined()
})

test('an answer moves what is shown if its results or their order are others', () => {
  const answer = (...urns: string[]) => ({ found: { total: 9, searchResults: urns.map((urn) => ({ entity: { urn } })) } }) as unknown as Answer
  expect(moves(answer('a', 'b'), answer('a', 'b'))).toBe(false)
  expect(moves(answer('a', 'b'), answer('b', 'a'))).toBe(true)
  expect(moves(answer('a', 'b'), answer('a', 'b', 'c'))).toBe(true)
  expect(moves(answer('a', 'b'), answer('a'))).toBe(true)
})
