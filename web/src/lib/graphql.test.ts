import { afterEach, expect, test, vi } from 'vitest'
import type { TypedDocumentString } from '../gql/graphql'
import { actor } from './actor.svelte'
import { query } from './graphql'

afterEach(() => {
  actor.urn = ''
  vi.unstubAllGlobals()
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
