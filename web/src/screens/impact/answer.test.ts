import { describe, expect, it } from 'vitest'
import { RequestError } from '../../lib/graphql'
import { changing, distancesOf, folded, columnNames, grouped, message, moves, namesIn, readRows, selected, stepsOf, table, typesOf, type Owner, type Ref, type Row } from './answer'
import { momentOf } from '../../lib/times'

function ref(name: string, type = 'dataset'): Ref {
  return { urn: `urn:li:${type}:${name}`, type, name, platformName: 'Snowflake', exists: true, removed: false }
}

function row(name: string, more: Partial<Row> = {}): Row {
  return { entity: ref(name), degree: 1, owners: [], effect: 'CERTAIN', reason: null, why: null, columns: [], path: [{ entity: ref('orders') }, { entity: ref(name) }], ...more }
}

const mira = ref('Mira', 'corpuser')
const omar = ref('Omar', 'corpuser')
const owners: Owner[] = [
  { owner: mira, email: 'mira@larkspur.example' },
  { owner: omar, email: null },
  { owner: null, email: null },
]
const rows = [
  row('daily', { owners: [mira.urn], columns: ['net_revenue'] }),
  row('margin', { owners: [mira.urn, omar.urn], effect: 'POSSIBLE' }),
  row('board', { entity: ref('board', 'dashboard'), effect: 'POSSIBLE', degree: 2 }),
]
const subject = { entity: ref('orders'), column: 'net_revenue', change: 'RENAME' as const }

describe('grouped', () => {
  it('puts rows with their owners, and what nobody owns at the end', () => {
    const groups = grouped(rows, owners)
    expect(groups.map((g) => [g.owner?.name ?? '', g.certain.length, g.possible.length])).toEqual([
      ['Mira', 1, 1],
      ['Omar', 0, 1],
      ['', 0, 1],
    ])
    expect(groups[0]?.email).toBe('mira@larkspur.example')
  })
  it('leaves out owners whose rows are filtered away', () => {
    expect(grouped(selected(rows, { types: [], effect: 'CERTAIN' }), owners).map((g) => g.owner?.name)).toEqual(['Mira'])
  })
  it('loses no row whose owner is not listed', () => {
    expect(grouped([row('x', { owners: ['urn:li:corpuser:stranger'] })], [])[0]?.certain).toHaveLength(1)
  })
})

it('selects by type and effect', () => {
  expect(selected(rows, { types: ['dashboard'], effect: '' }).map((r) => r.entity.name)).toEqual(['board'])
  expect(selected(rows, { types: ['dataset'], effect: 'POSSIBLE' }).map((r) => r.entity.name)).toEqual(['margin'])
  expect(typesOf(rows)).toEqual([
    { type: 'dataset', count: 2 },
    { type: 'dashboard', count: 1 },
  ])
})

it('says what happens', () => {
  expect(changing(subject)).toBe('Renaming net_revenue')
  expect(changing({ ...subject, change: 'RETYPE' })).toBe('Changing the type of net_revenue')
  expect(changing({ ...subject, column: '' })).toBe('Removing orders')
})

it('writes a message with what breaks for whom', () => {
  const text = message(subject, grouped(rows, owners), rows.length, 'looker (3 entities, seen 2 hours ago)', 'http://catalog/ui/impact/x', (type) => (type === 'dataset' ? 'Dataset' : 'Dashboard'))
  expect(text).toBe(`The column net_revenue of orders (Snowflake) will be renamed.

What depends on it (3), by owner:

Mira <mira@larkspur.example>
  - breaks: daily (dataset, Snowflake): net_revenue
  - may break: margin (dataset, Snowflake)

Omar
  - may break: margin (dataset, Snowflake)

Nobody owns
  - may break: board (dashboard, Snowflake)

This rests on looker (3 entities, seen 2 hours ago).
Details: http://catalog/ui/impact/x
`)
})

it('shortens long lists in a message, and says when nothing depends', () => {
  const many = Array.from({ length: 40 }, (_, i) => row(`t${i}`))
  expect(message(subject, grouped(many, []), 40, 'dbt', 'x', (t) => t)).toContain('breaks: 25 more')
  expect(message(subject, [], 0, 'dbt', 'x', (t) => t)).toContain('Nothing downstream is known')
})

it('makes a table with names, addresses and the path', () => {
  expect(table(rows.slice(1, 2), owners, new Map())).toEqual([
    ['possible', 'margin', 'dataset', 'Snowflake', '1', '', 'Mira <mira@larkspur.example>; Omar', 'orders > margin', 'urn:li:dataset:margin', ''],
  ])
})

it('names columns given as paths or URNs', () => {
  expect(columnNames(row('x', { columns: ['a', 'urn:li:schemaField:(urn:li:dataset:(p,x,PROD),b.c)', '[version=2.0].[type=int].d'] }))).toEqual(['a', 'b.c', 'd'])
})

