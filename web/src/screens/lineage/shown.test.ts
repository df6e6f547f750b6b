import { describe, expect, it } from 'vitest'
import { short } from './known'
import { foldId, show } from './shown'
import { dataset, graph } from './testgraph'
import { allHops, collapse, defaultView, expand, expandAll, hide, pick, refold, unfold, type View } from './view'

const chain = ['a > b', 'b > c', 'c > d', 'd > e', 'e > f', 'f > g']
const names = (known: ReturnType<typeof graph>, view: View, root = 'd') =>
  Object.fromEntries([...show(known, dataset(root), view).nodes].map(([urn, degree]) => [known.nodes.get(urn)?.name, degree]))
const at = (name: string) => short(dataset(name))

describe('what a view shows', () => {
  it('begins at one hop each way', () => {
    expect(names(graph(chain), defaultView)).toEqual({ d: 0, c: -1, e: 1 })
  })

  it('says how many neighbours are not shown', () => {
    const known = graph(chain)
    const shown = show(known, dataset('d'), defaultView)
    expect(shown.more(dataset('c'), 'up')).toBe(1)
    expect(shown.more(dataset('c'), 'down')).toBe(0)
    expect(shown.more(dataset('e'), 'down')).toBe(1)
    expect(show(graph(chain, { c: { upstreams: 9 } }), dataset('d'), defaultView).more(dataset('c'), 'up')).toBe(9)
  })

  it('expands a node, and what was expanded from there', () => {
    let view = expand(defaultView, at('c'), 'up', 1, false)
    view = expand(view, at('b'), 'up', 1, false)
    expect(names(graph(chain), view)).toEqual({ d: 0, c: -1, e: 1, b: -2, a: -3 })
  })

  it('collapses what was expanded, with what is beyond', () => {
    let view = expand(defaultView, at('c'), 'up', 1, false)
    view = expand(view, at('b'), 'up', 1, false)
    expect(names(graph(chain), collapse(view, at('c'), 'up'))).toEqual({ d: 0, c: -1, e: 1 })
    expect(names(graph(chain), collapse({ ...defaultView, up: 3 }, at('c'), 'up'))).toEqual({ d: 0, c: -1, e: 1 })
    expect(names(graph(chain), expand(collapse(view, at('c'), 'up'), at('c'), 'up', 1, false))).toEqual({ d: 0, c: -1, e: 1, b: -2, a: -3 })
  })

  it('expands by several hops, and everything by one', () => {
    expect(names(graph(chain), expand(defaultView, at('d'), 'up', 1000, true))).toEqual({ d: 0, c: -1, b: -2, a: -3, e: 1 })
    const view = expand(defaultView, at('e'), 'down', 1, false)
    expect(names(graph(chain), expandAll(view, 'down'))).toEqual({ d: 0, c: -1, e: 1, f: 2, g: 3 })
  })

  it('reaches a node at its smallest distance and ends in a cycle', () => {
    const known = graph(['a > b', 'b > c', 'c > a'])
    expect(names(known, { ...defaultView, up: 1000, down: 1000 }, 'a')).toEqual({ a: 0, c: -1, b: 1 })
  })

  it('shows edges between all nodes that are shown', () => {
    const known = graph(['a > b', 'b > c', 'a > c'])
    const shown = show(known, dataset('b'), defaultView)
    expect(shown.edges.map(({ up, down }) => [known.nodes.get(up)?.name, known.nodes.get(down)?.name])).toEqual([
      ['b', 'c'],
      ['a', 'b'],
      ['a', 'c'],
    ])
  })

  it('leaves hidden nodes out', () => {
    expect(names(graph(chain), { ...hide(defaultView, at('c')), up: 3 })).toEqual({ d: 0, e: 1 })
  })

  it('shows as many as the limit and counts the rest', () => {
    const view = { ...defaultView, up: 1000, down: 1000, limit: 4 }
    expect(names(graph(chain), view)).toEqual({ d: 0, c: -1, e: 1, b: -2 })
    expect(show(graph(chain), dataset('d'), view).cut).toBe(3)
  })
})

describe('folds', () => {
  const hub = Array.from({ length: 37 }, (_, i) => `hub > c${String(i).padStart(2, '0')}`)
  const types = Object.fromEntries(hub.map((edge) => [edge.slice(6), { type: 'chart' }]))
  const known = graph(['up > hub', ...hub, 'hub > table', 'c30 > board'], types)
  const fold = (view: View) => show(known, dataset('hub'), view).folds[0]

  it('fold the neighbours of a type of which there are many', () => {
    const shown = show(known, dataset('hub'), defaultView)
    expect([...shown.nodes.keys()].map((urn) => known.nodes.get(urn)?.name)).toEqual(['hub', 'up', 'table'])
    expect(shown.folds).toHaveLength(1)
    expect(shown.folds[0]).toMatchObject({ id: foldId(dataset('hub'), 'down'), counts: [['chart', 37]], degree: 1 })
    expect(shown.more(dataset('hub'), 'down')).toBe(0)
  })

  it('unfold in steps, by name, and fold again', () => {
    const view = unfold(defaultView, at('hub'), 'down', 12)
    expect(fold(view)?.urns).toHaveLength(25)
    expect(names(known, view, 'hub')).toHaveProperty('c11', 1)
    expect(names(known, view, 'hub')).not.toHaveProperty('c12')
    expect(fold(unfold(view, at('hub'), 'down', 100))).toBeUndefined()
    expect(fold(refold(view, at('hub'), 'down'))?.urns).toHaveLength(37)
  })

  it('give single nodes, and keep what is shown for another reason', () => {
    expect(names(known, pick(defaultView, [at('c20')]), 'hub')).toHaveProperty('c20', 1)
    expect(fold(pick(defaultView, [at('c20')]))?.urns).toHaveLength(36)
  })

  it('give what was picked beyond the limit too', () => {
    const view = { ...pick(defaultView, [at('c20')]), limit: 2 }
    const shown = show(known, dataset('hub'), view)
    expect([...shown.nodes.keys()].map((urn) => known.nodes.get(urn)?.name)).toEqual(['hub', 'up', 'c20'])
    expect(shown.cut).toBe(1)
  })

  it('do not go on beyond what is folded', () => {
    expect(names(known, { ...defaultView, down: 2 }, 'hub')).not.toHaveProperty('board')
    expect(names(known, { ...unfold(defaultView, at('hub'), 'down', 36), down: 2 }, 'hub')).toHaveProperty('board', 2)
  })

  it('are only of very many where everything was asked for', () => {
    expect(fold({ ...defaultView, down: allHops })).toBeUndefined()
    const many = Array.from({ length: 101 }, (_, i) => `hub > c${i}`)
    expect(show(graph(many), dataset('hub'), { ...defaultView, down: allHops }).folds[0]?.urns).toHaveLength(101)
  })

  it('are in the order of numbers', () => {
    const many = graph(Array.from({ length: 20 }, (_, i) => `hub > part ${i}`))
    expect(names(many, unfold(defaultView, at('hub'), 'down', 12), 'hub')).toHaveProperty('part 9', 1)
  })
})
