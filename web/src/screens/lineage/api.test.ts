import { beforeEach, expect, it, vi } from 'vitest'
import { RequestError } from '../../lib/graphql'
import { around } from './api'

const asked: number[] = []
let most = Infinity
let failure = 'the answer has more than 250000 fields; ask for smaller pages or fewer fields'

vi.mock('../../lib/graphql', async (original) => ({
  ...(await original<object>()),
  query: async (_: unknown, { input }: { input: { limit: number } }) => {
    asked.push(input.limit)
    if (input.limit > most) throw new RequestError(failure, 400)
    return { lineageGraph: { nodes: [], limit: input.limit } }
  },
}))

const request = { key: '', urn: 'urn:li:dataset:a', direction: 'down' as const, hops: 1000, limit: 4000 }
const read = () => around(request, undefined, new AbortController().signal)

beforeEach(() => {
  asked.length = 0
})

it('asks for fewer nodes when an answer would be too large', async () => {
  most = 1500
  expect(await read()).toMatchObject({ limit: 1000 })
  expect(asked).toEqual([4000, 2000, 1000])
})

it('gives up when even few nodes are too large, and on other failures at once', async () => {
  most = 0
  await expect(read()).rejects.toThrow('more than 250000 fields')
  expect(asked).toEqual([4000, 2000, 1000, 500, 250])
  asked.length = 0
  failure = 'no such entity'
  await expect(read()).rejects.toThrow('no such entity')
  expect(asked).toEqual([4000])
})
