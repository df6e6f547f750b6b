// @vitest-environment jsdom
import { flushSync } from 'svelte'
import { expect, test, vi } from 'vitest'
import { changed, kept } from './cache'
import { load, type Loaded } from './load.svelte'

const urn = 'urn:li:dataset:(urn:li:dataPlatform:x,held,PROD)'
let tries = 0
const elsewhere = () => changed({ entities: new Set([urn]), related: new Set(), all: false })

/** Loads lists; a list in another order counts as moved. */
async function loading(answers: string[][], use: (loaded: Loaded<string[]>, answered: () => Promise<void>) => Promise<void>) {
  let asked = 0
  const name = `held ${tries++}`
  let loaded: Loaded<string[]>
  const end = $effect.root(() => {
    loaded = load(
      () => undefined,
      (_, signal) => kept([urn, name], () => Promise.resolve(answers[asked++]!), signal),
      { moves: (before, after) => before.join() !== after.join() },
    )
  })
  const answered = async () => {
    const before = asked
    flushSync()
    await vi.waitFor(() => expect(asked).toBeGreaterThan(before))
    await new Promise((resolve) => setTimeout(resolve))
    flushSync()
  }
  flushSync()
  await vi.waitFor(() => expect(loaded!.value).toBeDefined())
  await use(loaded!, answered)
  end()
}

test('what changed elsewhere and would move what is read waits until it is shown', async () => {
  await loading([['a', 'b'], ['b', 'a'], ['a', 'b', 'c']], async (loaded, answered) => {
    elsewhere()
    await answered()
    expect([loaded.value, loaded.changed]).toEqual([['a', 'b'], true])
    elsewhere()
    await answered()
    expect([loaded.value, loaded.changed]).toEqual([['a', 'b'], true])
    loaded.show()
    expect([loaded.value, loaded.changed]).toEqual([['a', 'b', 'c'], false])
  })
})

test('what changed back is not told', async () => {
  await loading([['x'], ['y'], ['x']], async (loaded, answered) => {
    elsewhere()
    await answered()
    expect(loaded.changed).toBe(true)
    elsewhere()
    await answered()
    expect([loaded.value, loaded.changed]).toEqual([['x'], false])
  })
})

test('what somebody asks for is shown at once', async () => {
  await loading([['x'], ['y'], ['z']], async (loaded, answered) => {
    elsewhere()
    await answered()
    expect(loaded.changed).toBe(true)
    loaded.reload()
    await answered()
    expect([loaded.value, loaded.changed]).toEqual([['z'], false])
  })
})
