// What the person who has signed in may do with the server as a whole. What they may do with an
// entity is read with the entity. A server without authentication refuses nobody.

import { RightsDocument, RightsOnEntityDocument, RightsOnTypeDocument } from '../gql/graphql'
import { query } from './graphql'
import type { Refusal } from './refusal'
import { session } from './session.svelte'
import { typeOf } from './urns'

let whose = $state('')
// Undefined if the server did not say it: then nothing is greyed, and the server still refuses.
let held = $state.raw<ReadonlySet<string>>()

export const rights = {
  /** Whether it is known what may be offered. */
  get known() {
    return !session.on || session.missing || whose === session.urn
  },
  /** Whether one of some privileges is held. */
  has(...privileges: string[]): boolean {
    return !session.on || held === undefined || privileges.some((name) => held?.has(name))
  },
}

/** Reads the rights of whoever has signed in. */
export async function learnRights(urn: string): Promise<void> {
  try {
    const answer = await query(RightsDocument, { urn })
    held = new Set(answer.getGrantedPrivileges?.privileges)
  } catch {
    held = undefined
  }
  whose = urn
}

/** Why something needs privileges that are not held; undefined if one of them is. */
export function lacking(deed: string, ...privileges: string[]): Refusal | undefined {
  return rights.has(...privileges) ? undefined : { deed, privileges }
}

/** Like lacking, of privileges on a type of entities as a whole: those that permit creating one. */
export async function lackingOnType(deed: string, type: string, privileges: readonly string[], signal?: AbortSignal): Promise<Refusal | undefined> {
  if (!session.on || rights.has(...privileges)) return undefined
  const answer = await query(RightsOnTypeDocument, { urn: session.urn, type }, signal)
  return answer.getGrantedPrivileges?.privileges.some((name) => privileges.includes(name)) ? undefined : { deed, privileges }
}

/** Like lacking, of privileges on an entity. */
export async function lackingOnEntity(deed: string, entity: string, privileges: readonly string[], signal?: AbortSignal): Promise<Refusal | undefined> {
  if (!session.on || rights.has(...privileges)) return undefined
  const answer = await query(RightsOnEntityDocument, { urn: session.urn, type: typeOf(entity), entity }, signal)
  return answer.getGrantedPrivileges?.privileges.some((name) => privileges.includes(name)) ? undefined : { deed, privileges, urn: entity }
}
