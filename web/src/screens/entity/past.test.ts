import { expect, it } from 'vitest'
import { before, doubtOf, grouped, ofToday } from './past'
import { tabsOf } from './tabs'

it('says what of the past is in doubt', () => {
  expect(doubtOf({ unsure: [], lost: [] })).toBe('')
  expect(doubtOf({ unsure: ['ownership'], lost: ['globalTags', 'domains'] })).toBe(
    'Removed at an unknown time, so perhaps already missing then: ownership. No longer kept as it was then, so missing here: globalTags, domains.',
  )
})

it('undoes a write by what was just before it', () => {
  expect(before(1000)).toBe(999)
  expect(before(null)).toBeUndefined()
})

it('groups what comes one after the other', () => {
  expect(grouped(['a1', 'a2', 'b1', 'a3'], (text) => text[0]!)).toEqual([
    ['a', ['a1', 'a2']],
    ['b', ['b1']],
    ['a', ['a3']],
  ])
})

it('tells what changed since only of a past moment', () => {
  const of = { type: 'dataset', timeSeries: [], hasLineage: true, columns: 2 }
  expect(tabsOf(of).map(({ id }) => id)).not.toContain('since')
  expect(tabsOf({ ...of, past: true }).at(-1)?.id).toBe('since')
  expect(ofToday.has('columns')).toBe(false)
})
