// Follows changes that others make in the explored graph. A change that moves no node is shown at once; the rest waits
// until somebody wants to see it.

import { reads, type Changed } from '../../lib/cache'
import { columnOf } from '../../lib/columns'
import { aborted } from '../../lib/graphql'
import type { ColumnPath } from './columns'
import type { Known } from './known'
import { type Anew, differenceOf, readAnew } from './reading'
import { show, type Shown } from './shown'
import type { View } from './view'

interface Host {
  explorer: { readonly root: string; readonly view: View; readonly all: Known; readonly shown: Shown; readonly loaded: boolean; readonly reading: boolean }
  /** The view with the entities of a path. */
  withPath: (path: ColumnPath | undefined, known?: Known) => View
  /** Whether nodes would move. */
  moves: (anew: Anew, shown: Shown) => boolean
  replace: (anew: Anew) => void
  /** Called when a change cannot be read, and again, with undefined, when it can. */
  failed: (error: unknown) => void
}

export class Elsewhere {
  #ahead: { anew: Anew; text: string } | undefined = $state.raw(undefined)
  /** The number of changes so far: only the newest change is read. */
  #changes = 0
  /** Something changed while parts of the graph were read. */
  #late = false
  #signal: AbortSignal = AbortSignal.abort()
  readonly #host: Host

  constructor(host: Host) {
    this.#host = host
  }

  /** The changes that are not shown yet, in words. */
  get text(): string | undefined {
    return this.#ahead?.text
  }

  /** The changes to show now. */
  take(): { anew: Anew; text: string } | undefined {
    const ahead = this.#ahead
    this.#ahead = undefined
    return ahead
  }

  /** Follows until the signal ends it, and then forgets the waiting changes. */
  follow(signal: AbortSignal): void {
    this.#signal = signal
    this.#ahead = undefined
    this.#late = false
    const concerned = ({ entities, related }: Changed) => [...entities, ...related].some((urn) => this.#host.explorer.all.nodes.has(columnOf(urn)?.entity ?? urn))
    reads(signal, () => void this.read(), { concerned })
  }

  /** The parts of the graph that were being read are here. */
  settled(): void {
    if (this.#late) void this.read()
  }

  /** The view is another one, and the waiting changes were read for the former view. */
  viewed(): void {
    if (this.#ahead) void this.read()
  }

  async read(): Promise<void> {
    const { explorer, withPath } = this.#host
    const change = ++this.#changes
    // The past does not change. Answers on their way are compared when they arrive.
    if (explorer.view.asOf !== undefined || !explorer.loaded) return
    this.#late = explorer.reading
    if (this.#late) return
    const signal = this.#signal
    const control = new AbortController()
    const end = () => control.abort()
    signal.addEventListener('abort', end, { once: true })
    reads(control.signal, () => {}, { fresh: true })
    const { view } = explorer
    try {
      const anew = await readAnew(explorer.root, view, withPath, control.signal)
      if (change !== this.#changes || signal.aborted) return
      // A step meanwhile needs other parts of the graph.
      if (view !== explorer.view) return void this.read()
      this.#host.failed(undefined)
      const shown = show(anew.known, explorer.root, withPath(anew.path, anew.known))
      this.#ahead = this.#host.moves(anew, shown) ? { anew, text: differenceOf(explorer.shown, shown) } : undefined
      if (!this.#ahead) this.#host.replace(anew)
    } catch (error) {
      if (!signal.aborted && !aborted(error) && change === this.#changes) this.#host.failed(error)
    } finally {
      signal.removeEventListener('abort', end)
      control.abort()
    }
  }
}
