import { expect, test } from 'vitest'
import { clock, day, exact, format, lasted, month, relative, shortDay } from './times'

const now = new Date(2025, 2, 5, 12, 0, 0).getTime()
const hour = 3_600_000

test('relative', () => {
  expect(relative(now - 10_000, now)).toBe('just now')
  expect(relative(now + 10_000, now)).toBe('just now')
  expect(relative(now - 3 * 24 * hour, now)).toBe('3 days ago')
  expect(relative(now + 2 * hour, now)).toBe('in 2 hours')
})

test.each([
  [45_000, '45 seconds ago'],
  [59_600, '1 minute ago'],
  [59.4 * 60_000, '59 minutes ago'],
  [59.6 * 60_000, '1 hour ago'],
  [23.6 * hour, '1 day ago'],
  [29 * 24 * hour, '29 days ago'],
  [30 * 24 * hour, '1 month ago'],
  [340 * 24 * hour, '11 months ago'],
  [364 * 24 * hour, '1 year ago'],
  [800 * 24 * hour, '2 years ago'],
])('relative %s ms', (millis, words) => {
  expect(relative(now - millis, now)).toBe(words)
})

test('parts of a time', () => {
  const at = new Date(2025, 2, 5, 7, 8, 9).getTime()
  expect(shortDay(at)).toBe('5 Mar')
  expect(month(at, true)).toBe('Mar 2025')
  expect(clock(at)).toBe('07:08')
  expect(format(at, "yyyy-MM-dd'T'HH:mm")).toBe('2025-03-05T07:08')
  expect(format(at, "d 'MMMM'")).toBe('5 MMMM')
})

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1999, '1 second'],
  [125 * 60_000, '2 hours 5 minutes'],
  [25 * hour + 1000, '1 day 1 hour 1 second'],
])('lasted %s ms', (millis, words) => {
  expect(lasted(millis)).toBe(words)
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
