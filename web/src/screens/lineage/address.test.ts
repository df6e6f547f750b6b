import { describe, expect, it } from 'vitest'
import { type Place, fromQuery, tooLong, toQuery } from './address'
import { momentOf } from '../../lib/times'
import { short } from './known'
import { withParams } from '../../lib/paths'
import { dataset } from './testgraph'
import { allHops, collapse, defaultView, expand, hide, openColumns, pick, toggleFilter, unfold, type View } from './view'

const a = short(dataset('a'))
const b = short(dataset('b'))
const back = (view: View, place?: Place) =>
  fromQuery(new URL(withParams('/', toQuery(view, place) as Record<string, string>), 'http://x').searchParams)

describe('a view in an address', () => {
  it('is nothing when it is the default', () => {
    expect(withParams('/', toQuery(defaultView) as Record<string, string>)).toBe('/')
    expect(back(defaultView)).toEqual({ view: defaultView, place: undefined, invalid: [] })
  })

  it('comes back whole', () => {
    let view: View = { ...defaultView, up: allHops, down: 3, asOf: 1_760_000_000_000, limit: 600 }
    view = expand(view, a, 'down', 1, false)
    view = expand(view, b, 'up', allHops, false)
    view = collapse(view, a, 'up')
    view = unfold(view, b, 'down', 24)
    view = hide(pick(view, [a]), b)
    view = openColumns(view, a, true)
    view = toggleFilter(toggleFilter(view, 'owner', 'urn:li:corpuser:a&b=c'), 'type', 'dataset')
    expect(back(view).view).toEqual(view)
    expect(back(view).invalid).toEqual([])
  })

  it.each([
    { kind: 'node', node: a },
    { kind: 'edge', up: a, down: b },
    { kind: 'edge', up: a, down: b, fromColumn: 'x.y:z', toColumn: 'ключ %' },
    { kind: 'column', node: a, column: '[version=2.0].[type=string].a/b' },
    { kind: 'fold', node: b, direction: 'up' },
  ] as const)('holds the selection of a $kind', (selection) => {
    expect(back({ ...defaultView, selection }).view.selection).toEqual(selection)
  })

  it('holds the place and zoom', () => {
    expect(back(defaultView, { node: a, x: -12.4, y: 90210.6, zoom: 0.333333 }).place).toEqual({ node: a, x: -12, y: 90211, zoom: 0.333 })
  })

  it('is the default where it cannot be read, and says so', () => {
    const { view, place, invalid } = fromQuery(new URLSearchParams('up=many&down=-1&open=u1&shut=&columns=..&max=99999999&asOf=then&at=%25&view=1_2_x'))
    expect(view).toEqual(defaultView)
    expect(place).toBeUndefined()
    expect(invalid).toEqual(['up', 'down', 'open', 'columns', 'max', 'asOf', 'at', 'view'])
  })

  it('stays short', () => {
    let view = defaultView
    for (let i = 0; i < 1000; i++) view = expand(openColumns(view, short(dataset(`t${i}`)), true), short(dataset(`t${i}`)), 'up', 1, false)
    expect(tooLong(view)).toBe(true)
    expect(withParams('/', toQuery(view) as Record<string, string>).length).toBeLessThan(3000)
    // Later expansions begin at nodes that the first ones showed, so the first ones are kept.
    expect(back(view).view.expanded[0]).toEqual(view.expanded[0])
    expect(tooLong(defaultView)).toBe(false)
  })

  it('reads moments as numbers, days and times', () => {
    expect(momentOf('1760000000000')).toBe(1_760_000_000_000)
    expect(momentOf('2026-10-21')).toBe(Date.UTC(2026, 9, 21))
    expect(momentOf('2026-10-21T10:00:00Z')).toBe(Date.UTC(2026, 9, 21, 10))
    expect(momentOf('2026-99-99')).toBeUndefined()
  })
})

describe('the short names of nodes', () => {
  it('differ for 10,000 entities of one catalog', () => {
    const names = new Set(Array.from({ length: 10_000 }, (_, i) => short(dataset(`db.schema.table_${i}`))))
    expect(names.size).toBeGreaterThan(9_998)
  })
})
