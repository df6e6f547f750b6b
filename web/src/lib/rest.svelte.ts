import { forgetAll } from './cache'
import { messageOf, RequestError } from './graphql'
import { learn } from './session.svelte'

/** Calls an endpoint that answers JSON or nothing. A refused call throws the server's message. */
export async function call<T = unknown>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T | undefined> {
  return send<T>(method, path, body)
}

/** Calls an endpoint that takes a body and only reads. */
export async function ask<T = unknown>(path: string, body: unknown, signal?: AbortSignal): Promise<T | undefined> {
  return send<T>('POST', path, body, { reads: true, signal })
}

async function send<T>(method: string, path: string, body: unknown, { reads = false, signal }: { reads?: boolean; signal?: AbortSignal | undefined } = {}): Promise<T | undefined> {
  let response: Response
  try {
    response = await fetch(path, {
      method,
      ...(signal ? { signal } : {}),
      ...(body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    })
  } catch (failure) {
    if (signal?.aborted) throw failure
    throw new RequestError('The server could not be reached. Is it still running?', 0)
  }
  if (method !== 'GET' && !reads) forgetAll()
  const text = await response.text()
  if (response.ok) return text ? (JSON.parse(text) as T) : undefined
  // A 401 means that the session has ended, or only that a password was wrong: ask which.
  if (response.status === 401) await learn()
  throw new RequestError(messageIn(text) || `The server answered with status ${response.status}.`, response.status)
}

/** Returns the message in the body of a refusal, '' if there is none. */
export function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? message : ''
  } catch {
    return ''
  }
}

/**
 * Runs one action at a time, for a form or a button: tells whether it runs, and the error of the last one.
 */
export class Action {
  busy = $state(false)
  error = $state('')

  async run(work: () => Promise<void>): Promise<void> {
    if (this.busy) return
    this.busy = true
    this.error = ''
    try {
      await work()
    } catch (failure) {
      this.error = messageOf(failure)
    } finally {
      this.busy = false
    }
  }
}
