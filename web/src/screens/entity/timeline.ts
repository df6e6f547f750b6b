import { columnOf } from '../../lib/columns'
import { nameOf } from '../../lib/urns'
import type { Names } from './facts'

// The timeline of an entity, as days with changes.

export interface Change {
  entityUrn: string
  category: string
  operation: 'ADD' | 'MODIFY' | 'REMOVE'
  modifier?: string | null
  description: string
  semanticVersionChange: string
}

export interface Transaction {
  timestampMillis: number
  actor?: { urn: string } | null
  changes: Change[]
}

export interface Entry {
  time: number
  actor: string | undefined
  change: Change
}

/** The changes that one run made at one time and that a rollback took back, or that the rollback made: one line that unfolds. */
export interface Folded {
  time: number
  actor: string | undefined
  run: string
  /** Whether these are the changes of the rollback itself. */
  rollback: boolean
  entries: Entry[]
}

export type Line = Entry | Folded

export interface Day {
  title: string
  lines: Line[]
}

/** The newest changes first, as many lines as are wanted, by the day they belong to. */
export function byDay(transactions: readonly Transaction[], category: string, most: number, day: (at: number) => string): Day[] {
  const days: Day[] = []
  let taken = 0
  for (const transaction of transactions) {
    const time = transaction.timestampMillis
    const actor = transaction.actor?.urn
    const title = day(time)
    for (const change of transaction.changes) {
      if (category && change.category !== category) continue
      const entry = { time, actor, change }
      let last = days[days.length - 1]
      const of = rolledBackIn(change.description)
      const before = last?.lines[last.lines.length - 1]
      if (of && last?.title === title && before && 'run' in before && before.run === of.run && before.rollback === of.rollback && before.time === time) {
        before.entries.push(entry)
        continue
      }
      if (taken++ >= most) return days
      if (last?.title !== title) days.push((last = { title, lines: [] }))
      last.lines.push(of ? { time, actor, ...of, entries: [entry] } : entry)
    }
  }
  return days
}

const ofRollback = / \(rollback of run (.+)\)$/s
const ofRolledBack = / \(run (.+), rolled back since\)$/s

/** The run that the end of a description names, if it is about a rollback. */
function rolledBackIn(description: string): { run: string; rollback: boolean } | undefined {
  const rollback = ofRollback.exec(description)?.[1]
  if (rollback) return { run: rollback, rollback: true }
  const run = ofRolledBack.exec(description)?.[1]
  return run ? { run, rollback: false } : undefined
}

const modelParts = / in (?:editable)?[A-Za-z]*(?:Properties|Metadata|Info|Documentation|Details)(?= was )/

/** A description as a sentence for people: without names of the model, and without the run, which the line names. */
export function sentence(description: string): string {
  const [head, quoted] = beforeQuotes(description.replace(ofRollback, '').replace(ofRolledBack, ''))
  const said = head
    .replace(modelParts, '')
    .replace(/ \(([A-Z]+(?:_[A-Z]+)*)\)/, (_, type: string) => ` (${type.toLowerCase().replaceAll('_', ' ')})`)
    .replace(/ was added of /, ' was added to ')
    .replace(/ was removed of /, ' was removed from ')
    .replace(/ was (added|removed|changed), column (.+)$/, (_, did: string, column: string) => ` was ${did} ${did === 'added' ? 'to' : did === 'removed' ? 'from' : 'at'} column ${column}`)
  const whole = said + quoted
  return /[.!?]['"]?$/.test(whole) ? whole : `${whole}.`
}

// Texts that people wrote stay as they are.
function beforeQuotes(text: string): [string, string] {
  const at = text.search(/(?:: | from )'/)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)]
}

// A URN in a text: with brackets that close, or up to a space or quotation mark.
const urnBegin = /urn:[a-z]+:[A-Za-z]+:/g

/** The places of URNs in a text. */
export function findUrns(text: string): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = []
  urnBegin.lastIndex = 0
  for (let match = urnBegin.exec(text); match; match = urnBegin.exec(text)) {
    let depth = 0
    let at = urnBegin.lastIndex
    const bracketed = text[at] === '('
    for (; at < text.length; at++) {
      const c = text[at] ?? ''
      if (c === '(') depth++
      else if (c === ')') {
        if (depth === 0) break
        depth--
        if (depth === 0 && bracketed) {
          at++
          break
        }
      } else if (!bracketed && /[\s'",;]/.test(c)) break
    }
    found.push({ from: match.index, to: at })
    urnBegin.lastIndex = Math.max(at, urnBegin.lastIndex)
  }
  return found
}

/** The URNs that changes name, each once: the actors, and the URNs in the texts. */
export function urnsIn(transactions: readonly Transaction[], most = 2000): string[] {
  const urns = new Set<string>()
  for (const transaction of transactions) {
    if (transaction.actor) urns.add(transaction.actor.urn)
    for (const change of transaction.changes)
      for (const { from, to } of findUrns(change.description)) if (urns.size < most) urns.add(change.description.slice(from, to))
  }
  return [...urns]
}

/** A text with names in place of URNs. */
export function withNames(text: string, names: Names): string {
  let said = ''
  let from = 0
  for (const place of findUrns(text)) {
    const urn = text.slice(place.from, place.to)
    said += text.slice(from, place.from) + (names.get(urn)?.name ?? columnOf(urn)?.path ?? nameOf(urn))
    from = place.to
  }
  return said + text.slice(from)
}
