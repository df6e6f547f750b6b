import { describe, expect, it } from 'vitest'
import { labelsOf } from './labels'
import { detailAt, LEAST_TEXT, legible, NAMES, NEAR, READING } from './look'
import { columnsTop } from './measure'
import { nameRoom } from './paintnodes'
import { graphOf, solved } from './testing'
import { fitting, readingView } from './views'
import type { Graph } from './types'

/** The room for the drawing on screens of 1400 × 900 and of 390 × 844. */
const screens = [
  { width: 1060, height: 760 },
  { width: 390, height: 560 },
]
const texts = { width: (text: string, size: number) => text.length * size * 0.6, fit: (text: string, room: number, size: number) => text.slice(0, Math.floor(room / (size * 0.6))) }

/** Three nodes in each layer, each made from some nodes of the layer before, in as many layers as a dashboard has upstream. */
function chain(count: number): Graph {
  const beside = (i: number) => 3 * (Math.floor(i / 3) + 1) + ((i + 1) % 3)
  const pairs = Array.from({ length: count }, (_, i) => [[i, i + 3], [i, beside(i)]] as const).flat()
  const graph = graphOf(count, pairs.filter(([, b]) => b < count))
  return { ...graph, nodes: graph.nodes.map((node, i) => ({ ...node, title: `stg_order_lines_${i}`, start: i === count - 1 })) }
}

describe.each([10, 31, 300])('a view of %i nodes that opens', (count) => {
  const graph = chain(count)
  const { scene, result } = solved(graph)
  const start = scene.boxOf(count - 1)

  it.each(screens)('has each name and what it is in letters of 11 pixels or more, and the start ($width)', (size) => {
    const view = readingView(result.bounds, size, start, READING)
    expect(view.zoom).toBeGreaterThanOrEqual(READING)
    const shares = graph.nodes.map((node) => {
      if (detailAt(view.zoom) === 'near') return [legible(13, view.zoom) * view.zoom, legible(11.5, view.zoom) * view.zoom, 1] as const
      const { size, small, withPlatform } = nameRoom(columnsTop(node), view.zoom)
      return [size * view.zoom, small * view.zoom, withPlatform ? 1 : 0] as const
    })
    expect(Math.min(...shares.map(([name]) => name))).toBeGreaterThanOrEqual(LEAST_TEXT)
    expect(Math.min(...shares.map(([, small]) => small))).toBeGreaterThanOrEqual(LEAST_TEXT)
    expect(shares.reduce((sum, [, , both]) => sum + both, 0) / count, 'share of nodes with both').toBe(1)
    expect(Math.abs(start.left - view.x) * view.zoom).toBeLessThan(size.width / 2)
    expect(Math.abs(start.right - view.x) * view.zoom).toBeLessThan(size.width / 2)
    expect(Math.abs(start.top - view.y) * view.zoom).toBeLessThan(size.height / 2)
    expect(Math.abs(start.bottom - view.y) * view.zoom).toBeLessThan(size.height / 2)
  })

  it('has names from afar too, once all of it is asked for', () => {
    const { zoom } = fitting(result.bounds, screens[0]!)
    if (zoom >= NAMES) return expect(count).toBe(10)
    const named = labelsOf(scene, result, zoom, texts).length / count
    expect(named, 'share of names shown').toBe(count === 31 ? 1 : 0)
  })
})

it('letters are never smaller than 11 pixels on the screen, and grow with the drawing', () => {
  for (const zoom of [NEAR, 0.8, 0.95]) for (const size of [11, 11.5, 12, 13]) expect(legible(size, zoom) * zoom).toBeGreaterThanOrEqual(LEAST_TEXT - 1e-9)
  expect(legible(13, 2)).toBe(13)
  for (const zoom of [NAMES, 0.5, READING, 0.7]) expect(nameRoom(56, zoom).small * zoom).toBeGreaterThanOrEqual(LEAST_TEXT - 1e-9)
})
