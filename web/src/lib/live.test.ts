// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

/** A stream that the test opens, feeds and breaks. */
class Stream {
  static all: Stream[] = []
  onopen?: () => void
  onerror?: () => void
  closed = false
  private readonly listeners: ((event: { data: string; lastEventId: string }) => void)[] = []
  constructor(readonly address: string) {
    Stream.all.push(this)
  }
  addEventListener(_: string, listener: (event: { data: string; lastEventId: string }) => void) {
    this.listeners.push(listener)
  }
  close() {
    this.closed = true
  }
  tell(data: object, id: string) {
    for (const listener of this.listeners) listener({ data: JSON.stringify(data), lastEventId: id })
  }
}

const newest = () => Stream.all[Stream.all.length - 1]!
const hidden = (value: boolean) => {
  Object.defineProperty(document, 'hidden', { value, configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))
}

/** How often the page has read again what it shows, whatever it is about. */
let rereads: () => number
let end: () => void

beforeEach(async () => {
  vi.resetModules()
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', Stream)
  Stream.all = []
  Object.defineProperty(document, 'hidden', { value: false, configurable: true })
  const cache = await import('./cache')
  const { follow } = await import('./live.svelte')
  const again = vi.fn()
  cache.reads(new AbortController().signal, () => undefined, { concerned: (what) => (what.all ? (again(), false) : false) })
  rereads = () => again.mock.calls.length
  end = follow()
})

afterEach(() => {
  end()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('the first stream begins where the log ended before the first reads, so no change made meanwhile is missed', async () => {
  end()
  vi.stubGlobal('fetch', async () => Response.json({ auth: 'off', firstStart: false, passwords: false, minPassword: 0, providers: [], cursor: 'before' }))
  const { learn } = await import('./session.svelte')
  const { follow } = await import('./live.svelte')
  await learn()
  end = follow()
  expect(newest().address).toBe('/events?from=before')
  newest().onerror?.()
  vi.runOnlyPendingTimers()
  expect(newest().address).toBe('/events?from=before')
  newest().onopen?.()
  vi.runOnlyPendingTimers()
  expect(rereads()).toBe(0)
  end()
  end = follow()
  expect(newest().address).toBe('/events?from=now')
})

test('where the end of the log is not known, the first stream begins now, and nothing is read again', () => {
  expect(newest().address).toBe('/events?from=now')
  newest().onopen?.()
  vi.runOnlyPendingTimers()
  expect(rereads()).toBe(0)
})

test('a stream that breaks before its first change: what changed meanwhile is unknown, so all that is shown is read again', () => {
  newest().onopen?.()
  newest().onerror?.()
  vi.runOnlyPendingTimers()
  expect([Stream.all.length, newest().address]).toEqual([2, '/events?from=now'])
  expect(rereads()).toBe(0)
  newest().onopen?.()
  expect(rereads()).toBe(1)
})

test('a stream that has told a change goes on after it, and reads nothing else again', () => {
  newest().onopen?.()
  newest().tell({ entityUrn: 'urn:li:tag:a' }, 'place')
  newest().onerror?.()
  vi.runOnlyPendingTimers()
  expect([Stream.all.length, newest().address]).toEqual([2, '/events?from=place'])
  newest().onopen?.()
  vi.runOnlyPendingTimers()
  expect(rereads()).toBe(0)
})

test('after attempts that forget the place in the log, all that is shown is read again, once', () => {
  newest().onopen?.()
  newest().tell({ entityUrn: 'urn:li:tag:a' }, 'place')
  for (let attempt = 0; attempt < 4; attempt++) {
    newest().onerror?.()
    vi.advanceTimersByTime(60_000)
  }
  expect([Stream.all.length, newest().address]).toEqual([5, '/events?from=now'])
  newest().onopen?.()
  expect(rereads()).toBe(1)
  newest().tell({ entityUrn: 'urn:li:tag:b' }, 'later')
  newest().onerror?.()
  vi.advanceTimersByTime(60_000)
  expect(newest().address).toBe('/events?from=later')
  newest().onopen?.()
  vi.advanceTimersByTime(60_000)
  expect(rereads()).toBe(2) // the one about the whole catalog, later, because the search index follows the log
})

test('a page that was hidden before its first change reads all again when it is shown', () => {
  newest().onopen?.()
  hidden(true)
  expect(newest().closed).toBe(true)
  hidden(false)
  expect([Stream.all.length, newest().address]).toEqual([2, '/events?from=now'])
  newest().onopen?.()
  expect(rereads()).toBe(1)
})

test('a page that was hidden during a stream with changes catches up from its place', () => {
  newest().onopen?.()
  newest().tell({ entityUrn: 'urn:li:tag:a' }, 'place')
  hidden(true)
  hidden(false)
  expect(newest().address).toBe('/events?from=place')
  newest().onopen?.()
  vi.runOnlyPendingTimers()
  expect(rereads()).toBe(0)
})
