import { expect, test } from 'vitest'
import { returnTo } from './returnto'

const origin = 'https://catalog.example.com'

test.each([
  ['/', '/'],
  ['/ui/runs', '/ui/runs'],
  ['/ui/search?q=a%20b&start=20#top', '/ui/search?q=a%20b&start=20#top'],
  ['/ui/entity/urn%3Ali%3Adataset%3A(a%2Cb)', '/ui/entity/urn%3Ali%3Adataset%3A(a%2Cb)'],
])('an address of a screen is kept: %s', (given, want) => expect(returnTo(given, origin)).toBe(want))

test.each([
  null,
  '',
  'ui/runs',
  '//evil.example.com/ui/runs',
  '/\\evil.example.com/ui/runs',
  '/\t/evil.example.com/ui/',
  'https://evil.example.com/ui/runs',
  'https://catalog.example.com/ui/runs',
  'javascript:alert(1)',
  '/logOut',
  '/ui/../logOut',
  '/ui/login',
  '/ui/login?redirect_uri=%2Fui%2Flogin',
  '/ui/signup?invite_token=a',
])('any other address leads to the start page: %s', (given) => expect(returnTo(given, origin)).toBe('/'))
