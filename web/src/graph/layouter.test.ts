import { describe, expect, it } from 'vitest'
import { jobOf } from './job'
import { Layouter, type Asked, type LayoutWorker } from './layouter'
import { solve, type Job } from './solve'
import { structureOf } from './structure'
import { graphOf } from './testing'

class FakeWorker implements LayoutWorker {
  onmessage: LayoutWorker['onmessage'] = null
  onerror: LayoutWorker['onerror'] = null
  ended = false
  readonly asked: Asked[] = []
  postMessage(message: Asked): void {
    this.asked.push(message)
  }
  terminate(): void {
    this.ended = true
  }
  answer(i: number): void {
    const { id, job } = this.asked[i]!
    this.onmessage?.({ data: { id, solved: solve(job) } } as MessageEvent)
  }
}

const jobWith = (count: number): Job => jobOf(structureOf(graphOf(count, [[0, 1]])), null, -1)

function setUp() {
  const workers: FakeWorker[] = []
  const clock = { now: 0 }
  const layouter = new Layouter(
    () => {
      const worker = new FakeWorker()
      workers.push(worker)
      return worker
    },
    () => clock.now,
  )
  return { workers, clock, layouter }
}

describe('the layouter', () => {
  it('answers', async () => {
    const { workers, layouter } = setUp()
    const promise = layouter.ask(jobWith(2))
    workers[0]!.answer(0)
    expect((await promise)!.x).toHaveLength(2)
  })

  it('gives an outdated question up, and its late answer is not taken for the new one', async () => {
    const { workers, layouter } = setUp()
    const one = layouter.ask(jobWith(2))
    const two = layouter.ask(jobWith(3))
    expect(await one).toBeNull()
    workers[0]!.answer(0)
    workers[0]!.answer(1)
    expect((await two)!.x).toHaveLength(3)
    expect(workers).toHaveLength(1)
  })

  it('ends a worker that has been at an outdated question for long', async () => {
    const { workers, clock, layouter } = setUp()
    const one = layouter.ask(jobWith(2))
    clock.now = 1000
    const two = layouter.ask(jobWith(3))
    expect(await one).toBeNull()
    expect(workers.map((worker) => worker.ended)).toEqual([true, false])
    workers[1]!.answer(0)
    expect((await two)!.x).toHaveLength(3)
  })

  it('tells a failure and begins with a new worker', async () => {
    const { workers, layouter } = setUp()
    const one = layouter.ask(jobWith(2))
    workers[0]!.onerror?.({ message: 'out of memory' } as ErrorEvent)
    await expect(one).rejects.toThrow('out of memory')
    const two = layouter.ask(jobWith(2))
    workers[1]!.answer(0)
    expect(await two).not.toBeNull()
  })

  it('answers null when it is closed', async () => {
    const { workers, layouter } = setUp()
    const one = layouter.ask(jobWith(2))
    layouter.close()
    expect(await one).toBeNull()
    expect(workers[0]!.ended).toBe(true)
  })
})
