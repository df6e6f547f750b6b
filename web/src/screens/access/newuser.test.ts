import { expect, test } from 'vitest'
import { agree, passwordHint } from './newuser'

test('two passwords that differ are refused in words', () => {
  expect(() => agree('correct horse', 'correct hors')).toThrow('The two passwords are not the same.')
  expect(() => agree('correct horse', 'correct horse')).not.toThrow()
})

test('the server says how long a password must be', () => {
  expect(passwordHint(12)).toBe('At least 12 characters.')
})
