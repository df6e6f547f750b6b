import type { FeedItemsQuery } from '../../gql/graphql'
import { paths } from '../../lib/paths'
import { unique } from '../../lib/unique'
import { amount, inWords } from '../../lib/words'
import { findUrns } from '../entity/timeline'

export type Item = FeedItemsQuery['feed']['items'][number]
type Affected = Item['affected'][number]

/** The items that are read at once. */
export const pageSize = 50

/** The items of a feed with older ones. A moment that is at the edge of both pages is in both. */
export function joined(newer: readonly Item[], older: readonly Item[]): Item[] {
  return unique([...newer, ...older], (item) => item.id)
}

/** The URNs that summaries name. */
export function urnsIn(items: readonly Item[]): string[] {
  return items.flatMap(({ summary }) => findUrns(summary).map(({ from, to }) => summary.slice(from, to)))
}

/** The address of a change: the timeline of its entity. */
export function changeOf(item: Item): string {
  return paths.entity(item.entity.urn, { tab: 'timeline' })
}

/** Why somebody is told, in a sentence without its dot. */
export function reasonOf(item: Item): string {
  const near = item.affected.find((one) => one.degree === 0)
  if (near) return near.because === 'OWNER' ? 'You own it' : 'You asked to be told'
  if (item.affected.some((one) => one.because === 'OWNER')) return 'It may break what you own'
  return 'It may break what you asked about'
}

/** The effect on an affected entity, in a few words. */
export function effectOf(one: Affected): string {
  const breaks = one.effect === 'CERTAIN' ? 'breaks' : 'may break'
  const columns = one.columns.length > 0 ? ` in ${one.columns.slice(0, 3).join(', ')}${one.columns.length > 3 ? ` and ${one.columns.length - 3} more` : ''}` : ''
  return `${breaks}${columns}, ${amount(one.degree, 'hop')} downstream`
}

/** The content of a subscription, in words. */
export function wanted(categories: readonly string[], direct: boolean): string {
  const what = categories.length > 0 ? categories.map(inWords).join(', ') : 'everything'
  return `${what}${direct ? ', only of itself' : ', and what upstream may break it'}`
}

/** The categories of events that can be chosen. */
export const categories: { value: string; label: string }[] = [
  { value: 'TECHNICAL_SCHEMA', label: 'Columns and their types' },
  { value: 'DOCUMENTATION', label: 'Descriptions' },
  { value: 'OWNERSHIP', label: 'Owners' },
  { value: 'TAG', label: 'Tags' },
  { value: 'GLOSSARY_TERM', label: 'Glossary terms' },
  { value: 'DOMAIN', label: 'Domain' },
  { value: 'LINEAGE', label: 'Lineage' },
  { value: 'DEPRECATION', label: 'Deprecation' },
  { value: 'LIFECYCLE', label: 'Appearing and disappearing' },
  { value: 'ANNOUNCED_CHANGE', label: 'Announced changes that arrive, and changes that nobody announced' },
]