it('reads all pages, and as many rows as are wanted', async () => {
  const asked: number[] = []
  const read = async (start: number, count: number) => {
    asked.push(start)
    return { rows: rows.slice(start, start + Math.min(2, count)), owners, total: 3, certain: start }
  }
  expect(await readRows(read)).toEqual({ rows, owners, total: 3, certain: 0 })
  expect(asked).toEqual([0, 2])
  expect((await readRows(read, 1)).rows).toEqual(rows.slice(0, 1))
})

it('names the owners of the rows of every page', async () => {
  const nobody: Owner = { owner: null, email: null }
  const pages: Owner[][] = [[{ owner: mira, email: 'mira@larkspur.example' }, nobody], [{ owner: mira, email: null }, { owner: omar, email: null }, nobody]]
  const read = async (start: number) => ({ rows: [row(String(start), { owners: [start ? omar.urn : mira.urn] })], owners: pages[start] ?? [], total: 2 })
  const all = await readRows(read)
  expect(all.owners).toEqual(owners)
  expect(table(all.rows, all.owners, new Map()).map((line) => line[6])).toEqual(['Mira <mira@larkspur.example>', 'Omar'])
})

it('ends when fewer rows come than were counted', async () => {
  expect((await readRows(async (start) => ({ rows: start ? [] : rows, owners, total: 9 }))).rows).toEqual(rows)
})

it('asks for smaller pages when an answer would be too large', async () => {
  const asked: number[] = []
  const most = 700
  const read = async (start: number, count: number) => {
    asked.push(count)
    if (count > most) throw new RequestError('the answer has more than 250000 fields; ask for smaller pages or fewer fields', 400)
    return { rows: rows.slice(start), owners, total: 3 }
  }
  expect((await readRows(read)).rows).toEqual(rows)
  expect(asked).toEqual([5000, 2500, 1250, 625])
  await expect(readRows(() => Promise.reject(new RequestError('no such column', 400)))).rejects.toThrow('no such column')
})

it('names columns on the way with their entities', () => {
  const orders = ref('orders')
  const daily = row('daily')
  const column = (of: string, path: string) => ({ entity: { ...ref(path, 'schemaField'), urn: `urn:li:schemaField:(${of},${path})` } })
  const far = row('far', { path: [column(orders.urn, 'net'), column(daily.entity.urn, 'sum'), column('urn:li:dataset:unknown', 'x'), { entity: ref('far') }] })
  expect(stepsOf(far, namesIn(orders, [daily, far])).map((step) => [step.name, step.column])).toEqual([
    ['orders', 'net'],
    ['daily', 'sum'],
    ['urn:li:dataset:unknown', 'x'],
    ['far', ''],
  ])
  expect(table([far], [], namesIn(orders, [daily]))[0]?.[7]).toBe('orders.net > daily.sum > urn:li:dataset:unknown.x > far')
})

it('reads a past moment', () => {
  expect(momentOf('1791255600000')).toBe(1791255600000)
  for (const text of [null, '', '-1', 'now', '1e300']) expect(momentOf(text)).toBeUndefined()
})

it('what is possible is folded by reason, and told by distance', () => {
  const possible = [
    row('far', { effect: 'POSSIBLE', reason: 'MAY_READ', degree: 3 }),
    row('near', { effect: 'POSSIBLE', reason: 'MAY_READ' }),
    row('behind', { effect: 'POSSIBLE', reason: 'BEHIND_POSSIBLE', degree: 2 }),
    row('next', { effect: 'POSSIBLE', reason: 'MAY_READ' }),
    row('unstated', { effect: 'POSSIBLE', reason: 'COLUMNS_NOT_STATED' }),
  ]
  const folds = folded(possible)
  expect(folds.map(({ reason }) => reason)).toEqual(['COLUMNS_NOT_STATED', 'MAY_READ', 'BEHIND_POSSIBLE'])
  expect(folds.map(distancesOf)).toEqual(['1 at 1 hop', '3: 2 at 1 hop, 1 at 3 hops', '1 at 2 hops'])
  expect(folds[1]?.distances.map(({ rows: those }) => those.map((one) => one.entity.name))).toEqual([['near', 'next'], ['far']])
})

describe('an answer that somebody reads', () => {
  const of = (...rows: [string, string, number][]) => ({ rows: rows.map(([urn, effect, degree]) => ({ entity: { urn, name: urn }, effect, degree })) }) as unknown as Parameters<typeof moves>[0]

  it('moves if other entities are affected, or otherwise', () => {
    expect(moves(of(['a', 'CERTAIN', 1]), of(['a', 'CERTAIN', 1]))).toBe(false)
    expect(moves(of(['a', 'CERTAIN', 1]), of(['a', 'POSSIBLE', 1]))).toBe(true)
    expect(moves(of(['a', 'CERTAIN', 1]), of(['a', 'CERTAIN', 2]))).toBe(true)
    expect(moves(of(['a', 'CERTAIN', 1]), of())).toBe(true)
    expect(moves(undefined, of(['a', 'CERTAIN', 1]))).toBe(true)
  })
})
