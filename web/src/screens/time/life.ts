// The time line: the places of moments on it, its marks, and the moves of its handles.

import { dayLong, type Life } from '../../lib/ticks'

const minute = 60_000
const hour = 60 * minute

/** From the minute of the first record until now. Without a record: the last month. */
export function lifeOf(first: number | undefined, now: number): Life {
  if (first === undefined || first >= now) return { first: now - 30 * dayLong, last: now }
  return { first: Math.floor((first - 1) / minute) * minute, last: now }
}

/** Where a moment is, from 0 to 1. */
export function place({ first, last }: Life, at: number): number {
  return Math.min(1, Math.max(0, (at - first) / Math.max(1, last - first)))
}

export function momentAt({ first, last }: Life, share: number): number {
  return Math.round(first + Math.min(1, Math.max(0, share)) * (last - first))
}

/** The stretch of time that is compared. A to of undefined is now, and moves with it. */
export interface Stretch {
  from: number
  to: number | undefined
}

export interface Preset {
  id: string
  label: string
  days: number
}

export const presets: Preset[] = [
  { id: 'day', label: 'Last day', days: 1 },
  { id: 'week', label: 'Last week', days: 7 },
  { id: 'month', label: 'Last month', days: 30 },
  { id: 'all', label: 'All', days: Infinity },
]

export function stretchOf(preset: Preset, life: Life): Stretch {
  return { from: Number.isFinite(preset.days) ? Math.max(life.last - preset.days * dayLong, 0) : life.first, to: undefined }
}

/** The preset that a stretch of time is, give or take a minute. */
export function presetOf({ from, to }: Stretch, life: Life): Preset | undefined {
  if (to !== undefined) return undefined
  return presets.find((preset) => (Number.isFinite(preset.days) ? Math.abs(stretchOf(preset, life).from - from) < minute : from <= life.first + minute))
}

/** The place to which a key moves a handle; undefined if the key does not move handles. */
export function moved(key: string, at: number, life: Life, least: number, most: number): number | undefined {
  const whole = life.last - life.first
  const step = whole > 10 * dayLong ? dayLong : whole > 10 * hour ? hour : Math.max(1, Math.round(whole / 100))
  const to = { ArrowLeft: at - step, ArrowDown: at - step, ArrowRight: at + step, ArrowUp: at + step, PageDown: at - 7 * step, PageUp: at + 7 * step, Home: least, End: most }[key]
  return to === undefined ? undefined : Math.min(most, Math.max(least, to))
}

/** The facts about a change that the time line needs. */
export interface Mark {
  time: number
  degree: number
}

/** The changes in one part of the time line. */
export interface Bin {
  /** Its beginning and end, from 0 to 1. */
  start: number
  end: number
  /** The time of the last change of the step. */
  time: number
  upstream: number
  /** At the entity itself. */
  here: number
  downstream: number
}

/** Counts changes in parts of the time line of equal length; parts without any are left out. */
export function bins(marks: readonly Mark[], life: Life, parts: number): Bin[] {
  const found = new Map<number, Bin>()
  for (const { time, degree } of marks) {
    if (time < life.first || time > life.last) continue
    const i = Math.min(parts - 1, Math.floor(place(life, time) * parts))
    let bin = found.get(i)
    if (!bin) found.set(i, (bin = { start: i / parts, end: (i + 1) / parts, time, upstream: 0, here: 0, downstream: 0 }))
    bin.time = Math.max(bin.time, time)
    if (degree < 0) bin.upstream++
    else if (degree > 0) bin.downstream++
    else bin.here++
  }
  return [...found.values()].sort((a, b) => a.start - b.start)
}

/** How high a bar is, from 0 to 1: many changes must not hide the few. */
export function height(count: number, most: number): number {
  return count && most ? Math.max(0.1, Math.log1p(count) / Math.log1p(most)) : 0
}

/** The moments to step through, in their order: changes close together are one step, at the last of them. */
export function steps(marks: readonly Mark[], gap = minute): number[] {
  const times = [...new Set(marks.map(({ time }) => time))].sort((a, b) => a - b)
  return times.filter((time, i) => i === times.length - 1 || times[i + 1]! - time > gap)
}

export function stepAfter(all: readonly number[], at: number): number | undefined {
  return all.find((time) => time > at)
}

export function stepBefore(all: readonly number[], at: number): number | undefined {
  return all.findLast((time) => time < at)
}
