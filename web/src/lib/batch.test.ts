import { describe, expect, it } from 'vitest'
import { Batch, mostChanges, pauseBefore } from './batch'

const event = (n: number) => JSON.stringify({ entityUrn: `urn:li:tag:${n}`, aspect: { owner: `urn:li:corpuser:${n}` } })

describe('Batch', () => {
  it('names what changed, and what the old and new values name', () => {
    const batch = new Batch()
    batch.add(JSON.stringify({ entityUrn: 'urn:li:tag:a', aspect: { x: ['urn:li:tag:new'] }, previousAspectValue: { x: ['urn:li:tag:old'] } }))
    expect(batch.take()).toEqual({ entities: new Set(['urn:li:tag:a']), related: new Set(['urn:li:tag:new', 'urn:li:tag:old']), all: false })
  })
  it('takes many changes as a change of everything, from one more than the limit', () => {
    const batch = new Batch()
    for (let i = 0; i < mostChanges; i++) batch.add(event(i))
    expect(batch.take().all).toBe(false)
    batch.add(event(mostChanges))
    expect(batch.take().all).toBe(true)
  })
  it('takes an event that it does not know as a change of everything', () => {
    const batch = new Batch()
    batch.add('no JSON')
    expect(batch.take().all).toBe(true)
  })
})

describe('pauseBefore', () => {
  it('grows to a minute', () => {
    expect([1, 2, 3, 20].map((n) => pauseBefore(n, 1))).toEqual([1000, 2000, 4000, 60_000])
    expect(pauseBefore(1, 0)).toBe(500)
  })
})
