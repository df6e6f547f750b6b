import { expect, it, vi } from 'vitest'
import { around, directionOf, hopsOf, ofColumns, pause } from './reads'

it('reads what the address asks for', () => {
  expect(['upstream', 'DOWNSTREAM', 'sideways', null].map(directionOf)).toEqual(['UPSTREAM', 'DOWNSTREAM', undefined, undefined])
  expect(['1', '20', '21', '0', 'x', null].map(hopsOf)).toEqual([1, 20, 2, 2, 2, 2])
  expect(around({ urn: 'a', direction: undefined, hops: 1 })).toEqual({ urn: 'a', hops: 1 })
  expect(ofColumns('urn:li:schemaField:(urn:li:dataset:(p,x,PROD),c)')).toBe(true)
  expect(ofColumns('urn:li:dataset:(p,x,PROD)')).toBe(false)
})

it('waits, unless it is given up', async () => {
  vi.useFakeTimers()
  try {
    const control = new AbortController()
    const given = pause(100, control.signal)
    const refused = expect(given).rejects.toMatchObject({ name: 'AbortError' })
    control.abort()
    await refused
    const kept = pause(100, new AbortController().signal)
    vi.advanceTimersByTime(100)
    await expect(kept).resolves.toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})
