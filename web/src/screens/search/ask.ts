import { SearchFacetDocument, SearchResultsDocument } from '../../gql/graphql'
import { query } from '../../lib/graphql'
import { namesOf, type Named } from '../../lib/names'
import { unique } from '../../lib/unique'
import { inputOf, partsOf, type Asked } from './address'
import { urnsOf, type Found } from './rows'

export interface Answer {
  asked: Asked
  found: Found
  names: Map<string, Named>
}

/** Asks for the results, then for the names of the entities in them, as of a moment if one is chosen. */
export async function ask(asked: Asked, signal: AbortSignal, asOf?: number): Promise<Answer> {
  const [found, others] = await Promise.all([results(asked, signal), Promise.all(asked.filters.map(([field]) => alternatives(asked, field, signal)))])
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

/** The parts that were read before are kept (cache.ts), so that only the last part is asked for. */
async function results(asked: Asked, signal: AbortSignal): Promise<Found> {
  const parts = await Promise.all(partsOf(asked).map((start) => part(asked, start, signal)))
  // A write between two parts may move a result into the next part.
  return { ...parts[0]!, searchResults: unique(parts.flatMap((one) => one.searchResults), ({ entity }) => entity.urn) }
}

async function part(asked: Asked, start: number, signal: AbortSignal | undefined): Promise<Found> {
  const { searchAcrossEntities } = await query(SearchResultsDocument, { input: inputOf(asked, start) }, signal)
  if (!searchAcrossEntities) throw new Error('The server did not answer the search.')
  return searchAcrossEntities
}

/** One part of a table for download: it is not cached, and has the names of today. */
export async function askPart(asked: Asked, start: number, signal: AbortSignal): Promise<{ found: Found; names: Map<string, Named> }> {
  signal.throwIfAborted()
  const found = await part(asked, start, undefined)
  signal.throwIfAborted()
  return { found, names: await namesOf(urnsOf(found)) }
}

/** Whether an answer puts other results on the screen than another one, or puts them elsewhere. */
export function moves(before: Answer, after: Answer): boolean {
  const urns = ({ found }: Answer) => found.searchResults.map(({ entity }) => entity.urn)
  const [was, is] = [urns(before), urns(after)]
  return was.length !== is.length || was.some((urn, i) => urn !== is[i])
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
