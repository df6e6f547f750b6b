import { describe, expect, it } from 'vitest'
import { dayLong } from '../../lib/ticks'
import { bins, height, lifeOf, momentAt, moved, place, presetOf, presets, stepAfter, stepBefore, steps, stretchOf } from './life'
import { written } from '../../lib/moment'
import { momentOf } from '../../lib/times'

const now = Date.UTC(2026, 10, 22, 12)
const life = { first: now - 40 * dayLong, last: now }

it('lasts from the first record until now', () => {
  const { first, last } = lifeOf(now - 50 * dayLong, now)
  expect(last).toBe(now)
  expect(first).toBe(now - 50 * dayLong - 60_000)
  expect(lifeOf(now - dayLong + 5, now).first).toBe(now - dayLong)
  expect(lifeOf(undefined, now)).toEqual({ first: now - 30 * dayLong, last: now })
})

it('has a place for each moment, and a moment at each place', () => {
  expect(place(life, now - 10 * dayLong)).toBe(0.75)
  expect(place(life, now + 1)).toBe(1)
  expect(place({ first: now, last: now }, now)).toBe(0)
  expect(momentAt(life, 0.75)).toBe(now - 10 * dayLong)
  expect(momentAt(life, -3)).toBe(life.first)
})

it('knows presets', () => {
  expect(presets.map((preset) => stretchOf(preset, life).from)).toEqual([now - dayLong, now - 7 * dayLong, now - 30 * dayLong, life.first])
  for (const preset of presets) expect(presetOf(stretchOf(preset, life), life)).toBe(preset)
  expect(presetOf({ from: now - 2 * dayLong, to: undefined }, life)).toBeUndefined()
  expect(presetOf({ from: now - 7 * dayLong, to: now - dayLong }, life)).toBeUndefined()
})

describe('moments of addresses', () => {
  it('are days, times or milliseconds', () => {
    expect(momentOf('2026-10-21')).toBe(Date.UTC(2026, 9, 21))
    expect(momentOf('2026-10-21T08:30Z')).toBe(Date.UTC(2026, 9, 21, 8, 30))
    expect(momentOf('1791255600000')).toBe(1791255600000)
    for (const text of [null, '', 'yesterday', '-5', '99999999999999999999']) expect(momentOf(text)).toBeUndefined()
  })
  it('are written short, and read back as they were', () => {
    expect(written(Date.UTC(2026, 9, 21))).toBe('2026-10-21')
    expect(written(Date.UTC(2026, 9, 21, 8, 30))).toBe('2026-10-21T08:30Z')
    for (const at of [now, now + 1, now + 1000, now + 60_000]) expect(momentOf(written(at))).toBe(at)
  })
})

it('moves a handle by keys, not beyond its limits', () => {
  const at = now - 10 * dayLong
  expect(moved('ArrowLeft', at, life, life.first, now)).toBe(at - dayLong)
  expect(moved('PageUp', at, life, life.first, now)).toBe(at + 7 * dayLong)
  expect(moved('ArrowRight', now, life, life.first, now)).toBe(now)
  expect(moved('Home', at, life, life.first + 5, now)).toBe(life.first + 5)
  expect(moved('End', at, life, life.first, at + 5)).toBe(at + 5)
  expect(moved('a', at, life, life.first, now)).toBeUndefined()
  expect(moved('ArrowRight', now - 1000, { first: now - 10_000, last: now }, 0, now)).toBe(now - 900)
})

it('counts changes upstream, here and downstream in parts of the line', () => {
  const marks = [
    { time: life.first, degree: -1 },
    { time: now, degree: 0 },
    { time: now - 1, degree: 2 },
    { time: now - 2, degree: -3 },
    { time: life.first - 1, degree: 0 },
  ]
  expect(bins(marks, life, 40)).toEqual([
    { start: 0, end: 1 / 40, time: life.first, upstream: 1, here: 0, downstream: 0 },
    { start: 39 / 40, end: 1, time: now, upstream: 1, here: 1, downstream: 1 },
  ])
})

it('shows few changes beside many', () => {
  expect(height(0, 100)).toBe(0)
  expect(height(0.5, 10_000)).toBe(0.1)
  expect(height(100, 100)).toBe(1)
  expect(height(9, 99)).toBe(0.5)
})

it('steps over what changed, together when it is close together', () => {
  const marks = [5_000_000, 1000, 2000, 9_000_000, 5_000_000].map((time) => ({ time, degree: 0 }))
  const all = steps(marks)
  expect(all).toEqual([2000, 5_000_000, 9_000_000])
  expect(stepAfter(all, 2000)).toBe(5_000_000)
  expect(stepAfter(all, 9_000_000)).toBeUndefined()
  expect(stepBefore(all, 2000)).toBeUndefined()
  expect(stepBefore(all, 9_000_000)).toBe(5_000_000)
})
