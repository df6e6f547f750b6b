import { EntityNamesDocument, type EntityNamedFragment } from '../../gql/graphql'
import { query } from '../../lib/graphql'

// The most URNs that one question may have.
const most = 1000

/** The names of entities, in the order of the URNs. */
export async function namesOf(urns: readonly string[], signal?: AbortSignal): Promise<EntityNamedFragment[]> {
  const all: EntityNamedFragment[] = []
  for (let at = 0; at < urns.length; at += most) {
    const { entityRefs } = await query(EntityNamesDocument, { urns: urns.slice(at, at + most) }, signal)
    all.push(...entityRefs)
  }
  return all
}
