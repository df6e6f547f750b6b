import { expect, test } from 'vitest'
import { byDay, others, said, type Change } from './changes'

const now = new Date(2025, 2, 5, 12).getTime()

function change(hoursAgo: number, more: Partial<Change> = {}): Change {
  return {
    time: now - hoursAgo * 3_600_000,
    kind: 'UPSERT',
    run: null,
    aspects: ['ownership'],
    entities: 1,
    actor: null,
    entity: { urn: 'urn:li:tag:a', type: 'tag', name: 'a', platformName: null, exists: true, removed: false },
    ...more,
  }
}

test('by day', () => {
  const days = byDay([change(1), change(2), change(20), change(48)], now)
  expect(days.map((d) => [d.title, d.changes.length])).toEqual([
    ['Today', 2],
    ['Yesterday', 1],
    ['Monday, 3 March', 1],
  ])
  expect(byDay([], now)).toEqual([])
})

test('what happened, in words', () => {
  expect(said(change(0))).toBe('changed owners')
  expect(said(change(0, { aspects: ['globalTags', 'ownership'] }))).toBe('changed tags and owners')
  expect(said(change(0, { aspects: ['a', 'bOther', 'c', 'd', 'e'] }))).toBe('changed a, b other, c and 2 more')
  expect(said(change(0, { aspects: ['chartInfo', 'dataPlatformInstance'] }))).toBe('changed properties and platform')
  expect(said(change(0, { kind: 'DELETE', aspects: [] }))).toBe('deleted')
  expect(said(change(0, { kind: 'DELETE', aspects: ['domains'] }))).toBe('removed domain')
  expect(said(change(0, { aspects: ['constructor'] }))).toBe('changed constructor')
})

test('the others of a change of many', () => {
  expect(others(change(0))).toBe('')
  expect(others(change(0, { entities: 2 }))).toBe('and 1 other tag')
  expect(others(change(0, { entities: 1202 }))).toBe('and 1,201 other tags')
})
