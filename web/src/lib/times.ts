import { differenceInCalendarDays, format, formatDistanceStrict } from 'date-fns'

/** How long ago, or in how long: 3 days ago. */
export function relative(at: number, now = Date.now()): string {
  if (!valid(at)) return 'at an unknown time'
  if (Math.abs(now - at) < 45_000) return 'just now'
  return formatDistanceStrict(at, now, { addSuffix: true })
}

/** The whole time, with its distance from UTC: 3 March 2025, 14:05:12 GMT+1. */
export function exact(at: number): string {
  return valid(at) ? format(at, "d MMMM yyyy, HH:mm:ss 'GMT'xxx").replace('GMT+00:00', 'UTC') : String(at)
}

/** The day, for headings: Today, Yesterday, Monday, 3 March, with the year if it is another one. */
export function day(at: number, now = Date.now()): string {
  if (!valid(at)) return 'Unknown day'
  const days = differenceInCalendarDays(now, at)
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  const thisYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return format(at, thisYear ? 'EEEE, d MMMM' : 'EEEE, d MMMM yyyy')
}

/** Metadata may hold any number. */
function valid(at: number): boolean {
  return !Number.isNaN(new Date(at).getTime())
}
