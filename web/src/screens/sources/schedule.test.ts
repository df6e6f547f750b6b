import { describe, expect, it } from 'vitest'
import { emptySchedule, inWordsOf, scheduleOf, storedOf, timezones } from './schedule'

describe('a schedule', () => {
  it.each([
    ['5 * * * *', 'hourly', 'Every hour at minute 5'],
    ['@hourly', 'hourly', 'Every hour at minute 0'],
    ['30 6 * * *', 'daily', 'Every day at 06:30 (Europe/Zurich)'],
    ['@daily', 'daily', 'Every day at 00:00 (Europe/Zurich)'],
    ['0 22 * * 5', 'weekly', 'Every Friday at 22:00 (Europe/Zurich)'],
    ['0 22 * * fri', 'weekly', 'Every Friday at 22:00 (Europe/Zurich)'],
    ['15 3 28 * *', 'monthly', 'On day 28 of each month at 03:15 (Europe/Zurich)'],
    ['*/10 8-18 * * 1-5', 'cron', 'At */10 8-18 * * 1-5 (Europe/Zurich)'],
    ['0 6 * 1 *', 'cron', 'At 0 6 * 1 * (Europe/Zurich)'],
    ['0 6 1 * 1', 'cron', 'At 0 6 1 * 1 (Europe/Zurich)'],
    ['0 25 * * *', 'cron', 'At 0 25 * * * (Europe/Zurich)'],
    ['nonsense', 'cron', 'At nonsense (Europe/Zurich)'],
  ])('%s is %s', (interval, often, words) => {
    const schedule = scheduleOf({ interval, timezone: 'Europe/Zurich' })
    expect(schedule.often).toBe(often)
    expect(inWordsOf(schedule)).toBe(words)
  })

  it('is stored as it was read', () => {
    for (const interval of ['5 * * * *', '30 6 * * *', '0 22 * * 5', '15 3 28 * *', '*/10 8-18 * * 1-5']) {
      expect(storedOf(scheduleOf({ interval, timezone: 'Asia/Tokyo' }))).toEqual({ interval, timezone: 'Asia/Tokyo' })
    }
  })

  it('may be none', () => {
    expect(scheduleOf(null)).toEqual(emptySchedule())
    expect(storedOf(emptySchedule())).toBeUndefined()
    expect(storedOf({ ...emptySchedule(), often: 'cron', cron: ' ' })).toBeUndefined()
  })

  it('knows time zones', () => {
    expect(timezones()).toContain('UTC')
  })
})
