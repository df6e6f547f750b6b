// The rights of the signed-in person on the server as a whole. The rights on an entity are read with the
// entity. A server without authentication refuses nobody.

import { RightsDocument, RightsOnEntityDocument, RightsOnTypeDocument } from '../gql/graphql'
import { query } from './graphql'
import type { Refusal } from './refusal'
import { session } from './session.svelte'
import { typeOf } from './urns'

let whose = $state('')
// Undefined if the server did not answer: then nothing is greyed, and the server still refuses.
let held = $state.raw<ReadonlySet<string>>()

export const rights = {
  /** Whether the rights are known. */
  get known() {
    return !session.on || session.missing || whose === session.urn
  },
  /** Whether the person has one of some privileges. */
  has(...privileges: string[]): boolean {
    return !session.on || held === undefined || privileges.some((name) => held?.has(name))
  },
}

/** Reads the rights of the signed-in person. */
export async function learnRights(urn: string): Promise<void> {
  try {
    const answer = await query(RightsDocument, { urn })
    held = new Set(answer.getGrantedPrivileges?.privileges)
  } catch {
    held = undefined
  }
  whose = urn
}

/** The refusal of an action that needs one of some privileges; undefined if the person has one of them. */
export function lacking(deed: string, ...privileges: string[]): Refusal | undefined {
  return rights.has(...privileges) ? undefined : { deed, privileges }
}

/** Like lacking, for privileges on a whole type of entities, such as the privileges to create an entity. */
export async function lackingOnType(deed: string, type: string, privileges: readonly string[], signal?: AbortSignal): Promise<Refusal | undefined> {
  if (!session.on || rights.has(...privileges)) return undefined
  const answer = await query(RightsOnTypeDocument, { urn: session.urn, type }, signal)
  return answer.getGrantedPrivileges?.privileges.some((name) => privileges.includes(name)) ? undefined : { deed, privileges }
}

/** Like lacking, for privileges on an entity. */
export async function lackingOnEntity(deed: string, entity: string, privileges: readonly string[], signal?: AbortSignal): Promise<Refusal | undefined> {
  if (!session.on || rights.has(...privileges)) return undefined
  const answer = await query(RightsOnEntityDocument, { urn: session.urn, type: typeOf(entity), entity }, signal)
  return answer.getGrantedPrivileges?.privileges.some((name) => privileges.includes(name)) ? undefined : { deed, privileges, urn: entity }
}
