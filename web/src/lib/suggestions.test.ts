import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Suggestions, type Suggestion } from './suggestions.svelte'

vi.mock('./graphql', async (original) => ({
  ...(await original<object>()),
  query: async (_: unknown, { text }: { text: string }) => ({ suggest: [{ entity: { name: text + '1' } }, { entity: { name: text + '2' } }] }),
}))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('what was chosen for a text is not chosen for the next one', async () => {
  const suggestions = new Suggestions()
  suggestions.ask('a')
  await vi.advanceTimersByTimeAsync(1000)
  suggestions.move(1)
  expect(suggestions.active).toBe(0)
  suggestions.ask('a ')
  expect(suggestions.active).toBe(0)
  suggestions.ask('ab')
  expect(suggestions.active).toBe(-1)
})

it('Enter before the suggestions of the typed text have come takes the first of them', async () => {
  const suggestions = new Suggestions()
  const taken: string[] = []
  const take = ({ entity }: Suggestion) => void taken.push((entity as unknown as { name: string }).name)
  suggestions.ask('a')
  await vi.advanceTimersByTimeAsync(1000)
  suggestions.ask('ab')
  suggestions.choose(take)
  expect(taken).toEqual([])
  await vi.advanceTimersByTimeAsync(1000)
  expect(taken).toEqual(['ab1'])

  suggestions.ask('abc')
  suggestions.choose(take)
  suggestions.ask('abcd')
  await vi.advanceTimersByTimeAsync(1000)
  expect(taken).toEqual(['ab1'])

  suggestions.move(1)
  suggestions.move(1)
  suggestions.choose(take)
  expect(taken).toEqual(['ab1', 'abcd2'])
})
