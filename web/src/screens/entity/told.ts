import { OpenLineageToldDocument, type OpenLineageToldQuery } from '../../gql/graphql'
import { query, RequestError } from '../../lib/graphql'
import { parse, text, tree, type Json, type Tree } from './json'

// What OpenLineage events have told of a run, a job or a dataset.

export type Told = OpenLineageToldQuery['openLineage']
type ToldFacet = Told['facets'][number]

/** A facet as events have stated it last. */
export interface Facet {
  key: string
  /** The dataset to which the facet belongs, '' for the entity itself. */
  of: string
  at: string
  /** The run whose event stated the facet, '' if it was of no run. */
  run: string
  value: Json
}

/**
 * Reads what events have told. Of an entity of another source it is nothing, and not every caller may read it, because
 * facets name other entities.
 */
export async function readTold(urn: string, signal: AbortSignal): Promise<{ told?: Told; refused?: string }> {
  try {
    return { told: (await query(OpenLineageToldDocument, { urn }, signal)).openLineage }
  } catch (failure) {
    if (failure instanceof RequestError && failure.code === 403) return { refused: failure.message }
    throw failure
  }
}

/** All facets: those of the entity first, then those of its inputs and outputs. */
export function facetsOf(told: Pick<Told, 'facets' | 'inputs' | 'outputs'> | undefined): Facet[] {
  if (!told) return []
  return [listed(told.facets, ''), ...[...told.inputs, ...told.outputs].map((dataset) => listed(dataset.facets, dataset.name))].flat()
}

function listed(facets: readonly ToldFacet[], of: string): Facet[] {
  return facets.map(({ name, eventTime, runId, facet }) => ({ key: name, of, at: eventTime, run: runId ?? '', value: parse(facet) }))
}

/** The URN of the run that events name by an id. */
export function runOf(id: string): string {
  return `urn:li:dataProcessInstance:${id.trim().toLowerCase()}`
}

/** The message and the stack trace of the error of a run, '' where there is none. */
export function errorOf(facets: readonly Facet[], properties: Tree): { message: string; trace: string } {
  const facet = tree(facets.find((one) => one.key === 'errorMessage' && one.of === '')?.value)
  return {
    message: text(facet.message) || text(properties['errorMessage.message']),
    trace: text(facet.stackTrace) || text(properties['errorMessage.stackTrace']),
  }
}
