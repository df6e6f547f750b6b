import { expect, it } from 'vitest'
import { newest } from './versions'

/** A server with total versions, the newest first. */
function server(total: number) {
  const asked: [start: number, count: number][] = []
  const state = { total }
  const read = async (start: number, count: number) => {
    asked.push([start, count])
    expect(count).toBeLessThanOrEqual(100)
    return { total: state.total, versions: Array.from({ length: Math.max(0, Math.min(count, state.total - start)) }, (_, i) => state.total - start - i) }
  }
  return { asked, state, read }
}

const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i)

it('reads on past the most that one answer holds', async () => {
  const { read, asked } = server(250)
  expect(await newest(230, undefined, read)).toEqual({ total: 250, versions: down(250, 21) })
  expect(asked).toEqual([[0, 100], [100, 100], [200, 30]])
})

it('reads only what is not known yet, to the oldest', async () => {
  const { read, asked } = server(130)
  const first = await newest(20, undefined, read)
  expect(first.versions).toEqual(down(130, 111))
  expect((await newest(220, first, read)).versions).toEqual(down(130, 1))
  expect(asked).toEqual([[0, 20], [20, 100], [120, 100]])
})

it('begins again when there is a version more meanwhile', async () => {
  const { read, state } = server(130)
  const first = await newest(20, undefined, read)
  state.total++
  expect(await newest(120, first, read)).toEqual({ total: 131, versions: down(131, 12) })
})

it('ends where the server has no more, whatever it said before', async () => {
  expect(await newest(20, undefined, async () => ({ total: 5, versions: [] as number[] }))).toEqual({ total: 5, versions: [] })
  const { read } = server(0)
  expect(await newest(20, undefined, read)).toEqual({ total: 0, versions: [] })
})
