import { diffWordsWithSpace } from 'diff'
import { create } from 'jsondiffpatch'

// The differences between two JSON values, as a list of changes with their paths. Entries of lists are the
// same entry if they have the same key, wherever in the list they are.

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

export interface Change {
  /** Names of members, or keys of entries of lists. */
  path: string[]
  kind: 'added' | 'removed' | 'changed' | 'moved'
  before: Json | undefined
  after: Json | undefined
}

export interface Word {
  text: string
  kind: 'same' | 'added' | 'removed'
}

// Members that name an entry of a list, the most specific first.
const keys = ['fieldPath', 'urn', 'tag', 'owner', 'destinationUrn', 'dataset', 'propertyUrn', 'url', 'schemaFieldUrn', 'test', 'key', 'id', 'name', 'assertion', 'entity', 'downstreams', 'upstreams']

function keyOf(entry: unknown): string | undefined {
  if (entry === null || typeof entry !== 'object') return undefined
  const record = entry as Record<string, unknown>
  for (const key of keys) {
    const value = record[key]
    // One owner may have several types of ownership.
    if (key === 'owner' && typeof value === 'string') return [value, record.typeUrn, record.type].filter(Boolean).join(' ')
    if (typeof value === 'string' && value !== '') return value
    if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')) return value.join(', ')
  }
  return undefined
}

/** The name of an entry of a list in a path. */
function entryName(entry: unknown, index: number): string {
  if (typeof entry === 'string' && entry.length <= 200) return entry
  const record = entry as Record<string, unknown> | null
  if (record && typeof record === 'object' && typeof record.owner === 'string') return record.owner
  return keyOf(entry) ?? `entry ${index + 1}`
}

const patcher = create({
  objectHash: (entry: object, index?: number) => keyOf(entry) ?? `entry ${index ?? 0}`,
  arrays: { detectMove: true, includeValueOnMove: true },
  cloneDiffValues: false,
})

type Delta = Record<string, unknown> | unknown[] | undefined

/** The changes from one value to another, in the order of the values. */
export function changesOf(before: Json | undefined, after: Json | undefined): Change[] {
  const changes: Change[] = []
  walk(patcher.diff(bare(before), bare(after)) as Delta, before, after, [], changes)
  return changes
}

// Without a prototype, so that a member may be called constructor or toString.
function bare(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((entry) => bare(entry) as Json)
  if (!isObject(value)) return value
  const copy = Object.create(null) as Record<string, Json>
  for (const [member, inner] of Object.entries(value)) copy[member] = bare(inner) as Json
  return copy
}

function walk(delta: Delta, before: Json | undefined, after: Json | undefined, path: string[], into: Change[]): void {
  if (delta === undefined) return
  if (Array.isArray(delta)) {
    leaf(before, after, path, into)
    return
  }
  if (delta._t === 'a') {
    list(delta, before as Json[], after as Json[], path, into)
    return
  }
  const was = before as Record<string, Json>
  const is = after as Record<string, Json>
  for (const [member, inner] of Object.entries(delta)) walk(inner as Delta, own(was, member), own(is, member), [...path, member], into)
}

function own(value: Record<string, Json>, member: string): Json | undefined {
  return Object.hasOwn(value, member) ? value[member] : undefined
}

function leaf(before: Json | undefined, after: Json | undefined, path: string[], into: Change[]): void {
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
  into.push({ path, kind, before, after })
}

function list(delta: Record<string, unknown>, before: Json[], after: Json[], path: string[], into: Change[]): void {
  // Members that begin with _ are places in the old list, the others in the new one.
  for (const [place, inner] of Object.entries(delta)) {
    if (place === '_t' || !Array.isArray(inner) || !place.startsWith('_')) continue
    const index = Number(place.slice(1))
    const entry = before[index]
    if (inner[2] === 0) into.push({ path: [...path, entryName(entry, index)], kind: 'removed', before: entry, after: undefined })
    else if (inner[2] === 3) into.push({ path: [...path, entryName(entry, index)], kind: 'moved', before: index + 1, after: Number(inner[1]) + 1 })
  }
  for (const [place, inner] of Object.entries(delta)) {
    if (place === '_t' || place.startsWith('_')) continue
    const index = Number(place)
    const entry = after[index]
    const at = [...path, entryName(entry, index)]
    if (Array.isArray(inner)) into.push({ path: at, kind: 'added', before: undefined, after: entry })
    else {
      const key = keyOf(entry)
      const old = (key === undefined ? undefined : before.find((other) => keyOf(other) === key)) ?? before[index]
      walk(inner as Delta, old, entry, at, into)
    }
  }
}

/** The members at the top that are equal in both values. */
export function unchangedOf(before: Json | undefined, after: Json | undefined): Record<string, Json> {
  const same: Record<string, Json> = {}
  if (!isObject(before) || !isObject(after)) return same
  for (const [member, value] of Object.entries(after))
    if (Object.hasOwn(before, member) && JSON.stringify(before[member]) === JSON.stringify(value)) same[member] = value
  return same
}

function isObject(value: Json | undefined): value is Record<string, Json> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

// Longer texts are shown one below the other: comparing their words would take too long.
const longest = 20_000

/**
 * The words of two texts, marked as added or removed; undefined if the texts have hardly any words in common.
 */
export function wordsOf(before: string, after: string): Word[] | undefined {
  if (before.length + after.length > longest) return undefined
  const parts = diffWordsWithSpace(before, after, { maxEditLength: 2_000 })
  if (!parts) return undefined
  const same = parts.filter((part) => !part.added && !part.removed).reduce((sum, part) => sum + part.value.trim().length, 0)
  if (same * 4 < Math.max(before.length, after.length)) return undefined
  return parts.map((part) => ({ text: part.value, kind: part.added ? 'added' : part.removed ? 'removed' : 'same' }))
}

/** A member's name as words: fieldPath is "field path". */
export function spoken(member: string): string {
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(member)) return member
  return member.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
}

/** The scalars of a value with their paths, so that it can be read; undefined if there are too many. */
export function linesOf(value: Json, most = 12): { path: string[]; value: string }[] | undefined {
  const lines: { path: string[]; value: string }[] = []
  const add = (inner: Json, path: string[]): void => {
    if (lines.length > most) return
    if (inner === null || typeof inner !== 'object') {
      if (inner !== null && inner !== '') lines.push({ path, value: String(inner) })
    } else if (Array.isArray(inner)) inner.forEach((entry, i) => add(entry, inner.length > 1 ? [...path, String(i + 1)] : path))
    else {
      // A type is a member without content: its name is the value.
      const names = Object.keys(inner)
      const only = names[0]
      if (names.length === 1 && only !== undefined && isObject(inner[only]) && Object.keys(inner[only]).length === 0) lines.push({ path, value: only.split('.').pop() ?? only })
      else for (const name of names) add(inner[name] as Json, [...path, spoken(name)])
    }
  }
  add(value, [])
  return lines.length > most ? undefined : lines
}
