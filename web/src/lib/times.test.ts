import { expect, test } from 'vitest'
import { day, exact, relative } from './times'

const now = new Date(2025, 2, 5, 12, 0, 0).getTime()
const hour = 3_600_000

test('relative', () => {
  expect(relative(now - 10_000, now)).toBe('just now')
  expect(relative(now + 10_000, now)).toBe('just now')
  expect(relative(now - 3 * 24 * hour, now)).toBe('3 days ago')
  expect(relative(now + 2 * hour, now)).toBe('in 2 hours')
})

test('exact', () => {
  expect(exact(now)).toMatch(/^5 March 2025, 12:00:00 (UTC|GMT[+-]\d\d:\d\d)$/)
})

test('day', () => {
  expect(day(now - hour, now)).toBe('Today')
  expect(day(now - 13 * hour, now)).toBe('Yesterday')
  expect(day(new Date(2025, 2, 3).getTime(), now)).toBe('Monday, 3 March')
  expect(day(new Date(2024, 2, 3).getTime(), now)).toBe('Sunday, 3 March 2024')
})

test('numbers that are no time do not fail', () => {
  for (const at of [1e300, NaN, -1e20]) {
    expect(relative(at, now)).toBe('at an unknown time')
    expect(day(at, now)).toBe('Unknown day')
    expect(exact(at)).toBe(String(at))
  }
})
