import { beforeEach, expect, it, vi } from 'vitest'
import { entitiesOf, namesOf } from './names'

const asked: string[][] = []

vi.mock('./graphql', () => ({
  query: async (_: unknown, { urns }: { urns: string[] }) => {
    asked.push(urns)
    return { entityRefs: urns.filter((urn) => !urn.endsWith(':gone')).map((urn) => ({ urn, type: 'tag', name: urn.slice(11), platformName: null, exists: true, removed: false })) }
  },
}))

const tags = (count: number) => Array.from({ length: count }, (_, i) => `urn:li:tag:${i}`)

beforeEach(() => void (asked.length = 0))

it('reads more names than one question may have', async () => {
  const names = await namesOf(tags(2500))
  expect(asked.map((urns) => urns.length)).toEqual([1000, 1000, 500])
  expect(names.size).toBe(2500)
  expect(names.get('urn:li:tag:2499')?.name).toBe('2499')
})

it('asks for each URN once, for other texts never, and for none not at all', async () => {
  await namesOf(['urn:li:tag:a', 'orders', 'urn:li:tag:a', ''])
  expect(asked).toEqual([['urn:li:tag:a']])
  expect(await namesOf(['orders'])).toEqual(new Map())
  expect(asked).toHaveLength(1)
})

it('keeps the order, and what is named twice', async () => {
  const urns = ['urn:li:tag:b', 'urn:li:tag:gone', 'urn:li:tag:a', 'urn:li:tag:b']
  expect((await entitiesOf(urns)).map(({ name }) => name)).toEqual(['b', 'a', 'b'])
})
