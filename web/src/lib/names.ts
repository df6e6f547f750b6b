import { NamesDocument, type NamesQuery } from '../gql/graphql'
import { query } from './graphql'

export type Named = NamesQuery['entityRefs'][number]

/** Reads the names of URNs; texts that are none have no name. */
export async function namesOf(urns: Iterable<string>, signal?: AbortSignal): Promise<Map<string, Named>> {
  const wanted = [...new Set(urns)].filter((urn) => urn.startsWith('urn:')).slice(0, 1000)
  if (wanted.length === 0) return new Map()
  const { entityRefs } = await query(NamesDocument, { urns: wanted }, signal)
  return new Map(entityRefs.map((ref) => [ref.urn, ref]))
}
