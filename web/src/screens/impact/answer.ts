import type { ImpactRowsQuery } from '../../gql/graphql'
import { amount, inSentence, number } from '../../lib/words'
import { tooLarge } from '../../lib/graphql'
import { columnOf, readablePath } from '../../lib/columns'

// The answer of an impact in the order in which it is shown, copied and saved.

export type Answer = ImpactRowsQuery['impact']
export type Row = Answer['rows'][number]
export type Ref = Row['entity']
export type Owner = Answer['owners'][number]
export type Change = 'DROP' | 'RENAME' | 'RETYPE'
export type Effect = 'CERTAIN' | 'POSSIBLE'

export const changes: { value: Change; label: string; about: string }[] = [
  { value: 'DROP', label: 'Drop', about: 'The column is removed.' },
  { value: 'RENAME', label: 'Rename', about: 'The column is gone under its former name, so this breaks what dropping it would.' },
  { value: 'RETYPE', label: 'Change type', about: 'Certain for what reads the column directly. What is computed from that may keep its type.' },
]

/** The subject of the question, as messages and headings name it. */
export interface Subject {
  entity: Ref
  /** The column; '' for the whole entity. */
  column: string
  change: Change
}

export interface Choice {
  /** Types of the model; an empty list for all. */
  types: readonly string[]
  effect: Effect | ''
}

export function selected(rows: readonly Row[], { types, effect }: Choice): Row[] {
  return rows.filter((row) => (!types.length || types.includes(row.entity.type)) && (!effect || row.effect === effect))
}

/** The types of the rows with their numbers, the most frequent first. */
export function typesOf(rows: readonly Row[]): { type: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(row.entity.type, (counts.get(row.entity.type) ?? 0) + 1)
  return [...counts].map(([type, count]) => ({ type, count })).sort((a, b) => b.count - a.count || a.type.localeCompare(b.type))
}

export type Reason = NonNullable<Row['reason']>

/** The reasons why entities are affected, in words. */
export const reasons: Record<Reason, string> = {
  COLUMN_LINEAGE: 'Column lineage leads to them',
  SQL: 'Their SQL reads the column',
  FOREIGN_KEY: 'Their foreign key names the column',
  ASSERTION: 'They are checks of the column',
  SUBJECT: 'They are saved queries about the column',
  BEHIND: 'They stand behind what breaks',
  COLUMNS_NOT_STATED: 'They derive from the table, and nobody states by which columns',
  MAY_READ: 'They state other columns, and may join or filter on this one',
  BEHIND_POSSIBLE: 'They stand behind what may break',
}

/** Rows with one reason, by distance. */
export interface Fold {
  reason: Reason | null
  rows: Row[]
  distances: { degree: number; rows: Row[] }[]
}

/** Rows by reason, in the order of the reasons, and within each reason by distance. */
export function folded(rows: readonly Row[]): Fold[] {
  const folds = new Map<Reason | null, Row[]>()
  for (const reason of Object.keys(reasons) as Reason[]) folds.set(reason, [])
  folds.set(null, [])
  for (const row of rows) folds.get(row.reason ?? null)?.push(row)
  return [...folds].filter(([, those]) => those.length).map(([reason, those]) => ({ reason, rows: those, distances: byDistance(those) }))
}

function byDistance(rows: readonly Row[]): { degree: number; rows: Row[] }[] {
  const distances = new Map<number, Row[]>()
  for (const row of rows) {
    const those = distances.get(row.degree)
    if (those) those.push(row)
    else distances.set(row.degree, [row])
  }
  return [...distances].sort(([a], [b]) => a - b).map(([degree, those]) => ({ degree, rows: those }))
}

/** The number of rows of a fold and their distances, such as "3: 2 at 1 hop, 1 at 3 hops". */
export function distancesOf({ rows: all, distances }: Fold): string {
  const total = distances.length > 1 ? `${number(all.length)}: ` : ''
  return total + distances.map(({ degree, rows }) => `${number(rows.length)} at ${amount(degree, 'hop')}`).join(', ')
}

/** The rows of one owner; with null, the rows without an owner. */
export interface Group {
  owner: Ref | null
  email: string
  certain: Row[]
  possible: Row[]
}

/** Rows by owner, in the order of the owners. A row with two owners is in both groups. */
export function grouped(rows: readonly Row[], owners: readonly Owner[]): Group[] {
  const groups = new Map<string, Group>()
  for (const { owner, email } of owners) groups.set(owner?.urn ?? '', { owner: owner ?? null, email: email ?? '', certain: [], possible: [] })
  const nobody: Group = groups.get('') ?? { owner: null, email: '', certain: [], possible: [] }
  groups.delete('')
  for (const row of rows) {
    const those = row.owners.map((urn) => groups.get(urn)).filter((group) => group !== undefined)
    for (const group of those.length ? those : [nobody]) (row.effect === 'CERTAIN' ? group.certain : group.possible).push(row)
  }
  return [...groups.values(), nobody].filter((group) => group.certain.length + group.possible.length > 0)
}

/** The change in words, as the beginning of a sentence. */
export function changing({ entity, column, change }: Subject): string {
  if (!column) return `Removing ${entity.name}`
  const path = readablePath(column)
  if (change === 'DROP') return `Dropping ${path}`
  if (change === 'RENAME') return `Renaming ${path}`
  return `Changing the type of ${path}`
}

