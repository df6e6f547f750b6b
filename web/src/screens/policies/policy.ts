import type { PolicyPartsFragment, PolicyWordsQuery } from '../../gql/graphql'
import { privilegeLabel } from '../../lib/privileges'
import { inSentence } from '../../lib/words'

/** A policy as the server sends it. */
export type Policy = PolicyPartsFragment

export interface Criterion {
  field: string
  condition: 'EQUALS' | 'STARTS_WITH' | 'NOT_EQUALS'
  values: string[]
}

/** Stands for all privileges, in policies that deny. */
export const everyPrivilege = '*'

/** The facts of an entity that a policy can ask for, with their names for people. */
export const fields: Readonly<Record<string, string>> = {
  TYPE: 'Type',
  URN: 'Entity',
  DOMAIN: 'Domain',
  CONTAINER: 'Container',
  TAG: 'Tag',
  GLOSSARY: 'Glossary term',
  DATA_PLATFORM_INSTANCE: 'Platform instance',
  OWNER: 'Owner',
  GROUP_MEMBERSHIP: 'Group of a person',
}

const olderNames: Readonly<Record<string, string>> = { RESOURCE_TYPE: 'TYPE', RESOURCE_URN: 'URN' }

/** The field of a criterion; a name may be an older one, and in any letter case. */
export function fieldOf(name: string): string {
  const upper = name.toUpperCase()
  return olderNames[upper] ?? upper
}

export const conditions: Readonly<Record<Criterion['condition'], string>> = { EQUALS: 'is', NOT_EQUALS: 'is not', STARTS_WITH: 'begins with' }

/** The conditions on entities, including conditions in the older form. */
export function criteriaOf(policy: Pick<Policy, 'resources'>): Criterion[] {
  const of = policy.resources
  if (!of) return []
  if (of.filter) return (of.filter.criteria ?? []).map(({ field, condition, values }) => ({ field: fieldOf(field), condition, values: values.map((one) => one.value) }))
  const older: Criterion[] = []
  if (of.type) older.push({ field: 'TYPE', condition: 'EQUALS', values: [of.type] })
  if (of.resources && !of.allResources) older.push({ field: 'URN', condition: 'EQUALS', values: [...of.resources] })
  return older
}

/** The effective state: a policy that has ended has no effect. */
export function stateOf(policy: Pick<Policy, 'state' | 'endsAt'>, now: number): 'active' | 'inactive' | 'draft' | 'ended' {
  if (policy.endsAt && policy.endsAt <= now) return 'ended'
  return policy.state === 'ACTIVE' ? 'active' : policy.state === 'DRAFT' ? 'draft' : 'inactive'
}

export const states: Readonly<Record<ReturnType<typeof stateOf>, string>> = { active: 'Active', inactive: 'Inactive', draft: 'Draft', ended: 'Ended' }

/** The server's names for people of privileges and types of entities. */
export interface Words {
  /** Whether this server applies policies. */
  enforced: boolean
  platform: { name: string; label: string; about: string }[]
  entity: { name: string; label: string; about: string }[]
  /** The privileges of each type of entity. */
  ofType: Map<string, { name: string; label: string; about: string }[]>
  types: Map<string, string>
  label: (privilege: string) => string
}

export function wordsOf(config: NonNullable<PolicyWordsQuery['appConfig']>['policiesConfig'] | undefined): Words {
  const told = (list: readonly { type: string; displayName?: string | null; description?: string | null }[]) =>
    list.map((one) => ({ name: one.type, label: one.displayName || privilegeLabel(one.type), about: one.description ?? '' }))
  const platform = told(config?.platformPrivileges ?? [])
  const ofType = new Map((config?.resourcePrivileges ?? []).map((one) => [one.resourceType, told(one.privileges)]))
  const entity = ofType.get('all') ?? []
  ofType.delete('all')
  const types = new Map((config?.resourcePrivileges ?? []).filter((one) => one.resourceType !== 'all').map((one) => [one.resourceType, one.resourceTypeDisplayName ?? one.resourceType]))
  const labels = new Map([...platform, ...entity].map((one) => [one.name, one.label]))
  return { enforced: config?.enabled ?? false, platform, entity, ofType, types, label: (name) => labels.get(name) ?? privilegeLabel(name) }
}

/** The URNs whose names the sentence about a policy contains. */
export function urnsOf(policy: Policy): string[] {
  const { actors, resources } = policy
  const values = [...criteriaOf(policy), ...(resources?.privilegeConstraints?.criteria ?? []).map((one) => ({ values: one.values.map((value) => value.value) }))].flatMap((one) => one.values)
  return [...(actors.users ?? []), ...(actors.groups ?? []), ...(actors.roles ?? []), ...(actors.resourceOwnersTypes ?? []), ...values].filter((text) => text.startsWith('urn:'))
}

