import { describe, expect, test } from 'vitest'
import { above, idIn, lineOf, movable, parentOf, urnOf } from './moves'
import type { Line } from '../browse/tree'

const a = 'urn:li:glossaryNode:a'
const b = 'urn:li:glossaryNode:b'
const term = 'urn:li:glossaryTerm:t'
const inA = idIn(a, b)
const deep = idIn(inA, term)

describe('ids are ways', () => {
  test.each([
    [a, a, ''],
    [inA, b, a],
    [deep, term, inA],
  ])('%s', (id, urn, parent) => {
    expect(urnOf(id)).toBe(urn)
    expect(parentOf(id)).toBe(parent)
  })

  test('above', () => {
    expect(above(a)).toEqual([])
    expect(above(deep)).toEqual([a, inA])
  })
})

describe('where a node may go', () => {
  test.each([
    ['into another group', deep, a, true],
    ['to the top', deep, '', true],
    ['where it is', deep, inA, false],
    ['to the top, where it is', a, '', false],
    ['into itself', a, a, false],
    ['into what is in it', a, inA, false],
    ['beside one whose name begins alike', a, `${a}b`, true],
    ['nothing', '', a, false],
  ])('%s', (_, moved, into, may) => expect(movable(moved, into)).toBe(may))
})

test('the line of a URN', () => {
  const lines = [a, inA, deep].map((id) => ({ node: { id } }) as Line)
  expect(lineOf(lines, term)).toBe(2)
  expect(lineOf(lines, 'urn:li:glossaryTerm:other')).toBe(-1)
})
