// Days and months to write below a drawing whose width is a stretch of time.

import { clock, month, shortDay } from './times'

const hour = 60 * 60_000
export const dayLong = 24 * hour

/** A stretch of time, epoch milliseconds. */
export interface Life {
  first: number
  last: number
}

export interface Tick {
  at: number
  label: string
}

const units = [hour, 6 * hour, dayLong, 2 * dayLong, 7 * dayLong, 14 * dayLong]

/** Days or months to write at a stretch of time, so many at most. */
export function ticks(life: Life, most: number): Tick[] {
  const whole = life.last - life.first
  const unit = units.find((each) => whole / each <= most)
  if (!unit) return months(life, most)
  const start = new Date(life.first)
  start.setHours(0, 0, 0, 0)
  const found: Tick[] = []
  // Local days may have 23 hours: stepping by the calendar keeps them at midnight.
  for (let i = 0; ; i++) {
    const at = unit < dayLong ? start.getTime() + i * unit : new Date(start.getFullYear(), start.getMonth(), start.getDate() + (i * unit) / dayLong).getTime()
    if (at > life.last) return found
    if (at >= life.first) found.push({ at, label: unit < dayLong && new Date(at).getHours() !== 0 ? clock(at) : shortDay(at) })
  }
}

function months(life: Life, most: number): Tick[] {
  const begin = new Date(life.first)
  const many = (life.last - life.first) / (30.4 * dayLong)
  const every = Math.max(1, Math.ceil(many / most))
  const found: Tick[] = []
  for (let i = 1; ; i += every) {
    const date = new Date(begin.getFullYear(), begin.getMonth() + i, 1)
    const at = date.getTime()
    if (at > life.last) return found
    found.push({ at, label: month(at, every > 3 || date.getMonth() === 0) })
  }
}
