// The painting worker, as the page uses it.

import { paletteOf } from './palette'
import type { Frame, Look } from './look'
import type { FromPainter, ToPainter } from './paint.worker'
import type { Positions } from './routes'
import type { Solved } from './solve'
import type { Structure } from './structure'
import type { Lit } from './types'

/** How many nodes and edges are copied to the worker at a time, so that the page stays quick. */
const PART = 3000

/** The part of Worker that is used, so that a test can stand in for it. */
export interface PaintWorker {
  postMessage(message: ToPainter): void
  terminate(): void
  onmessage: ((event: MessageEvent<FromPainter>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
}

export class Painter {
  private readonly worker: PaintWorker
  private readonly waiting = new Map<number, { resolve: (bitmap: ImageBitmap) => void; reject: (error: Error) => void }>()
  private last = 0

  /** A failure is reported once; requests that wait fail with it. */
  constructor(
    onerror: (message: string) => void,
    start: () => PaintWorker = () => new Worker(new URL('./paint.worker.ts', import.meta.url), { type: 'module', name: 'paint' }) as unknown as PaintWorker,
  ) {
    this.worker = start()
    this.worker.onerror = (event) => {
      const error = new Error(event.message || 'The graph could not be painted.')
      const waiting = [...this.waiting.values()]
      this.waiting.clear()
      for (const { reject } of waiting) reject(error)
      onerror(error.message)
    }
    this.worker.onmessage = ({ data }: MessageEvent<FromPainter>) => {
      const asked = this.waiting.get(data.id)
      this.waiting.delete(data.id)
      if (asked) asked.resolve(data.bitmap)
      else data.bitmap.close()
    }
  }

  /** Sends a graph in parts; false if a newer graph came before the last part was sent. */
  async scene(structure: Structure, wanted: () => boolean, solved?: Solved, old?: Positions): Promise<boolean> {
    const { nodes, edges } = structure
    const parts = Math.max(1, Math.ceil(Math.max(nodes.length, edges.length) / PART))
    for (let i = 0; i < parts; i++) {
      if (i) await pause()
      if (!wanted()) return false
      const at = i * PART
      this.send({ kind: 'part', first: i === 0, nodes: nodes.slice(at, at + PART), edges: edges.slice(at, at + PART) })
    }
    this.send({ kind: 'scene', solved, old })
    return true
  }

  theme(element: Element): void {
    this.send({ kind: 'palette', palette: paletteOf(element) })
  }

  look(look: Look): void {
    this.send({ kind: 'look', look })
  }

  lit(lit: Lit | null): void {
    this.send({ kind: 'lit', lit: lit && { nodes: lit.nodes, edges: lit.edges, columns: lit.columns } })
  }

  paint(layer: 'all' | 'lit', frame: Frame, bare: number[], t: number): Promise<ImageBitmap> {
    return this.ask((id) => ({ kind: 'paint', id, layer, frame, bare, t }))
  }

  map(width: number, height: number, ratio: number): Promise<ImageBitmap> {
    return this.ask((id) => ({ kind: 'map', id, width, height, ratio }))
  }

  close(): void {
    this.worker.terminate()
    this.waiting.clear()
  }

  private ask(message: (id: number) => ToPainter): Promise<ImageBitmap> {
    const id = ++this.last
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject })
      this.send(message(id))
    })
  }

  private send(message: ToPainter): void {
    this.worker.postMessage(message)
  }
}

/** Lets the page do other work. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
