import { expect, test } from 'vitest'
import { placeOfError } from './ask'

test('where a structured query is wrong', () => {
  expect(placeOfError('the query is wrong at character 16 ((orders): the parenthesis is not closed')).toBe(16)
  expect(placeOfError('the query is wrong at its end (character 13): a word is missing')).toBe(13)
  expect(placeOfError('no type has the field x')).toBeUndefined()
})
