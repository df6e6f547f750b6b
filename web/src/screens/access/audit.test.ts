import { expect, test } from 'vitest'
import { momentOf } from '../../lib/times'
import { filterOf, kindLabel, shownBy } from './audit'

const filter = (query: string) => filterOf(new URLSearchParams(query), momentOf)

test('an address has a filter', () => {
  expect(filter('')).toEqual({})
  expect(filter('actor=urn:li:corpuser:ada&entity=urn:li:tag:x&kind=signIn&outcome=refused&since=2026-11-01&cursor=1-A')).toEqual({
    actor: 'urn:li:corpuser:ada',
    entity: 'urn:li:tag:x',
    kinds: ['signIn'],
    allowed: false,
    since: Date.UTC(2026, 10, 1),
    cursor: '1-A',
  })
  expect(filter('outcome=allowed')).toEqual({ allowed: true })
  expect(filter('kind=nothing&outcome=perhaps&since=soon')).toEqual({})
})

test('an entry says how somebody has shown who they are', () => {
  expect(shownBy('token', 'abc')).toBe('Token abc')
  expect(shownBy('provider', undefined)).toBe('Identity provider')
  expect(shownBy('another', null)).toBe('another')
  expect(shownBy(null, null)).toBe('')
  expect(kindLabel('signIn')).toBe('Signed in')
  expect(kindLabel('new')).toBe('new')
})
