import type { DataHubViewDefinitionInput } from '../../gql/graphql'
import { inputOf, type Asked } from './address'

/** The views of each kind that are offered. */
export const mostViews = 100

/** The part of a search that a view can keep: all filters that must hold together. */
export function definitionOf(asked: Asked): DataHubViewDefinitionInput {
  const filters = asked.filters.map(([field, values]) => ({ field, values }))
  // All filters of a view must hold, so for a term the view keeps the entities that have the term, and not the datasets whose columns have it.
  const within = asked.within ? (inputOf({ ...asked, filters: [], path: '' }).orFilters?.[0]?.and ?? []) : []
  return { entityTypes: [], filter: { operator: 'AND', filters: [...filters, ...within] } }
}

/** The parts of a search that a view cannot keep, in words; '' if it keeps everything. */
export function leftOut(asked: Asked): string {
  const parts = [asked.q.trim() && 'the words', asked.path && 'the folder', asked.removed && 'removed entities', asked.view && 'the filters of the view that is chosen now'].filter(Boolean)
  return parts.join(', ')
}

/** Whether a search has anything that a view can keep. */
export function keepable(asked: Asked): boolean {
  return definitionOf(asked).filter.filters.length > 0
}
