// The requests of the screens about policies.

import { PoliciesDocument, PolicyOneDocument, PolicyRolesDocument, PolicyWordsDocument } from '../../gql/graphql'
import { query, RequestError } from '../../lib/graphql'
import { namesOf } from '../../lib/names'
import { nameOf } from '../../lib/urns'
import { urnsOf, wordsOf, type Policy, type Words } from './policy'

/** The most policies that the list reads. */
export const mostPolicies = 1000
const page = 200

/** The names of URNs; an unknown one is shown by its URN. */
export type Names = (urn: string) => string

export async function readNames(urns: readonly string[], signal?: AbortSignal): Promise<Names> {
  const names = await namesOf(urns, signal)
  return (urn) => names.get(urn)?.name || nameOf(urn)
}

export async function readWords(signal?: AbortSignal): Promise<Words> {
  return wordsOf((await query(PolicyWordsDocument, {}, signal)).appConfig?.policiesConfig)
}

/** All policies, with the names of the entities in them. */
export async function readPolicies(signal?: AbortSignal): Promise<{ total: number; policies: Policy[]; nameOf: Names }> {
  const policies: Policy[] = []
  let total = 0
  do {
    const { listPolicies } = await query(PoliciesDocument, { start: policies.length, count: page }, signal)
    total = listPolicies?.total ?? 0
    if (!listPolicies?.policies.length) break
    policies.push(...listPolicies.policies)
  } while (policies.length < Math.min(total, mostPolicies))
  return { total, policies, nameOf: await readNames(policies.flatMap(urnsOf), signal) }
}

/** One policy, with the names of the entities in it. */
export async function readPolicy(urn: string, signal?: AbortSignal): Promise<{ policy: Policy; nameOf: Names }> {
  const { entity } = await query(PolicyOneDocument, { urn }, signal)
  if (!entity || !('privileges' in entity)) throw new RequestError('There is no such policy.', 404)
  const policy = entity as Policy
  return { policy, nameOf: await readNames(urnsOf(policy), signal) }
}

export async function readRoles(signal?: AbortSignal): Promise<{ urn: string; name: string; description: string }[]> {
  return (await query(PolicyRolesDocument, {}, signal)).listRoles?.roles ?? []
}
