// The moment that the page shows: how it is chosen, written and said.

import { exact, format } from './times'

const day = 24 * 60 * 60 * 1000

/** Moments that are chosen with one click, by their days before now. */
export const ago: { label: string; days: number }[] = [
  { label: 'A week ago', days: 7 },
  { label: 'A month ago', days: 30 },
  { label: 'Two months ago', days: 60 },
]

/**
 * The moment a number of days ago, at a whole minute, so that addresses are short and equal questions have
 * equal addresses.
 */
export function daysAgo(days: number, now = Date.now()): number {
  const at = now - days * day
  return at - (at % 60_000)
}

/** A moment in the shortest form for the address. */
export function written(at: number): string {
  const text = new Date(at).toISOString()
  if (text.endsWith('T00:00:00.000Z')) return text.slice(0, 10)
  return text.replace('.000Z', 'Z').replace(':00Z', 'Z')
}

/** A moment as a field for local dates and times writes it. */
export function toField(at: number): string {
  return format(at, "yyyy-MM-dd'T'HH:mm")
}

/** Undefined for an empty or unfinished field. */
export function fromField(text: string): number | undefined {
  const at = text ? new Date(text).getTime() : NaN
  return Number.isNaN(at) ? undefined : at
}

/** A moment in words, without seconds if they are zero. */
export function said(at: number): string {
  return exact(at).replace(/:00 (UTC|GMT.*)$/, ' $1')
}

/** The parts of a screen that can show a moment of the past. */
export interface Reach {
  /** Whether the screen shows anything as of the moment. */
  past: boolean
  /** The parts that show today nevertheless, in words; '' if there are none. */
  today: string
}

const reaches: [pattern: RegExp, reach: Reach][] = [
  [/^\/ui\/entity\//, { past: true, today: '' }],
  [/^\/ui\/lineage\//, { past: true, today: '' }],
  [/^\/ui\/impact\//, { past: true, today: '' }],
  [/^\/ui\/time\//, { past: true, today: '' }],
  [/^\/ui\/sql$/, { past: true, today: 'Names are as of today.' }],
  [/^\/ui\/search$/, { past: true, today: 'Names are of then. What is found, labels and counts are as of today.' }],
  [/^\/$/, { past: false, today: 'This screen is as of today. What you open from it is of then.' }],
  [/^\/ui\/browse$/, { past: false, today: 'This screen is as of today. What you open from it is of then.' }],
]

/** The reach of the screen at a path; undefined if a moment means nothing to the screen. */
export function reachOf(path: string): Reach | undefined {
  return reaches.find(([pattern]) => pattern.test(path))?.[1]
}

/** Members that an answer about a moment gives as of today, for people. */
export function todayWords(members: readonly string[]): string {
  return members.map((member) => member.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()).join(', ')
}
