import { describe, expect, it } from 'vitest'
import { byDistance } from './list'
import { choices, matches, nothing } from './filters'
import { found } from './find'
import { edgeKey, Known, reach, short, sourcesOf } from './known'
import { edgesCSV, mermaid, nodesCSV } from './exports'
import { ownersOf } from './owners'
import { show } from './shown'
import { answer, dataset, graph, link, node, person } from './testgraph'
import { defaultView, expand, hide, sameSelection, toggleFilter, unfold } from './view'
import { unresolved, wanted } from './wanted'
import { scaleOf } from './save'

describe('what is known', () => {
  it('holds several statements of one edge, each once', () => {
    const known = graph(['a > b'])
    known.addLink(link('a', 'b'))
    known.addLink(link('a', 'b', { type: 'Consumes' }))
    expect(known.edges.get(edgeKey(dataset('a'), dataset('b')))?.links.map(({ type }) => type)).toEqual(['DownstreamOf', 'Consumes'])
  })

  it('knows of which nodes all neighbours were read', () => {
    const known = new Known()
    const read = answer(['a > b', 'b > c'], { a: { upstreams: 2 }, b: { upstreams: 5 } })
    const degrees: Record<string, number> = { a: -2, b: -1, c: 0 }
    known.add({ ...read, nodes: read.nodes.map((one) => ({ ...one, degree: degrees[one.name] ?? 0 })) }, dataset('c'), ['up'], 2)
    expect(known.complete(dataset('c'), 'up')).toBe(true)
    expect(known.complete(dataset('b'), 'up')).toBe(true)
    expect(known.complete(dataset('a'), 'up')).toBe(false)
    expect(known.count(dataset('a'), 'up')).toBe(2)
  })

  it('does not take a cut answer for all', () => {
    const known = new Known()
    known.add({ ...answer(['a > b'], { b: { upstreams: 7 } }), partial: true }, dataset('b'), ['up'], 1)
    expect(known.complete(dataset('b'), 'up')).toBe(false)
  })

  it('says what everything upstream begins in: what has no upstream of its own and is no job', () => {
    const known = graph(['z > b', 'a > b', 'b > d', 'job > d', 'half > d'], { job: { type: 'dataJob' }, half: { upstreams: 2 } })
    expect(sourcesOf(known, dataset('d')).map(({ name }) => name)).toEqual(['a', 'z'])
    expect(sourcesOf(known, dataset('a'))).toEqual([])
  })

  it('says what is reached, with the smallest distance', () => {
    const known = graph(['a > b', 'b > d', 'a > d', 'x > a'])
    expect(Object.fromEntries([...reach(known, dataset('d'), 'up')].map(([urn, degree]) => [known.nodes.get(urn)?.name, degree]))).toEqual({ b: 1, a: 1, x: 2 })
  })
})

describe('what is read for a view', () => {
  it('is one answer while both directions are as deep', () => {
    const requests = wanted(new Known(), dataset('a'), defaultView)
    expect(requests).toMatchObject([{ urn: dataset('a'), direction: undefined, hops: 1 }])
    expect(wanted(new Known(), dataset('a'), { ...defaultView, up: 2 })).toMatchObject([
      { direction: 'up', hops: 2 },
      { direction: 'down', hops: 1 },
    ])
    expect(wanted(new Known(), dataset('a'), { ...defaultView, up: 0, down: 0 })).toHaveLength(1)
  })

  it('leaves out what is known, and waits for nodes that are not', () => {
    const known = graph(['a > b', 'b > c'], { a: { upstreams: 4 } })
    let view = expand(defaultView, short(dataset('a')), 'up', 1, false)
    view = expand(view, short(dataset('b')), 'up', 1, false)
    view = expand(view, short(dataset('elsewhere')), 'up', 1, false)
    expect(wanted(known, dataset('c'), { ...view, up: 0 })).toMatchObject([{ urn: dataset('a'), direction: 'up', hops: 1 }])
    expect(unresolved(known, view)).toBe(1)
  })
})

describe('views', () => {
  it('are never changed in place', () => {
    const frozen = Object.freeze({ ...defaultView, expanded: Object.freeze([]), hidden: Object.freeze([]), filters: Object.freeze({}) })
    expect(expand(frozen, 'a', 'up', 1, false)).not.toBe(frozen)
    expect(unfold(frozen, 'a', 'up', 12).unfolded).toEqual([{ node: 'a', direction: 'up', count: 12 }])
    expect(toggleFilter(toggleFilter(frozen, 'tag', 'x'), 'tag', 'x').filters).toEqual({})
  })

  it('lose a selection with its node', () => {
    const view = { ...defaultView, selection: { kind: 'edge' as const, up: 'a', down: 'b' } }
    expect(hide(view, 'b').selection).toBeUndefined()
    expect(hide(view, 'c').selection).toEqual(view.selection)
    expect(sameSelection(view.selection, { kind: 'edge', up: 'a', down: 'b' })).toBe(true)
    expect(sameSelection(view.selection, { kind: 'node', node: 'a' })).toBe(false)
  })
})

