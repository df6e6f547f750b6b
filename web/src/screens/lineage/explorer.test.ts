import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { changed } from '../../lib/cache'
import { RequestError } from '../../lib/graphql'
import type { ColumnPath, ColumnsOf } from './columns'
import { columnUrn } from '../../lib/columns'
import { Explorer } from './explorer.svelte'
import { type Answer, type Direction, edgeKey, type LineageNode, short } from './known'
import { answer, dataset, link, person } from './testgraph'
import { defaultView, expand, openColumns, type View } from './view'
import type { Request } from './wanted'

// A server with a small graph.
const stated = ['a > b', 'b > c', 'c > d', 'd > e', 'x > d', 'b > e']
let edges = stated
let facts: Record<string, Partial<LineageNode>> = {}
const asked: Request[] = []
const placed: string[] = []
let failing: ((request: Request) => boolean) | undefined
let moments: (number | undefined)[] = []
let reading: (column: string) => Promise<ColumnPath> = async () => path

function walk({ urn, direction, hops, limit }: Request): Answer {
  const whole = answer(edges, facts)
  const degrees = new Map([[urn, 0]])
  for (const way of direction ? [direction] : (['up', 'down'] as Direction[])) {
    let frontier = [urn]
    for (let degree = 1; degree <= hops && frontier.length > 0; degree++) {
      frontier = whole.edges
        .filter((edge) => frontier.includes(way === 'up' ? edge.downstream : edge.upstream))
        .map((edge) => (way === 'up' ? edge.upstream : edge.downstream))
        .filter((other) => !degrees.has(other))
      for (const other of frontier) degrees.set(other, way === 'up' ? -degree : degree)
    }
  }
  const reached = whole.nodes.filter((node) => degrees.has(node.urn))
  const nodes = reached.slice(0, limit).map((node) => ({ ...node, degree: degrees.get(node.urn) ?? 0 }))
  return {
    nodes,
    edges: whole.edges.filter(({ upstream, downstream }) => degrees.has(upstream) && degrees.has(downstream)),
    total: reached.length,
    partial: nodes.length < reached.length,
    reason: nodes.length < reached.length ? 'more than the limit' : null,
  }
}

const path: ColumnPath = {
  start: columnUrn(dataset('c'), 'k'),
  steps: new Map(
    (['a', 'c'] as const).map((name) => [
      columnUrn(dataset(name), 'k'),
      { urn: columnUrn(dataset(name), 'k'), path: 'k', degree: name === 'a' ? -1 : 0, entity: { urn: dataset(name), type: 'dataset', name } },
    ]),
  ),
  links: [link('', '', { upstream: columnUrn(dataset('a'), 'k'), downstream: columnUrn(dataset('c'), 'k') })],
  partial: false,
  reason: undefined,
}

vi.mock('./api', () => ({
  around: async (request: Request, asOf: number | undefined) => {
    asked.push(request)
    moments.push(asOf)
    if (failing?.(request)) throw new RequestError('the server is busy', 503)
    return walk(request)
  },
  readColumns: async (): Promise<ColumnsOf> => ({ columns: [{ path: 'k', type: 'int', upstreams: 1, downstreams: 0 }], links: [] }),
  readSiblings: () => Promise.resolve(new Map()),
  readPlaces: (urns: readonly string[]) => {
    placed.push(...urns)
    const shelf = (name: string) => ({ urn: `urn:li:container:${name}`, type: 'container', name })
    const at = (urn: string) => ({ container: ['a', 'c'].some((name) => urn === dataset(name)) ? shelf('shelf') : undefined, product: ['c', 'x'].some((name) => urn === dataset(name)) ? shelf('product') : undefined })
    return Promise.resolve(new Map(urns.map((urn) => [urn, at(urn)])))
  },
  readPath: (column: string) => reading(column),
}))

const rest = (explorer: Explorer) => vi.waitFor(() => expect([explorer.ready, explorer.reading]).toEqual([true, false]))
const names = (explorer: Explorer) => [...explorer.shown.nodes.keys()].map((urn) => explorer.node(urn)?.name).sort()

const open: Explorer[] = []
afterEach(() => {
  for (const explorer of open.splice(0)) explorer.close()
})

function make(...of: ConstructorParameters<typeof Explorer>): Explorer {
  const explorer = new Explorer(...of)
  open.push(explorer)
  return explorer
}

