import type { Changed } from './cache'
import { urnsOf } from './mentions'

/** The most changes at once that are handled one by one; more count as a change of everything. */
export const mostChanges = 500
const shortest = 1000
const longest = 60_000

/** Gathers the changes of the event stream. */
export class Batch {
  #entities = new Set<string>()
  #related = new Set<string>()
  #count = 0

  /** Adds an event: JSON of a change of the log. */
  add(data: string): void {
    if (++this.#count > mostChanges) return
    try {
      const { entityUrn, aspect, previousAspectValue } = JSON.parse(data) as { entityUrn?: string; aspect?: unknown; previousAspectValue?: unknown }
      if (entityUrn) this.#entities.add(entityUrn)
      for (const value of [aspect, previousAspectValue]) for (const urn of urnsOf(value)) this.#related.add(urn)
    } catch {
      this.#count = mostChanges + 1
    }
  }

  take(): Changed {
    return { entities: this.#entities, related: this.#related, all: this.#count > mostChanges }
  }
}

/** How long to wait before the next attempt, in milliseconds: twice as long each time, spread so that pages do not come at once. */
export function pauseBefore(failures: number, random = Math.random()): number {
  return Math.min(longest, shortest * 2 ** (failures - 1)) * (0.5 + random / 2)
}
