import { describe, expect, test } from 'vitest'
import { badge } from '../../lib/words'
import { effectOf, joined, reasonOf, urnsIn, wanted, type Item } from './items'

const affected = (degree: number, because: 'OWNER' | 'SUBSCRIPTION', effect: 'CERTAIN' | 'POSSIBLE' = 'CERTAIN', columns: string[] = []) => ({ degree, because, effect, columns, entity: { urn: 'a' }, path: [] })
const item = (id: string, ...list: ReturnType<typeof affected>[]) => ({ id, affected: list }) as unknown as Item

test('pages are joined without the items that both have', () => {
  expect(joined([item('c'), item('b')], [item('b'), item('a')]).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
})

test('the URNs in summaries', () => {
  const said = (summary: string) => ({ summary }) as Item
  expect(urnsIn([said('Tag urn:li:tag:Certified was added (and 2 more)'), said('Column a was removed')])).toEqual(['urn:li:tag:Certified'])
})

describe('why somebody is told', () => {
  test.each([
    [affected(0, 'OWNER'), 'You own it'],
    [affected(0, 'SUBSCRIPTION'), 'You asked to be told'],
    [affected(2, 'OWNER'), 'It may break what you own'],
    [affected(2, 'SUBSCRIPTION'), 'It may break what you asked about'],
  ])('%#', (one, reason) => expect(reasonOf(item('a', one))).toBe(reason))
})

test('effects', () => {
  expect(effectOf(affected(1, 'OWNER') as never)).toBe('breaks, 1 hop downstream')
  expect(effectOf(affected(2, 'OWNER', 'POSSIBLE', ['a', 'b', 'c', 'd']) as never)).toBe('may break in a, b, c and 1 more, 2 hops downstream')
})

test.each([
  [0, false, ''],
  [3, false, '3'],
  [99, false, '99'],
  [100, false, '99+'],
  [5, true, '99+'],
])('the badge of %d', (unread, more, text) => expect(badge(unread, more)).toBe(text))

test('what is wanted', () => {
  expect(wanted([], false)).toBe('everything, and what upstream may break it')
  expect(wanted(['TAG', 'GLOSSARY_TERM'], true)).toBe('tag, glossary term, only of itself')
})
