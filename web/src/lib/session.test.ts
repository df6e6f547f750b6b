import { beforeEach, afterEach, expect, test, vi } from 'vitest'
import type { TypedDocumentString } from '../gql/graphql'

const document = '{ a }' as unknown as TypedDocumentString<{ a: number }, object>

// The modules keep state: each test has its own.
async function fresh() {
  vi.resetModules()
  return { ...(await import('./session.svelte')), ...(await import('./actor.svelte')), ...(await import('./graphql')) }
}

let asked: { url: string; headers: Headers }[] = []

/** Answers requests by their paths; a path with undefined fails as if the server were away. */
function serve(answers: Record<string, (() => Response) | undefined>) {
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    asked.push({ url, headers: new Headers(init?.headers) })
    const answer = answers[url]
    if (!answer) throw new TypeError('Failed to fetch')
    return answer()
  })
}

const on = () => Response.json({ auth: 'on', firstStart: false, passwords: true, minPassword: 12, providers: [{ name: 'oidc', title: 'Keycloak' }] })
const off = () => Response.json({ auth: 'off', firstStart: false, passwords: false, minPassword: 0, providers: [] })
const ada = () => Response.json({ actor: 'urn:li:corpuser:ada', means: 'session', admin: true })
const nobody = () => Response.json({ message: 'Unauthorized to perform this action.' }, { status: 401 })
const data = () => Response.json({ data: { a: 1 } })

beforeEach(() => (asked = []))
afterEach(() => vi.unstubAllGlobals())

test('without authentication nobody is missing, and a chosen name signs changes', async () => {
  serve({ '/auth/options': off, '/api/graphql': data })
  const { learn, session, actor, query } = await fresh()
  actor.urn = 'urn:li:corpuser:chosen'
  await learn()
  expect(session.known).toBe(true)
  expect(session.missing).toBe(false)
  await query(document, {})
  expect(asked.map((one) => one.url)).toEqual(['/auth/options', '/api/graphql'])
  expect(asked[1]?.headers.get('X-DataHub-Actor')).toBe('urn:li:corpuser:chosen')
})

test('who has signed in is the actor, and no header states another one', async () => {
  serve({ '/auth/options': on, '/auth/session': ada, '/api/graphql': data })
  const { learn, session, actor, query } = await fresh()
  actor.urn = 'urn:li:corpuser:chosen'
  await learn()
  expect([session.on, session.missing, session.admin]).toEqual([true, false, true])
  expect(session.minPassword).toBe(12)
  expect(actor.urn).toBe('urn:li:corpuser:ada')
  await query(document, {})
  expect(asked.at(-1)?.headers.has('X-DataHub-Actor')).toBe(false)
})

test('the end of the log comes from the session of who has signed in, and is taken once', async () => {
  serve({ '/auth/options': on, '/auth/session': () => Response.json({ actor: 'urn:li:corpuser:ada', admin: false, cursor: 'end' }) })
  const { learn, takeEnd } = await fresh()
  await learn()
  expect([takeEnd(), takeEnd()]).toEqual(['end', ''])
})

test('a former end of the log is not taken for the present one', async () => {
  const answers = [{ cursor: 'end' }, {}]
  serve({ '/auth/options': () => Response.json({ auth: 'off', ...answers.shift() }) })
  const { learn, takeEnd } = await fresh()
  await learn()
  await learn()
  expect(takeEnd()).toBe('')
})

test('an answer 401 means that somebody must sign in', async () => {
  serve({ '/auth/options': on, '/auth/session': ada, '/api/graphql': nobody })
  const { learn, session, query } = await fresh()
  await learn()
  await expect(query(document, {})).rejects.toMatchObject({ code: 401 })
  expect(session.missing).toBe(true)
  expect(session.urn).toBe('')
})

test('a server that is away is told by the screens, not by the sign-in screen', async () => {
  serve({})
  const { learn, session } = await fresh()
  await learn()
  expect(session.known).toBe(true)
  expect(session.missing).toBe(false)
})
