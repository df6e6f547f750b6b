import { expect, it } from 'vitest'
import { byDay, categoriesOf, categoryLabel, distance, filtered, united, words, type Change, type Ref } from './changes'

function ref(name: string): Ref {
  return { urn: `urn:li:dataset:${name}`, type: 'dataset', name, platformName: null, exists: true, removed: false }
}

const noon = new Date(2026, 10, 11, 12).getTime()
function change(name: string, time: number, more: Partial<Change> = {}): Change {
  return { entity: ref(name), degree: 0, time, actor: null, run: null, category: 'TAG', operation: 'ADD', part: null, description: 'x', weight: 'MINOR', ...more }
}

it('lists by day, and what was written together at one place, the nearest first', () => {
  const changes = [
    change('daily', noon, { run: 'r', degree: 1 }),
    change('orders', noon, { run: 'r' }),
    change('daily', noon, { run: 'r', degree: 1, category: 'OWNER' }),
    change('orders', noon, { run: 's' }),
    change('orders', noon - 86_400_000),
  ]
  const days = byDay(changes)
  expect(days.map((day) => day.together.map((group) => [group.run, group.entities.map((of) => [of.entity.name, of.changes.length])]))).toEqual([
    [
      ['r', [['orders', 1], ['daily', 2]]],
      ['s', [['orders', 1]]],
    ],
    [['', [['orders', 1]]]],
  ])
  expect(new Set(days.flatMap((day) => day.together.map((group) => group.id))).size).toBe(3)
})

it('filters by category and name', () => {
  const changes = [change('orders', 5), change('daily', 6, { category: 'LINEAGE', part: ref('net_revenue') }), change('x', 7)]
  expect(filtered(changes, { categories: ['LINEAGE'], text: '' })).toEqual([changes[1]])
  expect(filtered(changes, { categories: [], text: 'REVENUE dai' })).toEqual([changes[1]])
  expect(filtered(changes, { categories: [], text: '' })).toHaveLength(3)
})

it('unites two answers', () => {
  const one = change('orders', 5)
  expect(united([one, change('daily', 5)], [{ ...one }, change('orders', 5, { category: 'OWNER' })])).toHaveLength(3)
})

it('names categories, and those it does not know', () => {
  expect(categoriesOf([change('a', 1), change('b', 1, { category: 'LINEAGE' }), change('c', 1)])).toEqual([
    { category: 'TAG', count: 2 },
    { category: 'LINEAGE', count: 1 },
  ])
  expect(categoryLabel('TECHNICAL_SCHEMA')).toBe('Columns')
  expect(categoryLabel('DATA_CONTRACT')).toBe('Data contract')
  expect(categoryLabel('constructor')).toBe('constructor')
})

it('says where an entity is', () => {
  expect([0, -1, 2].map(distance)).toEqual(['', '1 hop upstream', '2 hops downstream'])
})

it('says once what is a rollback, and what was rolled back', () => {
  const changes = [
    change('orders', noon, { description: 'Upstream a was added' }),
    change('orders', noon, { description: "Column x was added (rollback of run bad (2))" }),
    change('orders', noon - 1, { run: 'bad (2)', description: 'Column x was removed (run bad (2), rolled back since)' }),
  ]
  expect(changes.map(words)).toEqual(['Upstream a was added', 'Column x was added', 'Column x was removed'])
  expect(byDay(changes)[0]?.together.map(({ undoes, undone }) => [undoes, undone])).toEqual([
    ['bad (2)', false],
    ['', true],
  ])
})
