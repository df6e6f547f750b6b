import { describe, expect, it } from 'vitest'
import { begun, continued, expectedOf, nothing, plus, proceed, restored, share, type Part, type Preview, type Progress } from './rollback'

const part = (aspectsReverted: number, next: string | null): Part => ({ ...nothing, aspectsReverted, entitiesAffected: 1, next })
const expected = { ...nothing, aspectsReverted: 10, timeSeriesRows: 10 }
const describeError = (error: unknown) => (error as Error).message

function server(parts: (Part | Error)[]) {
  const asked: string[] = []
  return {
    asked,
    part: async (next: string) => {
      asked.push(next)
      const answer = parts.shift()
      if (!answer) throw new Error('asked too often')
      if (answer instanceof Error) throw answer
      return answer
    },
  }
}

it('adds what parts did', () => {
  expect(plus(part(2, 'x'), part(3, null))).toEqual({ ...nothing, aspectsReverted: 5, entitiesAffected: 2 })
})

describe('a preview', () => {
  const ref = (name: string) => ({ urn: `urn:li:dataset:${name}`, type: 'dataset', name, platformName: null, exists: true, removed: false })
  const row = (name: string) => ({ entity: ref(name), aspect: 'status', time: 1, created: false, timeSeriesRows: 0 })
  const first: Preview = { ...part(2, 'a'), next: 'a', rows: [row('x')], unsafe: [ref('x')] }
  const last: Preview = { ...part(3, null), next: null, rows: [row('y')], unsafe: [] }

  it('is whole with its last part only', () => {
    expect(continued(undefined, first)).toEqual(first)
    expect(continued(first, last)).toEqual({ ...part(5, null), entitiesAffected: 2, rows: [row('x'), row('y')], unsafe: [ref('x')] })
  })
  it('that is not whole expects all that the run wrote', () => {
    const written = { rows: 9, timeSeriesRows: 4 }
    expect(expectedOf(first, written)).toMatchObject({ aspectsReverted: 9, timeSeriesRows: 4, entitiesAffected: 1 })
    expect(expectedOf(continued(first, last), written)).toMatchObject({ aspectsReverted: 5, timeSeriesRows: 0 })
  })
})

describe('proceed', () => {
  it('continues where the last part ended, until nothing is left', async () => {
    const { asked, part: ask } = server([part(5, 'a'), part(4, 'b'), part(1, null)])
    const reports: Progress[] = []
    const end = await proceed(begun('r', false, expected), ask, (p) => reports.push(p), () => true, describeError)
    expect(asked).toEqual(['', 'a', 'b'])
    expect(end).toMatchObject({ phase: 'done', parts: 3, done: { aspectsReverted: 10, entitiesAffected: 3 } })
    expect(reports.map((p) => p.done.aspectsReverted)).toEqual([0, 5, 9, 10])
  })

  it('says what was done before a failure, and continues after it', async () => {
    const { asked, part: ask } = server([part(5, 'a'), new Error('the store is away'), part(5, null)])
    const failed = await proceed(begun('r', true, expected), ask, () => {}, () => true, describeError)
    expect(failed).toMatchObject({ phase: 'failed', error: 'the store is away', next: 'a', parts: 1, done: { aspectsReverted: 5 } })
    const end = await proceed(failed, ask, () => {}, () => true, describeError)
    expect(end).toMatchObject({ phase: 'done', error: '', parts: 2, hard: true, done: { aspectsReverted: 10 } })
    expect(asked).toEqual(['', 'a', 'a'])
  })

  it('stops between parts', async () => {
    const { asked, part: ask } = server([part(5, 'a'), part(5, null)])
    const end = await proceed(begun('r', false, expected), ask, () => {}, () => false, describeError)
    expect(end).toMatchObject({ phase: 'stopped', next: 'a' })
    expect(asked).toEqual([''])
  })

  it('is done after the last part even if it was to stop', async () => {
    const end = await proceed(begun('r', false, expected), server([part(5, null)]).part, () => {}, () => false, describeError)
    expect(end.phase).toBe('done')
  })
})

it('knows its share of the whole', () => {
  const at = begun('r', false, expected)
  expect(share(at)).toBe(0)
  expect(share({ ...at, done: { ...nothing, aspectsReverted: 3, timeSeriesRows: 2 } })).toBe(0.25)
  expect(share({ ...at, expected: nothing })).toBe(0)
  expect(share({ ...at, phase: 'done' })).toBe(1)
})

describe('restored', () => {
  const left: Progress = { ...begun('r', true, expected), next: 'a', parts: 1 }
  it('takes up what ran when the page was left as stopped', () => {
    expect(restored(JSON.stringify(left))).toEqual({ ...left, phase: 'stopped' })
  })
  it('ignores what is done, and what it does not understand', () => {
    expect(restored(JSON.stringify({ ...left, phase: 'done' }))).toBeUndefined()
    expect(restored(JSON.stringify({ ...left, done: { aspectsReverted: '1' } }))).toBeUndefined()
    expect(restored('{')).toBeUndefined()
    expect(restored(null)).toBeUndefined()
  })
})
