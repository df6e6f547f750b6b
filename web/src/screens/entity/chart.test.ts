import { expect, it } from 'vitest'
import { alone, closest, lineOf, nearest, rangeOf, roundValues } from './chart'

it('shows all values, and 0 beside values that are not negative', () => {
  expect(rangeOf([10, null, 30], false)).toEqual([0, 31])
  expect(rangeOf([-10, 30], false)).toEqual([-10, 32])
  expect(rangeOf([-10, 30], true)).toEqual([-10, 32])
  expect(rangeOf([7], false)).toEqual([0, 8])
  expect(rangeOf([null], true)).toEqual([0, 1])
  expect(rangeOf([-5, -3], true)).toEqual([-5, 0])
})

it('writes round values', () => {
  expect(roundValues(0, 31, 4)).toEqual([0, 10, 20, 30])
  expect(roundValues(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
  expect(roundValues(-10, 32, 5)).toEqual([-10, 0, 10, 20, 30])
  expect(roundValues(0, 0.07, 4)).toEqual([0, 0.02, 0.04, 0.06])
  expect(roundValues(0, 2_100_000, 4)).toEqual([0, 1_000_000, 2_000_000])
  expect(roundValues(1, 1, 4)).toEqual([])
  expect(roundValues(0, Infinity, 4)).toEqual([])
})

it('draws a line with gaps, and points that stand alone', () => {
  const points = [{ x: 0, y: 1 }, { x: 1, y: 2 }, undefined, { x: 3, y: 4 }, undefined]
  expect(lineOf(points)).toBe('M0.0 1.0L1.0 2.0M3.0 4.0')
  expect(alone(points)).toEqual([{ x: 3, y: 4 }])
  expect(lineOf([])).toBe('')
})

it('finds the time under the pointer', () => {
  expect(nearest([0, 10, 30], 14)).toBe(1)
  expect(nearest([0, 10, 30], 99)).toBe(2)
  expect(nearest([], 1)).toBe(-1)
})

it('finds how wide bars may be', () => {
  expect(closest([0, 10, 15, 15], 100)).toBe(5)
  expect(closest([3], 100)).toBe(100)
})
