import { expect, it } from 'vitest'
import { dayLong, ticks } from './ticks'

const now = Date.UTC(2025, 5, 15, 12)

it('writes as many days or months as fit', () => {
  for (const days of [0.2, 1, 3, 12, 40, 200, 3000]) {
    const line = { first: now - days * dayLong, last: now }
    const found = ticks(line, 7)
    expect(found.length, `${days} days`).toBeLessThanOrEqual(8)
    expect(found.length, `${days} days`).toBeGreaterThan(0)
    for (const { at } of found) expect(at >= line.first && at <= line.last).toBe(true)
  }
})
