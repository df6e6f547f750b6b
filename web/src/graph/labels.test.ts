import { describe, expect, it } from 'vitest'
import { LABEL, labelsOf } from './labels'
import { anyGraph, solved } from './testing'
import type { Graph } from './types'

/** Letters of one width. */
const texts = {
  width: (text: string, size: number) => text.length * size * 0.6,
  fit: (text: string, room: number, size: number) => {
    const letters = Math.floor(room / (size * 0.6))
    return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`
  },
}

function marked(seed: number, count: number, every: number): Graph {
  const graph = anyGraph(seed, count, count * 2)
  return {
    ...graph,
    nodes: graph.nodes.map((node, i) => ({ ...node, title: `dataset_${'of_a_name_'.repeat(i % 5)}${i}`, ...(i % every ? {} : { change: i % 2 ? ('ended' as const) : ('added' as const) }) })),
  }
}

describe('names of what changed', () => {
  it('are there from afar, each at its node, and none over another', () => {
    for (const seed of [1, 2, 3]) {
      const graph = marked(seed, 32, 8)
      const { scene, result } = solved(graph)
      for (const zoom of [0.05, 0.1, 0.2, 0.33, 0.39]) {
        const labels = labelsOf(scene, result, zoom, texts)
        expect(labels.map(({ node }) => scene.structure.nodes[node]!).flatMap(({ id, change }) => (change ? [id] : [])).sort()).toEqual(graph.nodes.flatMap(({ id, change }) => (change ? [id] : [])).sort())
        for (const [i, { box, node, text }] of labels.entries()) {
          expect((box.right - box.left) * zoom).toBeLessThanOrEqual(LABEL.widest + 2 * LABEL.side + 1e-3)
          expect(text).not.toBe('')
          const far = Math.max(0, box.top - (result.y[node]! + 56), result.y[node]! - box.bottom) * zoom
          expect(far, 'pixels from its node').toBeLessThan(5 * (LABEL.height + 6))
          for (const other of labels.slice(i + 1)) {
            expect(box.left < other.box.right && other.box.left < box.right && box.top < other.box.bottom && other.box.top < box.bottom, `${text} over ${other.text}`).toBe(false)
          }
        }
      }
    }
  })

  it('in a crowd some are left out rather than laid over others', () => {
    const { scene, result } = solved(marked(4, 600, 1))
    const labels = labelsOf(scene, result, 0.05, texts)
    expect(labels.length).toBeGreaterThan(10)
    expect(labels.length).toBeLessThan(600)
  })

  it('all have theirs where there is room, each cut to its layer; none in a large graph', () => {
    const { scene, result } = solved(anyGraph(5, 30, 40))
    expect(labelsOf(scene, result, 0.3, texts)).toHaveLength(30)
    expect(labelsOf(scene, result, 0.1, texts)).toEqual([])
    const large = solved(anyGraph(6, 301, 300))
    expect(labelsOf(large.scene, large.result, 0.3, texts)).toEqual([])
  })
})
