import { beforeEach, expect, it, vi } from 'vitest'
import { Details } from './details.svelte'
import type { Patch } from './edits'

const urn = 'urn:li:tag:a'
const reads: { answer: (description: string) => void }[] = []

vi.mock('../../lib/graphql', async (original) => ({
  ...(await original<object>()),
  query: (_document: unknown, _variables: unknown, signal: AbortSignal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new DOMException('given up', 'AbortError')))
      const aspect = (value: string) => ({ name: 'tagProperties', version: 0, value, written: null, run: null, actor: null })
      const answer = (description: string) =>
        resolve({ entityDetails: { ref: { urn, type: 'tag', name: 'a' }, subTypes: [], aspects: [aspect(JSON.stringify({ description }))], timeSeries: [], refs: [], hasLineage: false } })
      reads.push({ answer })
    }),
}))

vi.mock('../../lib/signed.svelte', () => ({ signed: { asked: () => Promise.resolve(true) } }))

beforeEach(() => void (reads.length = 0))

/** Adds a letter to the description. */
const adds = (letter: string): Patch => ({
  part: () => undefined,
  apply: (aspects) => ({ ...aspects, tagProperties: { description: String(aspects.tagProperties?.description ?? '').replaceAll(letter, '') + letter } }),
})
const description = (details: Details) => details.aspects.tagProperties?.description
const turns = () => new Promise((resolve) => setTimeout(resolve))

async function shown(): Promise<Details> {
  const details = new Details(urn)
  const read = details.read()
  reads[0]!.answer('')
  await read
  return details
}

it('an edit stays in view until a read that knows it, even if another edit begins a newer read', async () => {
  const details = await shown()
  const one = details.edit('One', adds('a'), async () => undefined)
  await turns()
  const two = details.edit('Two', adds('b'), async () => undefined)
  await turns()
  expect(reads).toHaveLength(3)
  expect(description(details)).toBe('ab')
  reads[2]!.answer('ab')
  expect(await Promise.all([one, two])).toEqual([true, true])
  expect(description(details)).toBe('ab')
})

it('nothing is read for a page that was left', async () => {
  const details = await shown()
  let done = () => {}
  const edit = details.edit('One', adds('a'), () => new Promise<void>((resolve) => (done = resolve)))
  await turns()
  details.stop()
  done()
  expect(await edit).toBe(true)
  expect(reads).toHaveLength(1)
})

it('a read that is under way ends when the page is left', async () => {
  const details = await shown()
  const read = details.read()
  details.stop()
  await read
  expect(reads).toHaveLength(2)
})
