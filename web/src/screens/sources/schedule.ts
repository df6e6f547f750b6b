// Schedules as people choose them, and as cron expressions of five fields.

/** How often a source runs by itself; cron is any other expression. */
export type Often = 'never' | 'hourly' | 'daily' | 'weekly' | 'monthly' | 'cron'

export interface Schedule {
  often: Often
  minute: number
  hour: number
  /** 0 is Sunday. */
  weekday: number
  monthday: number
  /** The cron expression that somebody typed, if no other choice means it. */
  cron: string
  timezone: string
}

const here = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

export function emptySchedule(): Schedule {
  return { often: 'never', minute: 0, hour: 5, weekday: 1, monthday: 1, cron: '', timezone: here() }
}

const names: Record<string, string> = { '@hourly': '0 * * * *', '@daily': '0 0 * * *', '@midnight': '0 0 * * *', '@weekly': '0 0 * * 0', '@monthly': '0 0 1 * *' }
const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

/** Reads a stored schedule. */
export function scheduleOf(stored: { interval: string; timezone?: string | null } | null | undefined): Schedule {
  const schedule = { ...emptySchedule(), ...(stored?.timezone ? { timezone: stored.timezone } : {}) }
  const cron = stored?.interval.trim() ?? ''
  if (!cron) return schedule
  const other: Schedule = { ...schedule, often: 'cron', cron }
  const fields = (names[cron.toLowerCase()] ?? cron).split(/\s+/)
  if (fields.length !== 5) return other
  const [minutes, hours, monthdays, months, weekdays] = fields as [string, string, string, string, string]
  const minute = within(minutes, 59)
  if (minute === undefined || months !== '*') return other
  if (hours === '*' && monthdays === '*' && weekdays === '*') return { ...other, often: 'hourly', minute }
  const hour = within(hours, 23)
  if (hour === undefined) return other
  const at = { ...other, minute, hour }
  if (monthdays === '*' && weekdays === '*') return { ...at, often: 'daily' }
  const weekday = days.includes(weekdays.toUpperCase()) ? days.indexOf(weekdays.toUpperCase()) : within(weekdays, 6)
  if (monthdays === '*' && weekday !== undefined) return { ...at, often: 'weekly', weekday }
  const monthday = within(monthdays, 31)
  return weekdays === '*' && monthday ? { ...at, often: 'monthly', monthday } : other
}

function within(text: string, most: number): number | undefined {
  return /^\d{1,2}$/.test(text) && Number(text) <= most ? Number(text) : undefined
}

/** The schedule as the server stores it; undefined if the source does not run by itself. */
export function storedOf(schedule: Schedule): { interval: string; timezone: string } | undefined {
  const { often, minute, hour, weekday, monthday, cron, timezone } = schedule
  const interval = { never: '', hourly: `${minute} * * * *`, daily: `${minute} ${hour} * * *`, weekly: `${minute} ${hour} * * ${weekday}`, monthly: `${minute} ${hour} ${monthday} * *`, cron: cron.trim() }[often]
  return interval ? { interval, timezone } : undefined
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
export const weekdayNames: readonly string[] = weekdays

const two = (n: number) => String(n).padStart(2, '0')

/** A schedule in words. */
export function inWordsOf(schedule: Schedule): string {
  const { often, minute, hour, weekday, monthday, cron, timezone } = schedule
  const time = `${two(hour)}:${two(minute)}`
  switch (often) {
    case 'never':
      return 'Runs when somebody starts it'
    case 'hourly':
      return `Every hour at minute ${minute}`
    case 'daily':
      return `Every day at ${time} (${timezone})`
    case 'weekly':
      return `Every ${weekdays[weekday]} at ${time} (${timezone})`
    case 'monthly':
      return `On day ${monthday} of each month at ${time} (${timezone})`
    case 'cron':
      return `At ${cron} (${timezone})`
  }
}

/** The time zones that the browser knows. */
export function timezones(): string[] {
  const known = Intl.supportedValuesOf('timeZone')
  return known.includes('UTC') ? known : ['UTC', ...known]
}
