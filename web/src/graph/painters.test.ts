import { expect, it } from 'vitest'
import type { ToPainter } from './paint.worker'
import { Painter, type PaintWorker } from './painters'

class FakeWorker implements PaintWorker {
  onmessage: PaintWorker['onmessage'] = null
  onerror: PaintWorker['onerror'] = null
  readonly sent: ToPainter[] = []
  postMessage(message: ToPainter): void {
    this.sent.push(message)
  }
  terminate(): void {}
}

function setUp() {
  const worker = new FakeWorker()
  const told: string[] = []
  return { worker, told, painter: new Painter((message) => told.push(message), () => worker) }
}

it('a failure of the worker is told, and nothing waits for it', async () => {
  const { worker, told, painter } = setUp()
  const one = painter.map(1, 1, 1)
  const two = painter.map(2, 2, 1)
  worker.onerror?.({ message: 'no canvas' } as ErrorEvent)
  await expect(one).rejects.toThrow('no canvas')
  await expect(two).rejects.toThrow('no canvas')
  expect(told).toEqual(['no canvas'])
})

it('a failure while nothing is awaited is told too', () => {
  const { worker, told } = setUp()
  worker.onerror?.({ message: '' } as ErrorEvent)
  expect(told).toEqual(['The graph could not be painted.'])
})

it('paints again after a failure', async () => {
  const { worker, painter } = setUp()
  const one = painter.map(1, 1, 1)
  worker.onerror?.({ message: 'no canvas' } as ErrorEvent)
  await expect(one).rejects.toThrow()
  const two = painter.map(1, 1, 1)
  const last = worker.sent.at(-1)
  const bitmap = {} as ImageBitmap
  worker.onmessage?.({ data: { id: last && 'id' in last ? last.id : 0, bitmap } } as MessageEvent)
  expect(await two).toBe(bitmap)
})