function planned({ entity, column, change }: Subject): string {
  const where = entity.platformName ? `${entity.name} (${entity.platformName})` : entity.name
  if (!column) return `${where} will be removed.`
  const what = `The column ${readablePath(column)} of ${where} will be `
  if (change === 'DROP') return `${what}dropped.`
  return change === 'RENAME' ? `${what}renamed.` : `${what}given another type.`
}

/** The columns that a row names, by the paths that people know. */
export function columnNames(row: Row): string[] {
  return row.columns.map(columnName)
}

function columnName(text: string): string {
  return readablePath(columnOf(text)?.path ?? text)
}

/** A step of a path: an entity or, where columns lead, one of its columns. */
export interface Step {
  urn: string
  name: string
  column: string
}

/** The path to a row. Columns are shown with their entities, if these have names. */
export function stepsOf(row: Row, names: ReadonlyMap<string, string>): Step[] {
  return row.path.map(({ entity }) => {
    const column = columnOf(entity.urn)
    if (!column) return { urn: entity.urn, name: entity.name, column: '' }
    return { urn: column.entity, name: names.get(column.entity) ?? column.entity, column: readablePath(column.path) }
  })
}

/** Names of entities by URN. */
export function namesIn(start: Ref, rows: readonly Row[]): ReadonlyMap<string, string> {
  return new Map([start, ...rows.map((row) => row.entity)].map(({ urn, name }) => [urn, name]))
}

const perOwner = 15

/** A text to send to the owners. Long lists are shortened: the address shows all. */
export function message(subject: Subject, groups: readonly Group[], total: number, basis: string, href: string, label: (type: string) => string): string {
  const lines = [planned(subject), '']
  if (!total) lines.push('Nothing downstream is known to depend on it.', '')
  else lines.push(`What depends on it (${number(total)}), by owner:`, '')
  for (const group of groups) {
    const name = group.owner ? group.owner.name : 'Nobody owns'
    lines.push(group.email ? `${name} <${group.email}>` : name)
    lines.push(...section('breaks', group.certain, label), ...section('may break', group.possible, label), '')
  }
  lines.push(`This rests on ${basis}.`, `Details: ${href}`)
  return lines.join('\n') + '\n'
}

function section(verb: string, rows: readonly Row[], label: (type: string) => string): string[] {
  const lines = rows.slice(0, perOwner).map((row) => {
    const kind = [inSentence(label(row.entity.type)), row.entity.platformName].filter(Boolean).join(', ')
    const columns = columnNames(row)
    return `  - ${verb}: ${row.entity.name} (${kind})${columns.length ? `: ${columns.join(', ')}` : ''}`
  })
  if (rows.length > perOwner) lines.push(`  - ${verb}: ${amount(rows.length - perOwner, 'more', 'more')}`)
  return lines
}

/** An address for mailto: links: the @ is not escaped. */
export function mailAddress(email: string): string {
  return encodeURIComponent(email).replaceAll('%40', '@')
}

export const tableHeader = ['effect', 'name', 'type', 'platform', 'hops', 'columns', 'owners', 'path', 'urn', 'why']

/** The rows of a spreadsheet. */
export function table(rows: readonly Row[], owners: readonly Owner[], names: ReadonlyMap<string, string>): string[][] {
  const people = new Map<string, string>()
  for (const { owner, email } of owners) if (owner) people.set(owner.urn, email ? `${owner.name} <${email}>` : owner.name)
  return rows.map((row) => [
    row.effect.toLowerCase(),
    row.entity.name,
    row.entity.type,
    row.entity.platformName ?? '',
    String(row.degree),
    columnNames(row).join('; '),
    row.owners.map((urn) => people.get(urn) ?? urn).join('; '),
    stepsOf(row, names)
      .map((step) => (step.column ? `${step.name}.${step.column}` : step.name))
      .join(' > '),
    row.entity.urn,
    row.why ?? '',
  ])
}

// The rows in an answer of the server if paths have a few steps. Each page costs a walk.
const page = 5000
/** Pages of this size or less are not divided further. */
const fewest = 100

/**
 * The answer with its rows up to a number, read page by page; pages that would be too large are divided. Each
 * page has the owners of the nearest entities and of its rows, so the owners of all pages are put together.
 */
export async function readRows<A extends Pick<Answer, 'rows' | 'owners' | 'total'>>(read: (start: number, count: number) => Promise<A>, most = Infinity): Promise<A> {
  let first: A | undefined
  const rows: Row[] = []
  const owners = new Map<string, Owner>()
  for (let size = page; ; ) {
    try {
      const answer = await read(rows.length, Math.min(size, most - rows.length))
      first ??= answer
      rows.push(...answer.rows)
      for (const each of answer.owners) if (!owners.has(each.owner?.urn ?? '')) owners.set(each.owner?.urn ?? '', each)
      if (!answer.rows.length || rows.length >= Math.min(answer.total, most)) return { ...first, rows, owners: nobodyLast(owners) }
    } catch (error) {
      if (size <= fewest || !tooLarge(error)) throw error
      size = Math.ceil(size / 2)
    }
  }
}

function nobodyLast(owners: ReadonlyMap<string, Owner>): Owner[] {
  const all = [...owners.values()]
  return [...all.filter(({ owner }) => owner), ...all.filter(({ owner }) => !owner)]
}

/** Whether an answer puts other entities on the screen than another one, or puts them elsewhere. */
export function moves(before: Answer | undefined, after: Answer | undefined): boolean {
  const places = (answer: Answer | undefined) => JSON.stringify(answer?.rows.map(({ entity, effect, degree }) => [entity.urn, effect, degree]))
  return places(before) !== places(after)
}
