import { language } from './language'

const minute = 60_000
const hour = 60 * minute
const dayLong = 24 * hour
/** Units of distances, each with its length and the length up to which distances are told in it. */
const units = [
  ['second', 1000, minute],
  ['minute', minute, hour],
  ['hour', hour, dayLong],
  ['day', dayLong, 30 * dayLong],
  ['month', 30 * dayLong, 360 * dayLong],
] as const
const years = ['year', 365 * dayLong] as const

const distance = new Intl.RelativeTimeFormat(language, { numeric: 'always' })

/** How long ago, or in how long: 3 days ago. */
export function relative(at: number, now = Date.now()): string {
  if (!valid(at)) return 'at an unknown time'
  if (Math.abs(now - at) < 45_000) return 'just now'
  // The rounded distance decides: 59.6 minutes are an hour.
  const [unit, long] = units.find(([, long, most]) => Math.abs(Math.round((at - now) / long)) * long < most) ?? years
  return distance.format(Math.round((at - now) / long), unit)
}

/** The whole time, with its distance from UTC: 3 March 2025, 14:05:12 GMT+1. */
export function exact(at: number): string {
  return valid(at) ? format(at, "d MMMM yyyy, HH:mm:ss 'GMT'xxx").replace('GMT+00:00', 'UTC') : String(at)
}

/** The day, for headings: Today, Yesterday, Monday, 3 March, with the year if it is another one. */
export function day(at: number, now = Date.now()): string {
  if (!valid(at)) return 'Unknown day'
  const days = calendarDay(now) - calendarDay(at)
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  const thisYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return format(at, thisYear ? 'EEEE, d MMMM' : 'EEEE, d MMMM yyyy')
}

/** A day without its year, where there is little room: 3 Mar. */
export function shortDay(at: number): string {
  return format(at, 'd MMM')
}

/** The month, with its year if that is wanted: Mar 2025. */
export function month(at: number, year: boolean): string {
  return format(at, year ? 'MMM yyyy' : 'MMM')
}

/** The time of the day: 14:05. */
export function clock(at: number): string {
  return valid(at) ? format(at, 'HH:mm') : ''
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

/** The number of the day in the calendar of the browser's zone. */
function calendarDay(at: number): number {
  const date = new Date(at)
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / dayLong
}

const name = (options: Intl.DateTimeFormatOptions) => {
  const names = new Intl.DateTimeFormat(language, options)
  return (date: Date) => names.format(date)
}
const padded = (n: number, digits = 2) => String(n).padStart(digits, '0')

/** The fields of a pattern, as Unicode names them (UTS #35). */
const fields: Record<string, (date: Date) => string> = {
  yyyy: (date) => padded(date.getFullYear(), 4),
  MMMM: name({ month: 'long' }),
  MMM: name({ month: 'short' }),
  MM: (date) => padded(date.getMonth() + 1),
  dd: (date) => padded(date.getDate()),
  d: (date) => String(date.getDate()),
  EEEE: name({ weekday: 'long' }),
  HH: (date) => padded(date.getHours()),
  mm: (date) => padded(date.getMinutes()),
  ss: (date) => padded(date.getSeconds()),
  xxx: (date) => {
    const east = -date.getTimezoneOffset()
    return `${east < 0 ? '-' : '+'}${padded(Math.floor(Math.abs(east) / 60))}:${padded(Math.abs(east) % 60)}`
  },
}

/** A time in the browser's zone, by a pattern whose quoted parts stay as they are. */
export function format(at: number, pattern: string): string {
  const date = new Date(at)
  return pattern.replace(/'([^']*)'|yyyy|MMMM|MMM|MM|dd|d|EEEE|HH|mm|ss|xxx/g, (field, quoted?: string) => quoted ?? fields[field]?.(date) ?? field)
}

/** A duration in words: 2 hours 5 minutes. */
export function lasted(millis: number): string {
  if (millis < 1000) return `${millis} ms`
  const seconds = Math.floor(millis / 1000)
  const counts = [
    ['day', Math.floor(seconds / 86_400)],
    ['hour', Math.floor(seconds / 3600) % 24],
    ['minute', Math.floor(seconds / 60) % 60],
    ['second', seconds % 60],
  ] as const
  return counts
    .filter(([, count]) => count > 0)
    .map(([unit, count]) => count.toLocaleString(language, { style: 'unit', unit, unitDisplay: 'long' }))
    .join(' ')
}
