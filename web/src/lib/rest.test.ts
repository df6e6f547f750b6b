import { afterEach, expect, test, vi } from 'vitest'
import { Action, call, messageIn } from './rest.svelte'

afterEach(() => vi.unstubAllGlobals())

test.each([
  ['{"message":"Invalid Credentials"}', 'Invalid Credentials'],
  ['{"message":7}', ''],
  ['null', ''],
  ['<h1>Bad gateway</h1>', ''],
])('the message of a refusal: %s', (text, want) => expect(messageIn(text)).toBe(want))

test('a refusal is told in the words of the server, or by its status', async () => {
  vi.stubGlobal('fetch', async () => new Response('{"message":"Try again in 40 seconds."}', { status: 503 }))
  await expect(call('POST', '/logIn', {})).rejects.toMatchObject({ message: 'Try again in 40 seconds.', code: 503 })
  vi.stubGlobal('fetch', async () => new Response('', { status: 502 }))
  await expect(call('POST', '/logIn', {})).rejects.toThrow('status 502')
})

test('an action that runs is not run a second time, and keeps its error', async () => {
  const action = new Action()
  let runs = 0
  let fail = () => {}
  const work = () => {
    runs++
    return new Promise<void>((_, reject) => (fail = () => reject(new Error('It is gone.'))))
  }
  const first = action.run(work)
  await action.run(work)
  expect([runs, action.busy]).toEqual([1, true])
  fail()
  await first
  expect([action.busy, action.error]).toEqual([false, 'It is gone.'])
})