async function explore(view: View = defaultView, name = 'd'): Promise<Explorer> {
  const explorer = make(dataset(name), view)
  await rest(explorer)
  return explorer
}

beforeEach(() => {
  asked.length = placed.length = 0
  edges = stated
  facts = {}
  moments = []
  failing = undefined
  reading = async () => path
})

describe('an exploration', () => {
  it('begins at one hop each way, expands, and takes back', async () => {
    const explorer = await explore()
    expect(names(explorer)).toEqual(['c', 'd', 'e', 'x'])
    expect(explorer.canUndo).toBe(false)
    explorer.expand(dataset('c'), 'up')
    await rest(explorer)
    expect(names(explorer)).toEqual(['b', 'c', 'd', 'e', 'x'])
    expect(explorer.said).toBe('Opened upstream of c. 5 shown, 1 more.')
    expect(explorer.anchor).toBe(dataset('c'))
    explorer.undo()
    expect(names(explorer)).toEqual(['c', 'd', 'e', 'x'])
    expect(explorer.canUndo).toBe(false)
  })

  it('reads a view of which later parts are known only after the first', async () => {
    let view = expand(defaultView, short(dataset('c')), 'up', 1, false)
    view = expand(view, short(dataset('b')), 'up', 1, false)
    const explorer = await explore(view)
    expect(names(explorer)).toEqual(['a', 'b', 'c', 'd', 'e', 'x'])
    expect(explorer.notices).toEqual([])
  })

  it('says what of a link is not in the graph any more', async () => {
    const explorer = await explore(expand(defaultView, short(dataset('gone')), 'up', 1, false))
    expect(explorer.notices.map(({ text }) => text)).toEqual(['One node of this link is no longer in the graph.'])
    explorer.dismiss()
    expect(explorer.notices).toEqual([])
  })

  it('says what could not be read of an address', async () => {
    const explorer = make(dataset('d'), defaultView, { invalid: ['up'] })
    await rest(explorer)
    expect(explorer.notices[0]?.text).toContain('What this link says about up could not be read')
  })

  it('lights the path of the column that is pointed at, not of one whose answer comes late', async () => {
    vi.useFakeTimers()
    try {
      const explorer = make(dataset('d'), defaultView)
      const answers = new Map<string, () => void>()
      reading = (start) => new Promise((resolve) => answers.set(start, () => resolve({ ...path, start })))
      const point = async (column: string | null) => {
        explorer.hover(dataset('c'), column)
        await vi.advanceTimersByTimeAsync(1000)
      }
      const arrive = async (column: string) => {
        answers.get(columnUrn(dataset('c'), column))?.()
        await vi.advanceTimersByTimeAsync(0)
      }
      await point('slow')
      await point('quick')
      await arrive('quick')
      await arrive('slow')
      expect(explorer.hovered?.start).toBe(columnUrn(dataset('c'), 'quick'))
      await point('other')
      await point(null)
      await arrive('other')
      expect(explorer.hovered).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })

  it('does not keep a selection as a step', async () => {
    const explorer = await explore()
    explorer.selectNode(dataset('c'))
    expect(explorer.view.selection).toEqual({ kind: 'node', node: short(dataset('c')) })
    expect(explorer.canUndo).toBe(false)
  })

  it('reads all again for another moment', async () => {
    const explorer = await explore()
    moments = []
    explorer.change({ ...explorer.view, asOf: 123456789 })
    await rest(explorer)
    expect(new Set(moments)).toEqual(new Set([123456789]))
    expect(names(explorer)).toEqual(['c', 'd', 'e', 'x'])
  })

  it('finds edges between what several answers showed, and reads nothing twice', async () => {
    const explorer = await explore()
    await vi.waitFor(() => expect(asked.map(({ urn }) => urn)).toContain(dataset('c')))
    explorer.expand(dataset('c'), 'up')
    await rest(explorer)
    // Neither the graph around d nor the one upstream of c has the edge from b to e.
    await vi.waitFor(() => expect(explorer.shown.edges.map(({ key }) => key)).toContain(edgeKey(dataset('b'), dataset('e'))))
    expect(asked.filter(({ urn }) => urn === dataset('c'))).toHaveLength(1)
  })

  it('fails as a whole when its start cannot be read, and tries again', async () => {
    failing = () => true
    const explorer = make(dataset('d'), defaultView)
    await vi.waitFor(() => expect(explorer.error).toMatchObject({ code: 503 }))
    expect(explorer.loaded).toBe(false)
    failing = undefined
    explorer.retry()
    await rest(explorer)
    expect(explorer.error).toBeUndefined()
    expect(names(explorer)).toEqual(['c', 'd', 'e', 'x'])
  })

  it('fails as a whole when another moment cannot be read, and tries that moment again', async () => {
    const explorer = await explore()
    failing = () => true
    explorer.change({ ...explorer.view, asOf: 123456789 })
    await vi.waitFor(() => expect(explorer.error).toMatchObject({ code: 503 }))
    expect(explorer.loaded).toBe(false)
    failing = undefined
    moments = []
    explorer.retry()
    await rest(explorer)
    expect(explorer.error).toBeUndefined()
    expect(new Set(moments)).toEqual(new Set([123456789]))
    expect(names(explorer)).toEqual(['c', 'd', 'e', 'x'])
  })

  it('leaves a failed moment for one that can be read', async () => {
    const explorer = await explore()
    failing = () => true
    explorer.change({ ...explorer.view, asOf: 123456789 })
    await vi.waitFor(() => expect(explorer.error).toBeDefined())
    failing = undefined
    explorer.change({ ...explorer.view, asOf: undefined })
    await rest(explorer)
    expect([explorer.error, explorer.loaded]).toEqual([undefined, true])
  })

  it('reads again what failed when it is told to', async () => {
    failing = ({ urn }) => urn === dataset('c')
    const explorer = await explore()
    explorer.expand(dataset('c'), 'up')
    await rest(explorer)
    failing = undefined
    explorer.notices[0]!.actions!.find(({ label }) => label === 'Try again')!.run()
    await rest(explorer)
    expect(explorer.notices).toEqual([])
    expect(names(explorer)).toEqual(['b', 'c', 'd', 'e', 'x'])
  })

  it('goes on when an expansion fails, and asks again when it is wanted again', async () => {
    failing = ({ urn }) => urn === dataset('c')
    const explorer = await explore()
    explorer.expand(dataset('c'), 'up')
    await rest(explorer)
    expect(explorer.notices.map(({ text }) => text)).toEqual(['c: the server is busy'])
    expect(names(explorer)).toEqual(['c', 'd', 'e', 'x'])
    failing = undefined
    explorer.expand(dataset('c'), 'up')
    await rest(explorer)
    expect(explorer.notices).toEqual([])
    expect(names(explorer)).toEqual(['b', 'c', 'd', 'e', 'x'])
  })

  it('opens columns, and shows the entities on the path of one that is selected', async () => {
    const explorer = await explore(openColumns(defaultView, short(dataset('c')), true), 'c')
    expect(explorer.columns.get(dataset('c'))?.columns).toHaveLength(1)
    explorer.selectColumn(dataset('c'), 'k')
    await vi.waitFor(() => expect(explorer.path).toBe(path))
    expect(names(explorer)).toContain('a')
    expect(explorer.lit?.nodes).toEqual(new Set([dataset('a'), dataset('c')]))
    explorer.select(undefined)
    await rest(explorer)
    expect(explorer.path).toBeUndefined()
    expect(names(explorer)).not.toContain('a')
  })
})

describe('groups', () => {
  const titles = (explorer: Explorer) => explorer.graph.nodes.map(({ title }) => title).sort()

  it('are made by container and by data product, which are read when they are wanted, once', async () => {
    const explorer = await explore(expand(defaultView, short(dataset('c')), 'up', 2, false))
    expect(placed).toEqual([])
    explorer.arrange({ groupBy: 'product' })
    await vi.waitFor(() => expect(placed.length).toBeGreaterThan(0))
    // c was expanded, so it stays; x alone makes no group.
    expect(titles(explorer)).toEqual(['a', 'b', 'c', 'd', 'e', 'x'])
    const wide = await explore({ ...defaultView, up: 3 })
    placed.length = 0
    wide.arrange({ groupBy: 'product' })
    await vi.waitFor(() => expect(titles(wide)).toEqual(['a', 'b', 'd', 'e', 'product']))
    expect(new Set(placed).size).toBe(placed.length)
    wide.arrange({ groupBy: 'container' })
    await vi.waitFor(() => expect(titles(wide)).toEqual(['b', 'd', 'e', 'shelf', 'x']))
    expect(placed).toHaveLength(6)
  })
})

describe('changes made elsewhere', () => {
  const change = (...names: string[]) => changed({ entities: new Set(), related: new Set(names.map(dataset)), all: false })

  it('are shown at once if nothing moves', async () => {
    facts = { d: { owners: [person('bela')] } }
    const explorer = await explore()
    facts = { d: { owners: [person('ada')] } }
    change('d')
    await vi.waitFor(() => expect(explorer.node(dataset('d'))?.owners).toEqual([person('ada')]))
    expect(explorer.elsewhere).toBeUndefined()
    expect(explorer.graph.nodes.find(({ id }) => id === dataset('d'))?.badges).toEqual([{ label: 'ada', tone: 'owner' }])
  })

  it('wait to be shown if nodes would move, also of nodes that were not asked for by name', async () => {
    const explorer = await explore()
    edges = [...stated.filter((edge) => edge !== 'x > d'), 'd > f', 'd > g']
    change('c')
    await vi.waitFor(() => expect(explorer.elsewhere).toBe('The lineage has changed: 2 more, 1 fewer in the graph.'))
    expect(names(explorer)).toEqual(['c', 'd', 'e', 'x'])
    explorer.selectNode(dataset('e'))
    explorer.showElsewhere()
    await rest(explorer)
    expect([explorer.elsewhere, explorer.anchor]).toEqual([undefined, dataset('e')])
    expect(names(explorer)).toEqual(['c', 'd', 'e', 'f', 'g'])
    explorer.expand(dataset('c'), 'up')
    await rest(explorer)
    expect(names(explorer)).toEqual(['b', 'c', 'd', 'e', 'f', 'g'])
  })

  it('that are taken back are not told any more', async () => {
    const explorer = await explore()
    edges = [...stated, 'd > f']
    change('d')
    await vi.waitFor(() => expect(explorer.elsewhere).toBeDefined())
    edges = stated
    change('d')
    await vi.waitFor(() => expect(explorer.elsewhere).toBeUndefined())
    expect(names(explorer)).toEqual(['c', 'd', 'e', 'x'])
  })

  it('are read for the view as it is when they are shown', async () => {
    const explorer = await explore()
    edges = [...stated, 'd > f']
    change('d')
    await vi.waitFor(() => expect(explorer.elsewhere).toContain('1 more'))
    explorer.hide(dataset('x'))
    edges = [...edges, 'd > g']
    explorer.expand(dataset('c'), 'up')
    await vi.waitFor(() => {
      explorer.showElsewhere()
      expect(names(explorer)).toContain('g')
    })
    await rest(explorer)
    expect(names(explorer)).toEqual(['b', 'c', 'd', 'e', 'f', 'g'])
  })

  it('are not read if they are about other entities, or a past moment is shown', async () => {
    const explorer = await explore()
    const past = await explore({ ...defaultView, asOf: 5 })
    // The edges between answers are read after the first answer.
    await new Promise((resolve) => setTimeout(resolve, 20))
    const before = asked.length
    change('elsewhere')
    expect(asked).toHaveLength(before)
    explorer.close()
    change('d')
    await Promise.resolve()
    expect(asked).toHaveLength(before)
    expect(past.elsewhere).toBeUndefined()
  })

  it('that cannot be read are told, and read again when somebody asks', async () => {
    const explorer = await explore()
    edges = [...stated, 'd > f']
    failing = () => true
    change('d')
    await vi.waitFor(() => expect(explorer.failures).toEqual([{ at: 'elsewhere', text: 'What changed elsewhere could not be read: the server is busy' }]))
    failing = undefined
    explorer.retryFailed()
    await vi.waitFor(() => expect(explorer.elsewhere).toContain('1 more'))
    expect(explorer.failures).toEqual([])
  })

  it('say so when the start is gone', async () => {
    const explorer = await explore(defaultView, 'x')
    edges = stated.filter((edge) => !edge.startsWith('x '))
    change('x')
    await vi.waitFor(() => expect(explorer.elsewhere).toBeDefined())
    explorer.showElsewhere()
    await vi.waitFor(() => expect(explorer.error).toBeDefined())
  })
})
