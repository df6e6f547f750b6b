import type { PolicyVersionsQuery } from '../../gql/graphql'
import { listed } from './policy'

type Version = PolicyVersionsQuery['aspectHistory']['versions'][number]

/** A change of a policy. */
export interface Change {
  at: number
  actor: NonNullable<Version['actor']> | undefined
  words: string
}

const members: Readonly<Record<string, string>> = {
  displayName: 'the name',
  description: 'the description',
  type: 'the type',
  actors: 'whom it concerns',
  resources: 'what it is about',
  endsAt: 'the end',
}

type Value = Record<string, unknown>

/**
 * The changes from version to version of the two aspects of a policy, the newest first. State and effect are
 * taken from the second aspect if the policy has it.
 */
export function changesOf(info: readonly Version[], rule: readonly Version[], label: (privilege: string) => string): Change[] {
  const times = [...new Set([...info, ...rule].map((one) => one.written ?? 0))].sort((a, b) => a - b)
  const changes: Change[] = []
  let before: Value | undefined
  for (const at of times) {
    const written = [...info, ...rule].find((one) => (one.written ?? 0) === at)
    const latest = (versions: readonly Version[]) => versions.find((one) => (one.written ?? 0) <= at)
    const infoAt = parsed(latest(info)?.value)
    const after = infoAt && { ...infoAt, ...parsed(latest(rule)?.value) }
    const words = difference(before, after, label)
    if (words) changes.unshift({ at, actor: written?.actor ?? undefined, words })
    before = after
  }
  return changes
}

function parsed(text: string | null | undefined): Value | undefined {
  if (!text) return undefined
  try {
    return JSON.parse(text) as Value
  } catch {
    return undefined
  }
}

function difference(before: Value | undefined, after: Value | undefined, label: (privilege: string) => string): string {
  if (!after) return before ? 'Removed' : ''
  if (!before) return 'Stored'
  const said: string[] = []
  const had = texts(before.privileges)
  const has = texts(after.privileges)
  const added = has.filter((name) => !had.includes(name)).map((name) => `“${label(name)}”`)
  const taken = had.filter((name) => !has.includes(name)).map((name) => `“${label(name)}”`)
  if (added.length) said.push(`added ${listed(added)}`)
  if (taken.length) said.push(`took out ${listed(taken)}`)
  if (before.state !== after.state) said.push(`made it ${String(after.state).toLowerCase()}`)
  if ((before.effect ?? 'ALLOW') !== (after.effect ?? 'ALLOW')) said.push(after.effect === 'DENY' ? 'made it deny' : 'made it allow')
  const others = Object.entries(members).filter(([name]) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null))
  if (others.length) said.push(`changed ${listed(others.map(([, words]) => words))}`)
  const text = said.join('; ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [])
