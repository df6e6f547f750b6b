import { SearchFacetDocument, SearchResultsDocument } from '../../gql/graphql'
import { query } from '../../lib/graphql'
import { namesOf, type Named } from '../../lib/names'
import { inputOf, type Asked } from './address'
import { urnsOf, type Found } from './rows'

export interface Answer {
  asked: Asked
  found: Found
  names: Map<string, Named>
}

/** Asks for the results, then for the names of everything in them, which may be those of a moment. */
export async function ask(asked: Asked, signal: AbortSignal, asOf?: number): Promise<Answer> {
  const [results, ...others] = await Promise.all([
    query(SearchResultsDocument, { input: inputOf(asked) }, signal),
    ...asked.filters.map(([field]) => alternatives(asked, field, signal)),
  ])
  const found = results.searchAcrossEntities
  if (!found) throw new Error('The server did not answer the search.')
  // A field with a chosen value offers its other values too.
  const facets = [...(found.facets ?? [])]
  for (const other of others.flat()) {
    const at = facets.findIndex((facet) => facet.field === other.field)
    if (at < 0) facets.push(other)
    else facets[at] = other
  }
  const whole = { ...found, facets }
  const names = await namesOf([...urnsOf(whole), ...asked.filters.flatMap(([, values]) => values), ...asked.path.split('␟'), asked.within ?? '', asked.view ?? ''], signal, asOf)
  return { asked, found: whole, names }
}

/** The counts of the values of a field without the choice among them. */
async function alternatives(asked: Asked, field: string, signal: AbortSignal) {
  const without = { ...asked, filters: asked.filters.filter(([name]) => name !== field) }
  const { query: text, orFilters, searchFlags, viewUrn } = inputOf(without)
  const answer = await query(SearchFacetDocument, { input: { query: text, facets: [field], orFilters, searchFlags, viewUrn } }, signal)
  return (answer.aggregateAcrossEntities?.facets ?? []).filter((facet) => facet.field === field)
}

/** The place of the error in a structured query, counted in characters from 1. */
export function placeOfError(message: string): number | undefined {
  const found = /the query is wrong at (?:character (\d+)|its end \(character (\d+)\))/.exec(message)
  return found ? Number(found[1] ?? found[2]) : undefined
}
