// The reason why a result matched: the field, and the words.

import { plainText } from '../../lib/plain'
import { inWords } from '../../lib/words'
import { isUrn, nameOf } from '../../lib/urns'

/** A piece of text; the words of the search are marked. */
export interface Piece {
  text: string
  marked: boolean
}

export interface Match {
  /** The field in plain words. */
  field: string
  pieces: Piece[]
}

const names: Record<string, string> = {
  name: 'Name',
  displayName: 'Name',
  title: 'Title',
  id: 'ID',
  urn: 'URN',
  qualifiedName: 'Full name',
  description: 'Description',
  editedDescription: 'Description',
  definition: 'Definition',
  fieldPaths: 'Column',
  fieldLabels: 'Column label',
  fieldDescriptions: 'Column description',
  editedFieldDescriptions: 'Column description',
  tags: 'Tag',
  fieldTags: 'Tag of a column',
  editedFieldTags: 'Tag of a column',
  glossaryTerms: 'Term',
  fieldGlossaryTerms: 'Term of a column',
  editedFieldGlossaryTerms: 'Term of a column',
  owners: 'Owner',
  domains: 'Domain',
  container: 'Container',
  platform: 'Platform',
  platformInstance: 'Platform instance',
  customProperties: 'Property',
  typeNames: 'Kind',
  columnNames: 'Column',
  email: 'Email',
  ldap: 'User name',
  viewLogic: 'SQL',
  statement: 'SQL',
}

// The most informative fields come first, fields that repeat the name or the URN last.
const order = ['name', 'displayName', 'title', 'fieldPaths', 'description', 'editedDescription', 'definition', 'fieldDescriptions', 'editedFieldDescriptions']
const last = ['qualifiedName', 'id', 'urn']

export function fieldName(field: string): string {
  if (Object.hasOwn(names, field)) return names[field]!
  const words = inWords(field)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The words of a query that results are searched for. */
export function wordsOf(q: string): string[] {
  let text = q.trim()
  if (/^\/q\s/.test(text)) {
    // Removes negated parts, operators and names of fields from a structured query.
    text = text
      .slice(2)
      .replace(/(^|[\s(])(?:[-!]|NOT\s+)(?:[\w.]+:)?(?:"[^"]*"|\S+)/g, ' ')
      .replace(/\b(AND|OR|NOT)\b|&&|\|\|/g, ' ')
      .replace(/(^|[\s(])(?:"[^"]*"|[\w.]+):/g, ' ')
  } else {
    text = text.replace(/^[\w.]+:(?=\S)/, '')
  }
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words.flatMap(parts).map(plain))].filter((word) => word !== '')
}

/** The parts of a name, which are words of their own: fctUsers2 as fct, Users, 2. */
function parts(word: string): string[] {
  return word.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+|\p{L}+/gu) ?? [word]
}

/** Words are compared without case, accents and a plural ending. */
function plain(word: string): string {
  const bare = word
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
  if (bare.length > 4 && bare.endsWith('ies')) return `${bare.slice(0, -3)}y`
  return bare.length > 3 && bare.endsWith('s') && !bare.endsWith('ss') ? bare.slice(0, -1) : bare
}

/** A text in pieces, with the words marked; the last word may be the beginning of one. */
export function mark(text: string, words: readonly string[]): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  const add = (to: number, marked: boolean) => {
    if (to <= from) return
    const before = pieces.at(-1)
    if (before?.marked === marked) before.text += text.slice(from, to)
    else pieces.push({ text: text.slice(from, to), marked })
    from = to
  }
  const final = words.at(-1)
  for (const found of text.matchAll(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+|\p{L}+/gu)) {
    const word = plain(found[0])
    if (!words.includes(word) && !(final && word.startsWith(final))) continue
    add(found.index, false)
    add(found.index + found[0].length, true)
  }
  add(text.length, false)
  return pieces
}

/** The part of a long text around the first marked word. */
export function excerpt(pieces: Piece[], room = 100): Piece[] {
  const first = Math.max(0, pieces.findIndex((piece) => piece.marked))
  const out: Piece[] = []
  let left = room
  for (let i = first; i < pieces.length && left > 0; i++) {
    const { text, marked } = pieces[i]!
    const cut = text.length > left
    out.push({ text: cut ? `${text.slice(0, left)}…` : text, marked })
    left -= text.length
    if (!cut && left <= 0 && i < pieces.length - 1) out.push({ text: '…', marked: false })
  }
  const before = pieces.slice(0, first).map((piece) => piece.text).join('')
  if (before) out.unshift({ text: before.length > 50 ? `…${before.slice(-45)}` : before, marked: false })
  return out
}

/**
 * The reasons for a result, the most informative first. A match in the name or the description has no pieces,
 * because both are shown anyway with their words marked.
 */
export function reasons(
  matched: readonly { name: string; value: string }[],
  words: readonly string[],
  named: (urn: string) => string | undefined,
  shown: { name: string; description: string },
  most = 4,
): Match[] {
  const rank = (field: string) => {
    const at = order.indexOf(field)
    return at >= 0 ? at : last.includes(field) ? 100 + last.indexOf(field) : 50
  }
  const all: Match[] = []
  const seen = new Set<string>()
  for (const { name, value } of [...matched].sort((a, b) => rank(a.name) - rank(b.name))) {
    // A match in the full name or the URN is shown only if there is no other reason.
    if (last.includes(name) && all.length > 0) continue
    const text = isUrn(value) && name !== 'urn' ? (named(value) ?? nameOf(value)) : value
    const field = fieldName(name)
    const visible = (field === 'Name' && text === shown.name) || (shown.description !== '' && plainText(text) === shown.description)
    const key = visible ? field : `${field} ${text}`
    if (seen.has(key)) continue
    seen.add(key)
    all.push({ field, pieces: visible ? [] : excerpt(mark(text.replace(/\s+/g, ' '), words)) })
    if (all.length === most) break
  }
  return all
}
