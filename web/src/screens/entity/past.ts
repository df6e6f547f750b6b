// The parts of the page of an entity that can show the past.

import type { TabId } from './tabs'

/** Tabs that always show today. */
export const ofToday: ReadonlySet<TabId> = new Set<TabId>(['contents', 'queries', 'related', 'history', 'runs'])

/** A note about aspects whose former values are not known for sure; '' if all are. */
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

/** Groups of neighbours with the same key. */
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
