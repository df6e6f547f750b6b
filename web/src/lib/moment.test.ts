import { beforeEach, expect, it } from 'vitest'
import { ago, daysAgo, fromField, reachOf, said, todayWords, toField, written } from './moment'
import { carry, paths } from './paths'
import { momentOf } from './times'

const urn = 'urn:li:tag:a'

beforeEach(() => carry(() => undefined))

it('is a minute in a field', () => {
  const at = new Date(2026, 2, 1, 9, 5).getTime()
  expect(toField(at)).toBe('2026-03-01T09:05')
  expect(fromField(toField(at))).toBe(at)
  expect(fromField('')).toBeUndefined()
})

it('is some days ago, at a minute that the address can say', () => {
  const now = Date.UTC(2026, 10, 27, 15, 34, 56, 789)
  expect(daysAgo(30, now)).toBe(Date.UTC(2026, 9, 28, 15, 34))
  expect(written(daysAgo(30, now))).toBe('2026-10-28T15:34Z')
  for (const { days } of ago) expect(momentOf(written(daysAgo(days, now)))).toBe(daysAgo(days, now))
})

it('is said without seconds that are none', () => {
  const at = new Date(2026, 9, 10).getTime()
  expect(said(at)).toMatch(/^10 October 2026, 00:00 (UTC|GMT[+-]\d\d:\d\d)$/)
  expect(said(at + 5000)).toContain('00:00:05')
})

it('means something to screens about the catalog only', () => {
  expect(['/ui/entity/x', '/ui/lineage/x', '/ui/impact/x', '/ui/time/x'].map((path) => reachOf(path))).toEqual(Array(4).fill({ past: true, today: '' }))
  expect(reachOf('/ui/search')?.today).toContain('as of today')
  expect(reachOf('/')?.past).toBe(false)
  for (const path of ['/ui/login', '/ui/policies', '/ui/runs', '/ui/audit']) expect(reachOf(path)).toBeUndefined()
})

it('is carried by links between screens, unless they name another', () => {
  expect(paths.entity(urn)).toBe('/ui/entity/urn%3Ali%3Atag%3Aa')
  carry(() => '2026-10-10')
  expect(paths.entity(urn, { tab: 'columns' })).toBe('/ui/entity/urn%3Ali%3Atag%3Aa?tab=columns&asOf=2026-10-10')
  expect(paths.lineage(urn)).toContain('?asOf=2026-10-10')
  expect(paths.home()).toBe('/?asOf=2026-10-10')
  expect(paths.search('orders')).toBe('/ui/search?q=orders&asOf=2026-10-10')
  expect(paths.lineage(urn, { asOf: '2026-11-01' })).toContain('?asOf=2026-11-01')
  expect(paths.lineage(urn, { asOf: undefined })).not.toContain('asOf')
  expect(paths.policies()).toBe('/ui/policies')
})

it('names members for people', () => {
  expect(todayWords(['platformName', 'tags'])).toBe('platform name, tags')
  expect(todayWords([])).toBe('')
})
