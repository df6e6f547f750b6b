import type { HomeChangesQuery } from '../../gql/graphql'
import { knownTypes, typeLabel } from '../../lib/kinds'
import { day } from '../../lib/times'
import { partOf } from '../../lib/parts'
import { amount } from '../../lib/words'

export type Change = HomeChangesQuery['recentChanges']['changes'][number]

// Types that the server writes for itself, such as the common platforms; changes of them are not news.
const ownTypes = /^(dataHub.*|dataPlatform|dataType|entityType|globalSettings|inviteToken|ownershipType|telemetry)$/

/** The types whose changes the start page shows. */
export const toldTypes: string[] = knownTypes.filter((type) => !ownTypes.test(type))

export interface Day {
  title: string
  changes: Change[]
}

/** The changes, the newest first, by the day of the reader's calendar. */
export function byDay(changes: readonly Change[], now: number): Day[] {
  const days: Day[] = []
  for (const change of changes) {
    const title = day(change.time, now)
    const last = days.at(-1)
    if (last?.title === title) last.changes.push(change)
    else days.push({ title, changes: [change] })
  }
  return days
}

/** The change of the entity in words, such as "changed owners and tags". */
export function said(change: Pick<Change, 'kind' | 'aspects'>): string {
  const names = [...new Set(change.aspects.map(partOf))]
  const verb = change.kind === 'DELETE' ? (names.length ? 'removed' : 'deleted') : 'changed'
  if (names.length === 0) return verb
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names
  return `${verb} ${shown.length === 1 ? shown[0] : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`}`
}

/** The entities of the change besides the named one, such as "and 41 other datasets". */
export function others(change: Pick<Change, 'entities' | 'entity'>): string {
  const more = change.entities - 1
  if (more < 1) return ''
  const { type } = change.entity
  return `and ${amount(more, `other ${lower(typeLabel(type))}`, `other ${lower(typeLabel(type, true))}`)}`
}

/** Writes a label in lower case: Dataset becomes dataset, but AI agent stays. */
function lower(label: string): string {
  return /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1)
}
