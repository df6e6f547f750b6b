import { afterEach, expect, test, vi } from 'vitest'
import type { TypedDocumentString } from '../gql/graphql'
import { actor } from './actor.svelte'
import { reads } from './cache'
import { query } from './graphql'

afterEach(() => {
  actor.urn = ''
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('an actor with letters of any script is sent as UTF-8', async () => {
  const urn = 'urn:li:corpuser:Zoë.李'
  const asked: Request[] = []
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    // Request refuses the same headers as fetch.
    asked.push(new Request('http://localhost/api/graphql', init))
    return Response.json({ data: { a: 1 } })
  })
  actor.urn = urn
  await query('{ a }' as unknown as TypedDocumentString<{ a: number }, object>, {})
  const sent = asked[0]!.headers.get('X-DataHub-Actor') ?? ''
  expect(new TextDecoder().decode(Uint8Array.from(sent, (c) => c.charCodeAt(0)))).toBe(urn)
})

const search = (name: string) => `{ ${name} }` as unknown as TypedDocumentString<{ found: number }, object>
const late = (found: number) => ({ data: { found }, extensions: { searchIndex: { changesBehind: 3 } } })

/** Answers questions one after the other, and counts them. */
function answering(...answers: object[]): () => number {
  let asked = 0
  vi.stubGlobal('fetch', async () => Response.json(answers[Math.min(asked++, answers.length - 1)]))
  return () => asked
}

test('a question is asked again until the index lacks no change, ever later', async () => {
  vi.useFakeTimers()
  const asked = answering(late(1), late(2), { data: { found: 3 } })
  const shown = new AbortController()
  let found = 0
  const ask = async () => void ({ found } = await query(search('again'), {}, shown.signal))
  reads(shown.signal, () => void ask())
  await ask()
  expect(found).toBe(1)
  await vi.advanceTimersByTimeAsync(1200)
  expect(found).toBe(2)
  await vi.advanceTimersByTimeAsync(2300)
  expect(asked()).toBe(2)
  await vi.advanceTimersByTimeAsync(200)
  expect(found).toBe(3)
  await vi.advanceTimersByTimeAsync(120_000)
  expect(asked()).toBe(3)
})

test('a question whose answer nobody shows any more is not asked again', async () => {
  vi.useFakeTimers()
  const asked = answering(late(1))
  const shown = new AbortController()
  reads(shown.signal, () => void query(search('left'), {}, shown.signal))
  await query(search('left'), {}, shown.signal)
  shown.abort()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(asked()).toBe(1)
})
