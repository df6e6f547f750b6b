import { expect, test } from 'vitest'
import { browserOf, terms } from './tokens'

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36', 'Chrome on Linux'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge on Windows'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18 Safari/605.1.15', 'Safari on Mac OS X'],
  ['Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 'Firefox on Android'],
  ['python-requests/2.32 extra', 'python-requests/2.32'],
  ['', 'Unknown program'],
  [undefined, 'Unknown program'],
])('a session names its browser: %s', (agent, want) => expect(browserOf(agent)).toBe(want))

test('every term is offered once', () => {
  expect(new Set(terms.map((term) => term.duration)).size).toBe(8)
})
