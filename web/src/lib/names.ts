import { NamesDocument, type NamesQuery } from '../gql/graphql'
import { query } from './graphql'
import { isUrn } from './urns'

export type Named = NamesQuery['entityRefs'][number]

/** The most URNs that one question may have. */
const most = 1000

/** Reads the names of URNs, now or at a moment; texts that are none have no name. */
export async function namesOf(urns: Iterable<string>, signal?: AbortSignal, asOf?: number): Promise<Map<string, Named>> {
  const wanted = [...new Set(urns)].filter(isUrn)
  const names = new Map<string, Named>()
  for (let at = 0; at < wanted.length; at += most) {
    const { entityRefs } = await query(NamesDocument, { urns: wanted.slice(at, at + most), asOf: asOf ?? null }, signal)
    for (const ref of entityRefs) names.set(ref.urn, ref)
  }
  return names
}

/** Entities with their names, in the order of their URNs. */
export async function entitiesOf(urns: readonly string[], signal?: AbortSignal, asOf?: number): Promise<Named[]> {
  const names = await namesOf(urns, signal, asOf)
  return urns.flatMap((urn) => names.get(urn) ?? [])
}
