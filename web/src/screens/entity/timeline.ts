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

/** The newest changes first, as many as are wanted, by the day they belong to. */
export function byDay(transactions: readonly Transaction[], category: string, most: number, day: (at: number) => string): { title: string; entries: Entry[] }[] {
  const days: { title: string; entries: Entry[] }[] = []
  let taken = 0
  for (const transaction of transactions) {
    const title = day(transaction.timestampMillis)
    for (const change of transaction.changes) {
      if (category && change.category !== category) continue
      if (taken++ >= most) return days
      let last = days[days.length - 1]
      if (last?.title !== title) days.push((last = { title, entries: [] }))
      last.entries.push({ time: transaction.timestampMillis, actor: transaction.actor?.urn, change })
    }
  }
  return days
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

/** The URNs that changes name, each once: the actors, and those in the texts. */
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
