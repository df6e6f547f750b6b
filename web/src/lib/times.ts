import { dates } from '#locale'
import { differenceInCalendarDays, format, formatDistanceStrict } from 'date-fns'

/** How long ago, or in how long: 3 days ago. */
export function relative(at: number, now = Date.now()): string {
  if (!valid(at)) return 'at an unknown time'
  if (Math.abs(now - at) < 45_000) return 'just now'
  return formatDistanceStrict(at, now, { addSuffix: true, locale: dates })
}

/** The whole time, with its distance from UTC: 3 March 2025, 14:05:12 GMT+1. */
export function exact(at: number): string {
  return valid(at) ? format(at, "d MMMM yyyy, HH:mm:ss 'GMT'xxx", { locale: dates }).replace('GMT+00:00', 'UTC') : String(at)
}

/** The day, for headings: Today, Yesterday, Monday, 3 March, with the year if it is another one. */
export function day(at: number, now = Date.now()): string {
  if (!valid(at)) return 'Unknown day'
  const days = differenceInCalendarDays(now, at)
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  const thisYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return format(at, thisYear ? 'EEEE, d MMMM' : 'EEEE, d MMMM yyyy', { locale: dates })
}

/** A day without its year, where there is little room: 3 Mar. */
export function shortDay(at: number): string {
  return format(at, 'd MMM', { locale: dates })
}

/** The month, with its year if that is wanted: Mar 2025. */
export function month(at: number, year: boolean): string {
  return format(at, year ? 'MMM yyyy' : 'MMM', { locale: dates })
}

/** The time of the day: 14:05. */
export function clock(at: number): string {
  return valid(at) ? format(at, 'HH:mm', { locale: dates }) : ''
}

/** The past or present moment that an address names: milliseconds since 1970, or a day or time as ISO 8601 writes them. Days mean their start in UTC. */
export function momentOf(text: string | null): number | undefined {
  if (!text) return undefined
  const at = /^\d{9,16}$/.test(text) ? Number(text) : /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN
  return at > 0 && valid(at) ? at : undefined
}

/** Metadata may hold any number. */
function valid(at: number): boolean {
  return !Number.isNaN(new Date(at).getTime())
}