const few = 3
const everybody = 'everybody'

/** Texts as a list in a sentence: a, b and c. */
export function listed(texts: readonly string[], word = 'and', most = few): string {
  const shown = texts.length > most + 1 ? [...texts.slice(0, most), `${texts.length - most} more`] : [...texts]
  const last = shown.pop() ?? ''
  return shown.length ? `${shown.join(', ')} ${word} ${last}` : last
}

/** The actors whom a policy concerns; [] for nobody. */
export function whoOf(policy: Pick<Policy, 'actors'>, nameOf: (urn: string) => string): string[] {
  const { actors } = policy
  if (actors.allUsers) return [everybody]
  const types = actors.resourceOwnersTypes
  return [
    ...(actors.roles ?? []).map((urn) => `the role ${nameOf(urn)}`),
    ...(actors.allGroups ? ['everybody in a group'] : (actors.groups ?? []).map((urn) => `the group ${nameOf(urn)}`)),
    ...(actors.users ?? []).map(nameOf),
    ...(actors.resourceOwners && !types ? ['owners'] : []),
    ...(actors.resourceOwners && types?.length ? [`owners of the type ${listed(types.map(nameOf), 'or')}`] : []),
  ]
}

/** The entities that a policy is about, '' for a policy about the server. */
export function aboutOf(policy: Policy, nameOf: (urn: string) => string, words: Words): string {
  if (policy.type === 'PLATFORM') return ''
  const criteria = criteriaOf(policy)
  const type = criteria.find((one) => one.field === 'TYPE' && one.condition === 'EQUALS')
  const own = criteria.find((one) => one.field === 'URN' && one.condition === 'EQUALS')
  const rest = criteria.filter((one) => one !== type && one !== own).map((one) => clause(one, nameOf, words))
  const base = own
    ? listed(own.values.map(nameOf), 'or')
    : type
      ? listed(type.values.map((name) => inSentence(words.types.get(name) ?? name)), 'and')
      : 'everything'
  return [base, ...(own && type ? [`of the type ${listed(type.values, 'or')}`] : []), ...rest].join(' ')
}

function clause({ field, condition, values }: Criterion, nameOf: (urn: string) => string, words: Words): string {
  const label = inSentence(fields[field] ?? field)
  const named = listed(
    values.map((value) => (field === 'TYPE' ? inSentence(words.types.get(value) ?? value) : condition === 'STARTS_WITH' ? `“${value}”` : nameOf(value))),
    'or',
  )
  if (condition === 'STARTS_WITH') return field === 'URN' ? `whose URN begins with ${named}` : `whose ${label} has a URN that begins with ${named}`
  const not = condition === 'NOT_EQUALS'
  switch (field) {
    case 'TYPE':
    case 'URN':
      return not ? `except ${named}` : `that is ${named}`
    case 'DOMAIN':
      return `${not ? 'not ' : ''}in the domain ${named}`
    case 'CONTAINER':
      return `${not ? 'not ' : ''}in the container ${named}`
    case 'DATA_PLATFORM_INSTANCE':
      return `${not ? 'not ' : ''}of the platform instance ${named}`
    case 'TAG':
      return `${not ? 'without' : 'with'} the tag ${named}`
    case 'GLOSSARY':
      return `${not ? 'without' : 'with'} the term ${named}`
    case 'OWNER':
      return `${not ? 'not ' : ''}owned by ${named}`
    case 'GROUP_MEMBERSHIP':
      return `${not ? 'not ' : ''}in the group ${named}`
  }
  return `whose ${label} ${conditions[condition]} ${named}`
}

/** Describes a policy in one sentence. */
export function sentenceOf(policy: Policy, nameOf: (urn: string) => string, words: Words, dayOf: (at: number) => string): string {
  const who = whoOf(policy, nameOf)
  const denies = policy.effect === 'DENY'
  const first = who.length ? listed(who) : 'nobody'
  if (!policy.privileges.length) return `It names no privileges, for ${first}.`
  const may = denies ? (first === everybody ? 'Nobody may' : `${capital(first)} may not`) : `${capital(first)} may`
  const what = policy.privileges.includes(everyPrivilege) ? 'do anything' : listed(policy.privileges.map((name) => lower(words.label(name))))
  const about = aboutOf(policy, nameOf, words)
  const end = policy.endsAt ? `, until ${dayOf(policy.endsAt)}` : ''
  const only = policy.resources?.privilegeConstraints?.criteria?.length
    ? `, if what is added or removed ${listed(policy.resources.privilegeConstraints.criteria.map((one) => `${conditions[one.condition]} ${listed(one.values.map((value) => nameOf(value.value)), 'or')}`))}`
    : ''
  return `${may} ${what}${about ? ` on ${about}` : ''}${only}${end}.`
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
