import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Suggestions } from './suggestions.svelte'

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
