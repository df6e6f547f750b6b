import type { PolicyUpdateInput } from '../../gql/graphql'
import { conditions, criteriaOf, everyPrivilege, fields, type Criterion, type Policy } from './policy'

/** A policy in the form, until it is saved. */
export interface Draft {
  name: string
  description: string
  type: Policy['type']
  state: Policy['state']
  effect: Policy['effect']
  privileges: string[]
  everybody: boolean
  anyGroup: boolean
  owners: boolean
  /** Types of ownership; [] for every type. */
  ownerTypes: string[]
  users: string[]
  groups: string[]
  roles: string[]
  criteria: Criterion[]
  /** A local day and time in the form of a field; '' for a policy without an end. */
  ends: string
}

export function emptyDraft(): Draft {
  return {
    name: '', description: '', type: 'METADATA', state: 'ACTIVE', effect: 'ALLOW', privileges: [], everybody: false, anyGroup: false, owners: false, ownerTypes: [],
    users: [], groups: [], roles: [], criteria: [], ends: '',
  }
}

export function draftOf(policy: Policy, toField: (at: number) => string): Draft {
  const { actors } = policy
  return {
    name: policy.name, description: policy.description ?? '', type: policy.type, state: policy.state, effect: policy.effect, privileges: [...policy.privileges],
    everybody: actors.allUsers, anyGroup: actors.allGroups, owners: actors.resourceOwners, ownerTypes: [...(actors.resourceOwnersTypes ?? [])],
    users: [...(actors.users ?? [])], groups: [...(actors.groups ?? [])], roles: [...(actors.roles ?? [])],
    criteria: criteriaOf(policy).map((one) => ({ ...one, values: [...one.values] })), ends: policy.endsAt ? toField(policy.endsAt) : '',
  }
}

/** The reason why the form would lose a part of a policy; '' if it would lose none. */
export function notEditable(policy: Policy): string {
  if (!policy.editable) return 'This policy belongs to the server, which writes it again at each start.'
  const odd = criteriaOf(policy).find((one) => !(one.field in fields) || !(one.condition in conditions))
  if (odd) return `This policy has a condition that this page does not know: ${odd.field}.`
  if (policy.actors.resourceOwners && policy.actors.resourceOwnersTypes?.length === 0) return 'This policy is for owners of none of the types of ownership, which this page cannot show.'
  return ''
}

/** The missing parts of a draft, in words; '' if it is complete. */
export function missing(draft: Draft): string {
  if (!draft.name.trim()) return 'Give the policy a name.'
  if (draft.privileges.length === 0) return 'Choose at least one privilege.'
  if (!draft.everybody && !draft.anyGroup && !draft.owners && !draft.users.length && !draft.groups.length && !draft.roles.length) return 'Say whom the policy concerns.'
  if (draft.type === 'METADATA' && draft.criteria.some((one) => one.values.length === 0)) return 'Every condition needs a value.'
  return ''
}

/** The input that stores a draft. The server keeps the members that the input does not name. */
export function inputOf(draft: Draft, stored: Policy | undefined, fromField: (text: string) => number | undefined): PolicyUpdateInput {
  const some = (list: readonly string[]) => (list.length ? [...list] : null)
  // Members without an effect in a policy about the server are left out, but stay in a policy that has them.
  const platform = draft.type === 'PLATFORM' && stored?.type !== 'PLATFORM'
  const criteria = platform ? [] : draft.criteria
  // Without conditions, a policy also answers questions about no entity; a stored policy that had no
  // conditions and was about all entities stays like that.
  const resources = criteria.length || (stored?.resources && !platform) ? { allResources: !criteria.length, filter: { criteria: criteria.map((one) => ({ ...one, values: [...one.values] })) } } : null
  return {
    type: draft.type,
    name: draft.name.trim(),
    description: draft.description.trim(),
    state: draft.state,
    effect: draft.effect,
    endsAt: endOf(draft.ends ? (fromField(draft.ends) ?? 0) : 0, stored?.endsAt ?? 0),
    privileges: draft.effect === 'DENY' && draft.privileges.includes(everyPrivilege) ? [everyPrivilege] : draft.privileges.filter((name) => name !== everyPrivilege),
    actors: {
      users: some(draft.users),
      groups: some(draft.groups),
      // The server keeps the stored roles if the input has none, so an empty list is sent too.
      roles: [...draft.roles],
      resourceOwners: draft.owners && !platform,
      resourceOwnersTypes: platform ? null : some(draft.ownerTypes),
      allUsers: draft.everybody,
      allGroups: draft.anyGroup,
    },
    resources,
  }
}

/** The field has only minutes, so an unchanged end keeps its seconds. */
function endOf(minute: number, stored: number): number {
  return stored - minute >= 0 && stored - minute < 60_000 ? stored : minute
}

/** Privileges grouped by the actions that they permit, in the order of a form. */
export function levelsOf(type: Policy['type'], known: { platform: readonly Privilege[]; entity: readonly Privilege[] }, chosen: readonly string[]): { title: string; privileges: Privilege[] }[] {
  const all = type === 'PLATFORM' ? known.platform : known.entity
  const groups: [title: string, fits: (name: string) => boolean][] =
    type === 'PLATFORM'
      ? [
          ['See', (name) => /^(VIEW|GET)_/.test(name)],
          ['Create', (name) => /^(CREATE|GENERATE)_/.test(name)],
          ['Manage', () => true],
        ]
      : [
          ['See', (name) => /^(VIEW|GET|EXISTS)_/.test(name)],
          ['Describe', (name) => /^EDIT_/.test(name) && name !== 'EDIT_ENTITY' && name !== 'EDIT_ENTITY_STATUS' && !/^EDIT_DATASET_COL_/.test(name)],
          ['Describe columns', (name) => /^EDIT_DATASET_COL_/.test(name)],
          ['Create, change everything, delete', (name) => /^(CREATE|EDIT|DELETE|EXECUTE)_/.test(name)],
          ['Manage', (name) => /^MANAGE_/.test(name)],
          ['The data itself', () => true],
        ]
  const levels = groups.map(([title]) => ({ title, privileges: [] as Privilege[] }))
  for (const privilege of all) levels[groups.findIndex(([, fits]) => fits(privilege.name))]?.privileges.push(privilege)
  // Policies may also have privileges of programs, which the server does not list: they stay unless somebody
  // removes them.
  const others = chosen.filter((name) => name !== everyPrivilege && !all.some((one) => one.name === name))
  if (others.length) levels.push({ title: 'Others that the policy has', privileges: others.map((name) => ({ name, label: name, about: '' })) })
  return levels.filter((level) => level.privileges.length > 0)
}

export interface Privilege {
  name: string
  label: string
  about: string
}
