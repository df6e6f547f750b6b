import { describe, expect, it } from 'vitest'
import { heightOf, scrolled } from './measure'
import { mapScale } from './paintmap'
import { nodeOf } from './testing'
import { fitting, kept, onTheWay, zoomedAt } from './views'
import { countText, rowsLabel } from './words'

const bounds = { left: 0, top: 0, right: 2000, bottom: 500 }
const size = { width: 1000, height: 800 }

describe('views', () => {
  it('fit all of a drawing, and do not enlarge a small one', () => {
    expect(fitting(bounds, size, 0)).toEqual({ x: 1000, y: 250, zoom: 0.5 })
    expect(fitting({ left: 0, top: 0, right: 100, bottom: 100 }, size).zoom).toBe(1)
  })

  it('zoom around a point that stays', () => {
    const before = { x: 100, y: 50, zoom: 0.5 }
    const after = zoomedAt(before, 2, 200, -100, 0.05)
    expect(after.zoom).toBe(1)
    expect(after.x + 200 / after.zoom).toBe(before.x + 200 / before.zoom)
    expect(after.y - 100 / after.zoom).toBe(before.y - 100 / before.zoom)
    expect(zoomedAt(before, 1000, 0, 0, 0.05).zoom).toBe(2.5)
    expect(zoomedAt(before, 0.0001, 0, 0, 0.05).zoom).toBe(0.05)
  })

  it('keep some of the drawing on the screen', () => {
    const far = kept({ x: 90_000, y: -90_000, zoom: 1 }, bounds, size)
    expect(far.x - size.width / 2).toBeLessThan(bounds.right)
    expect(far.y + size.height / 2).toBeGreaterThan(bounds.top)
    const here = { x: 1000, y: 250, zoom: 1 }
    expect(kept(here, bounds, size)).toEqual(here)
  })

  it('end where they were to go', () => {
    const from = { x: 0, y: 0, zoom: 0.1 }
    const to = { x: 10, y: 20, zoom: 1 }
    expect(onTheWay(from, to, 0)).toEqual(from)
    expect(onTheWay(from, to, 1)).toEqual(to)
    expect(onTheWay(from, to, 0.5).x).toBe(5)
  })

  it('the map holds the whole drawing', () => {
    const { scale, left, top } = mapScale(bounds, 180, 120)
    for (const [x, y] of [[0, 0], [2000, 500]] as const) {
      expect((x - left) * scale).toBeGreaterThanOrEqual(8 - 1e-9)
      expect((x - left) * scale).toBeLessThanOrEqual(172 + 1e-9)
      expect((y - top) * scale).toBeGreaterThanOrEqual(8)
      expect((y - top) * scale).toBeLessThanOrEqual(112)
    }
  })
})

describe('nodes with many columns', () => {
  const columns = Array.from({ length: 10_000 }, (_, i) => ({ id: `c${i}`, name: `c${i}` }))
  const node = nodeOf('a', { columns })

  it('are bounded in height, scroll to their end and say where they are', () => {
    expect(heightOf(node)).toBe(heightOf(nodeOf('b', { columns: columns.slice(0, 20) })))
    expect(scrolled(node, 0, -5)).toBe(0)
    expect(scrolled(node, 9_000, 5_000)).toBe(9_980)
    expect(rowsLabel(node, 9_980)).toBe('9,981–10,000 of 10,000 columns')
    expect(rowsLabel(nodeOf('c', { columnCount: 1 }), 0)).toBe('1 column')
  })

  it('counts fit into a handle', () => {
    expect([3, 999, 1_200, 2_000_000].map(countText)).toEqual(['+3', '+999', '+1k', '+1M'])
  })
})
