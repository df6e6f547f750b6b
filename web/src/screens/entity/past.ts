// What a page of an entity can show of the past.

import type { TabId } from './tabs'

/** Tabs that have no past: they show what is known today. */
export const ofToday: ReadonlySet<TabId> = new Set<TabId>(['contents', 'queries', 'related', 'history', 'runs'])

/** What is said of aspects whose former values are not known for sure; '' if all are. */
export function doubtOf({ unsure, lost }: { unsure: readonly string[]; lost: readonly string[] }): string {
  const said: string[] = []
  if (unsure.length) said.push(`Removed at an unknown time, so perhaps already missing then: ${unsure.join(', ')}.`)
  if (lost.length) said.push(`No longer kept as it was then, so missing here: ${lost.join(', ')}.`)
  return said.join(' ')
}

/** The moment just before a write, which restoring to undoes the write; undefined if it is not known when it was. */
export function before(written: number | null | undefined): number | undefined {
  return written ? written - 1 : undefined
}

/** What comes one after the other under the same key, together. */
export function grouped<T>(all: readonly T[], keyOf: (one: T) => string): [key: string, together: T[]][] {
  const groups: [string, T[]][] = []
  for (const one of all) {
    const key = keyOf(one)
    const last = groups.at(-1)
    if (last?.[0] === key) last[1].push(one)
    else groups.push([key, [one]])
  }
  return groups
}