describe('filters', () => {
  const ada = person('ada')
  const nodes = [node('a', { owners: [ada] }), node('b', { type: 'chart', owners: [ada, person('bo')] }), node('c')]

  it('match any value of each dimension', () => {
    const matching = (filters: Parameters<typeof matches>[1]) => nodes.filter((one) => matches(one, filters)).map(({ name }) => name)
    expect(matching({ owner: [ada.urn] })).toEqual(['a', 'b'])
    expect(matching({ owner: [ada.urn], type: ['chart'] })).toEqual(['b'])
    expect(matching({ owner: [nothing, 'urn:li:corpuser:bo'] })).toEqual(['b', 'c'])
    expect(matching({})).toEqual(['a', 'b', 'c'])
  })

  it('match by when a run has written an entity last', () => {
    const hour = 60 * 60 * 1000
    const aged = [1, 30, 24 * 8, 24 * 40].map((hours) => node(`${hours} hours`, { seen: Date.now() - hours * hour }))
    const matching = (...seen: string[]) => [...aged, node('never')].filter((one) => matches(one, { seen })).map(({ name }) => name)
    expect(matching('day')).toEqual(['1 hours'])
    expect(matching('week', 'month')).toEqual(['30 hours', '192 hours'])
    expect(matching('older', nothing)).toEqual(['960 hours', 'never'])
    const known = graph(['a > b'])
    known.addSeen(new Map([[dataset('a'), 5], ['urn:li:chart:unknown', 6]]))
    known.addNode(node('a'))
    expect(known.nodes.get(dataset('a'))?.seen).toBe(5)
    expect(known.nodes.get(dataset('b'))?.seen).toBeUndefined()
    expect(known.nodes.size).toBe(2)
  })

  it('offer values with their numbers, and those that were chosen', () => {
    expect(choices(nodes, 'owner', ['gone']).map(({ label, count }) => [label, count])).toEqual([
      ['ada', 2],
      ['None', 1],
      ['bo', 1],
      ['gone', 0],
    ])
  })
})

describe('owners', () => {
  it('are those of most first; what nobody owns is last', () => {
    const known = graph(['a > c', 'b > c', 'x > c', 'y > c', 'z > c'], { a: { owners: [person('bo')] }, b: { owners: [person('ada'), person('bo')] } })
    expect(ownersOf(known, reach(known, dataset('c'), 'up').keys()).map(({ owner, nodes }) => [owner?.name, nodes.length])).toEqual([
      ['bo', 2],
      ['ada', 1],
      [undefined, 3],
    ])
  })
})

describe('finding', () => {
  it('looks at all words, names that begin with the text first, folds too', () => {
    const many = Array.from({ length: 20 }, (_, i) => `a > orders_${i}`)
    const known = graph([...many, 'raw orders > a', 'orders > a'], { 'orders_3': { owners: [person('ada')] } })
    const shown = show(known, dataset('a'), defaultView)
    expect(found(known, shown, 'ord').slice(0, 3).map(({ urn, folded }) => [known.nodes.get(urn)?.name, folded])).toEqual([
      ['orders', false],
      ['raw orders', false],
      ['orders_0', true],
    ])
    expect(found(known, shown, 'orders ADA')).toEqual([{ urn: dataset('orders_3'), folded: true }])
    expect(found(known, shown, '  ')).toEqual([])
  })
})

describe('the list', () => {
  it('is by distance, upstream before downstream', () => {
    const known = graph(['a > b', 'b > c', 'c > d'])
    const groups = byDistance(known, show(known, dataset('c'), { ...defaultView, up: 2 }))
    expect(groups.map(({ degree, nodes }) => [degree, nodes.map(({ name }) => name)])).toEqual([
      [0, ['c']],
      [-1, ['b']],
      [-2, ['a']],
      [1, ['d']],
    ])
  })
})

describe('exports', () => {
  const known = graph(['a > b'], { a: { name: '"x" <img src=x onerror=alert(1)> #1;' }, b: { name: '=1+1', owners: [person('ada')] } })
  const shown = show(known, dataset('b'), defaultView)

  it('write mermaid in which names are only text', () => {
    expect(mermaid(known, shown, dataset('b'))).toBe(
      'flowchart LR\n' +
        '  n0["=1+1<br/>X"]\n' +
        '  n1["#34;x#34; #60;img src=x onerror=alert(1)#62; #35;1;<br/>X"]\n' +
        '  n1 --> n0\n' +
        '  style n0 stroke-width:3px\n',
    )
  })

  it('write tables that a spreadsheet does not run', () => {
    const [header, first, second] = nodesCSV(known, shown).split('\r\n')
    expect(header).toMatch(/^urn,name,type,platform,degree,owners/)
    expect(first).toContain('"""x""')
    expect(second).toContain(",'=1+1,Dataset,X,0,ada,")
    expect(edgesCSV(known, shown).split('\r\n')[1]).toContain(',DownstreamOf,')
  })

  it('make pictures that a browser can hold', () => {
    expect(scaleOf(100, 100)).toBe(2)
    expect(40_000 * scaleOf(40_000, 100)).toBeLessThanOrEqual(16_000)
    const scale = scaleOf(15_000, 15_000)
    expect(15_000 * scale * 15_000 * scale).toBeLessThanOrEqual(120_000_001)
  })
})
