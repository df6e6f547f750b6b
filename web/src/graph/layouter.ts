// Layouts by promise. Only the newest request counts: an older request is dropped, together with its
// worker if the worker has computed for long.

import type { Job, Solved } from './solve'

export interface Asked {
  id: number
  job: Job
}

export interface Answered {
  id: number
  solved: Solved
}

/** The part of Worker that is used here, so that a test can replace it. */
export interface LayoutWorker {
  postMessage(message: Asked): void
  terminate(): void
  onmessage: ((event: MessageEvent<Answered>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
}

const PATIENCE = 200

export class Layouter {
  private worker: LayoutWorker | undefined
  private last = 0
  private running: { id: number; since: number; resolve: (solved: Solved | null) => void; reject: (error: Error) => void } | undefined

  constructor(
    private readonly start: () => LayoutWorker = () =>
      new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module', name: 'layout' }) as unknown as LayoutWorker,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The layout, or null when a newer question has come in between. */
  ask(job: Job): Promise<Solved | null> {
    if (this.running) {
      this.running.resolve(null)
      if (this.now() - this.running.since > PATIENCE) this.stop()
      this.running = undefined
    }
    const id = ++this.last
    const worker = (this.worker ??= this.begin())
    return new Promise((resolve, reject) => {
      this.running = { id, since: this.now(), resolve, reject }
      worker.postMessage({ id, job })
    })
  }

  /** Ends the worker; an open request is answered with null. */
  close(): void {
    this.running?.resolve(null)
    this.running = undefined
    this.stop()
  }

  private begin(): LayoutWorker {
    const worker = this.start()
    worker.onmessage = ({ data }) => {
      if (data.id !== this.running?.id) return
      this.running.resolve(data.solved)
      this.running = undefined
    }
    worker.onerror = (event) => {
      this.running?.reject(new Error(event.message || 'The layout could not be computed.'))
      this.running = undefined
      this.stop()
    }
    return worker
  }

  private stop(): void {
    this.worker?.terminate()
    this.worker = undefined
  }
}
