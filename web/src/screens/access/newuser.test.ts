import { expect, test } from 'vitest'
import { agree } from './newuser'

test('two passwords that differ are refused in words', () => {
  expect(() => agree('correct horse', 'correct hors')).toThrow('The two passwords are not the same.')
  expect(() => agree('correct horse', 'correct horse')).not.toThrow()
})
