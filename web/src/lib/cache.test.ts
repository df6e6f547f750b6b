import { afterEach, describe, expect, it, vi } from 'vitest'
import { changed, forgetAll, kept, mostAnswers, reads, tellsChanges } from './cache'

const table = 'urn:li:dataset:a'
const other = 'urn:li:dataset:b'
const none = { entities: new Set<string>(), related: new Set<string>(), all: false }

function asker(...answers: unknown[]) {
  let n = 0
  return vi.fn((_signal: AbortSignal) => Promise.resolve(answers[Math.min(n++, answers.length - 1)]))
}
const signal = () => new AbortController().signal

afterEach(() => {
  forgetAll()
  tellsChanges(false)
})

describe('kept', () => {
  it('asks once for the same question', async () => {
    const ask = asker(1, 2)
    expect(await kept(['q', table], ask, signal())).toBe(1)
    expect(await kept(['q', table], ask, signal())).toBe(1)
    expect(await kept(['q', other], ask, signal())).toBe(2)
    expect(ask).toHaveBeenCalledTimes(2)
  })
  it('asks once for questions at the same time, and gives up when nobody waits any more', async () => {
    const one = new AbortController()
    const two = new AbortController()
    let given: AbortSignal | undefined
    const ask = vi.fn((signal: AbortSignal) => ((given = signal), new Promise(() => {})))
    const answers = [kept(['slow'], ask, one.signal), kept(['slow'], ask, two.signal)].map((answer) => answer.catch((error: unknown) => (error as Error).name))
    one.abort()
    expect(await answers[0]).toBe('AbortError')
    expect(given?.aborted).toBe(false)
    two.abort()
    expect(await answers[1]).toBe('AbortError')
    expect(given?.aborted).toBe(true)
    expect(ask).toHaveBeenCalledTimes(1)
  })
  it('keeps no failure', async () => {
    const ask = vi.fn().mockRejectedValueOnce(new Error('away')).mockResolvedValue(1)
    await expect(kept(['fails'], ask, signal())).rejects.toThrow('away')
    expect(await kept(['fails'], ask, signal())).toBe(1)
  })
  it('asks anew for a reader that wants so', async () => {
    const ask = asker(1, 2)
    await kept(['q', table], ask, signal())
    const fresh = signal()
    reads(fresh, () => {}, { fresh: true })
    expect(await kept(['q', table], ask, fresh)).toBe(2)
  })
  it('does not give an answer that was on its way when everything was forgotten', async () => {
    let answer: (value: number) => void = () => {}
    const first = kept(['q'], () => new Promise<number>((resolve) => (answer = resolve)), signal())
    forgetAll()
    const second = kept(['q'], asker(2), signal())
    answer(1)
    expect(await first).toBe(1)
    expect(await second).toBe(2)
    expect(await kept(['q'], asker(3), signal())).toBe(2)
  })
  it('gives the answer of each change that overtook a question, however many there are', async () => {
    const give: ((value: number) => void)[] = []
    const ask = () => new Promise<number>((resolve) => give.push(resolve))
    const waiting = []
    for (let i = 0; i < 3; i++) {
      waiting.push(kept(['q'], ask, signal()), kept(['q'], ask, signal()))
      forgetAll()
    }
    expect(give).toHaveLength(3)
    give.forEach((answer, i) => answer(i))
    expect(await Promise.all(waiting)).toEqual([0, 0, 1, 1, 2, 2])
    expect(await kept(['q'], asker(3), signal())).toBe(3)
  })
  it('keeps so many answers and not one more', async () => {
    const ask = asker(1)
    for (let i = 0; i <= mostAnswers; i++) await kept([i], ask, signal())
    await kept([mostAnswers], ask, signal())
    expect(ask).toHaveBeenCalledTimes(mostAnswers + 1)
    await kept([0], ask, signal())
    expect(ask).toHaveBeenCalledTimes(mostAnswers + 2)
  })
})

describe('changed', () => {
  const told = async (key: unknown[], answer: unknown, what: Parameters<typeof changed>[0]) => {
    const again = vi.fn()
    const one = signal()
    reads(one, again)
    await kept(key, asker(answer), one)
    changed(what)
    return again.mock.calls.length
  }
  it.each([
    ['an answer that was asked about the entity', ['q', { urn: table }], {}, { ...none, entities: new Set([table]) }, 1],
    ['an answer that names the entity', ['q', { urn: other }], { of: { urn: table } }, { ...none, entities: new Set([table]) }, 1],
    ['an answer that has the entity in JSON', ['q', { urn: other }], { value: `{"x":"${table}"}` }, { ...none, entities: new Set([table]) }, 1],
    ['an answer about what the change names', ['q', { urn: other }], {}, { ...none, related: new Set([other]) }, 1],
    ['no answer about another entity', ['q', { urn: other }], { of: other }, { ...none, entities: new Set([table]) }, 0],
    ['no answer that merely mentions what the change names', ['q', { urn: other }], { of: table }, { ...none, related: new Set([table]) }, 0],
    ['a search, when the catalog changed', ['q', { query: 'orders' }], {}, { ...none, catalog: true }, 1],
    ['no search before', ['q', { query: 'orders' }], {}, none, 0],
    ['everything', ['q', { urn: other }], {}, { ...none, all: true }, 1],
  ])('tells the readers of %s', async (_, key, answer, what, times) => {
    expect(await told(key, answer, what)).toBe(times)
  })
  it('tells no reader that has ended', async () => {
    const control = new AbortController()
    const again = vi.fn()
    reads(control.signal, again)
    await kept(['q', table], asker(1), control.signal)
    control.abort()
    changed({ ...none, all: true })
    expect(again).not.toHaveBeenCalled()
  })
})
