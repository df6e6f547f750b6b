import type { TypedDocumentString } from '../gql/graphql'
import { actor } from './actor.svelte'
import { forgetAll, indexed, kept } from './cache'
import { refused, session } from './session.svelte'

/** A request that failed. The code is an HTTP status; 0: the server could not be reached. */
export class RequestError extends Error {
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message)
    this.name = 'RequestError'
  }
}

interface Answer<T> {
  data?: T | null
  extensions?: { searchIndex?: object | null }
  errors?: { message: string; path?: (string | number)[]; extensions?: { code?: number } }[]
}

/**
 * Asks a question. Any error fails the whole question. With a signal, the answer may come from the cache
 * (cache.ts); without a signal, the server is always asked. */
export function query<T, V>(document: TypedDocumentString<T, V>, variables: V, signal?: AbortSignal): Promise<T> {
  if (!signal) return send(document, variables)
  const key = [document.toString(), variables, session.on ? session.urn : actor.urn]
  return kept(key, (given) => send(document, variables, given, (complete) => indexed(key, complete)), signal)
}

/** Makes a change, after which no former answer is shown as true. */
export async function mutate<T, V>(document: TypedDocumentString<T, V>, variables: V): Promise<T> {
  try {
    return await send(document, variables)
  } finally {
    forgetAll()
  }
}

async function send<T, V>(document: TypedDocumentString<T, V>, variables: V, signal?: AbortSignal, told?: (complete: boolean) => void): Promise<T> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  if (actor.urn && !session.on) headers['X-DataHub-Actor'] = headerText(actor.urn)
  let response: Response
  try {
    response = await fetch('/api/graphql', {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: document.toString(), variables }),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new RequestError('The server could not be reached. Is it still running?', 0)
  }
  if (response.status === 401) {
    refused()
    throw new RequestError('You are not signed in.', 401)
  }
  let answer: Answer<T>
  try {
    answer = (await response.json()) as Answer<T>
  } catch (error) {
    if (signal?.aborted) throw error
    throw new RequestError(`The server answered with status ${response.status}.`, response.status)
  }
  const first = answer.errors?.[0]
  if (first) throw new RequestError(first.message, first.extensions?.code ?? response.status)
  if (!response.ok || !answer.data) throw new RequestError(`The server answered with status ${response.status}.`, response.status)
  // The search index answers after a moment even if it lacks changes, and says so.
  told?.(!answer.extensions?.searchIndex)
  return answer.data
}

// A header is bytes, and fetch takes one byte from each character. The server reads UTF-8, so each character
// becomes a byte of UTF-8.
function headerText(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
}

/** The text to show of an error of any kind. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether an answer was refused for its size (docs/limits.md): a smaller page may be asked for. */
export function tooLarge(error: unknown): boolean {
  return error instanceof RequestError && error.code === 400 && error.message.includes('the answer has more than')
}

/** Whether an error only says that a request was given up. */
export function aborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}
