import type { TimeChangesQuery } from '../../gql/graphql'

// The changes as the list shows them: filtered, by day and by write.

export type Found = TimeChangesQuery['lineageChanges']
export type Change = Found['changes'][number]
export type Ref = Change['entity']

export interface Filter {
  categories: readonly string[]
  /** Words of the entity's name. */
  text: string
}

/** The changes of two answers, each once. */
export function united(all: readonly Change[], more: readonly Change[]): Change[] {
  const keyOf = (change: Change) => [change.time, change.entity.urn, change.category, change.part?.urn, change.description].join('\n')
  return [...new Map([...all, ...more].map((change) => [keyOf(change), change])).values()]
}

export function filtered(changes: readonly Change[], { categories, text }: Filter): Change[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return changes.filter((change) => {
    if (categories.length && !categories.includes(change.category)) return false
    const named = `${change.entity.name} ${change.part?.name ?? ''}`.toLowerCase()
    return words.every((word) => named.includes(word))
  })
}

export function categoriesOf(changes: readonly Change[]): { category: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { category } of changes) counts.set(category, (counts.get(category) ?? 0) + 1)
  return [...counts].map(([category, count]) => ({ category, count })).sort((a, b) => b.count - a.count || a.category.localeCompare(b.category))
}

const labels: Record<string, string> = {
  TECHNICAL_SCHEMA: 'Columns',
  DOCUMENTATION: 'Documentation',
  TAG: 'Tags',
  GLOSSARY_TERM: 'Terms',
  OWNER: 'Owners',
  DOMAIN: 'Domains',
  DEPRECATION: 'Deprecation',
  LINEAGE: 'Lineage',
  ANNOUNCED_CHANGE: 'Announced changes',
}

/** The words for a category of the server. */
export function categoryLabel(category: string): string {
  const known = Object.hasOwn(labels, category) ? labels[category] : undefined
  return known ?? category.charAt(0) + category.slice(1).toLowerCase().replaceAll('_', ' ')
}

// How the server ends the words of a change that a rollback made or undid.
const undoing = / \(rollback of run (.+)\)$/s
const undone = / \(run .+, rolled back since\)$/s

/** The words of a change, without the words that all changes of the same write share. */
export function words(change: Change): string {
  return change.description.replace(undoing, '').replace(undone, '')
}

/** The changes that one actor wrote at one moment. */
export interface Together {
  /** Unique in the list. */
  id: string
  time: number
  actor: Ref | null
  run: string
  /** The run that this write rolled back, '' if the write was no rollback. */
  undoes: string
  /** Whether the write was rolled back later. */
  undone: boolean
  entities: { entity: Ref; degree: number; changes: Change[] }[]
}

export interface Day {
  /** The beginning of the day in the local time zone. */
  at: number
  together: Together[]
}

/** Changes by day, and within a day by write, in their order. */
export function byDay(changes: readonly Change[]): Day[] {
  const days: Day[] = []
  for (const change of changes) {
    const at = new Date(change.time).setHours(0, 0, 0, 0)
    let today = days.at(-1)
    if (today?.at !== at) days.push((today = { at, together: [] }))
    const run = change.run ?? ''
    const id = `${change.time} ${run} ${change.actor?.urn ?? ''}`
    let group = today.together.find((each) => each.id === id)
    if (!group) today.together.push((group = { id, time: change.time, actor: change.actor ?? null, run, undoes: '', undone: false, entities: [] }))
    let of = group.entities.find((each) => each.entity.urn === change.entity.urn)
    if (!of) group.entities.push((of = { entity: change.entity, degree: change.degree, changes: [] }))
    of.changes.push(change)
    group.undoes ||= undoing.exec(change.description)?.[1] ?? ''
    group.undone ||= undone.test(change.description)
  }
  for (const { together } of days) for (const group of together) group.entities.sort((a, b) => Math.abs(a.degree) - Math.abs(b.degree) || a.degree - b.degree)
  return days
}

/** The distance of an entity from the start, in words. */
export function distance(degree: number): string {
  if (!degree) return ''
  const hops = Math.abs(degree)
  return `${hops} ${hops === 1 ? 'hop' : 'hops'} ${degree < 0 ? 'upstream' : 'downstream'}`
}
