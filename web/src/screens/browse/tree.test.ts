import { expect, test } from 'vitest'
import { linesOf, stepOf, type Opened, type TreeNode } from './tree'

const leaf = (id: string): TreeNode => ({ id, label: id, count: 1, href: '' })
const folder = (id: string): TreeNode => ({ ...leaf(id), read: async () => [] })
const snowflake = folder('Snowflake')
const datasets = folder('Datasets')
const roots = [snowflake, leaf('Airflow')]
const opened = new Map<string, Opened>([
  ['Snowflake', { children: [datasets, leaf('Containers')], error: '' }],
  ['Datasets', { children: undefined, error: '' }],
])
const lines = linesOf(roots, opened)

test('lines from top to bottom', () => {
  expect(lines.map((line) => [line.node.id, line.level, line.place, line.of, line.parent?.id])).toEqual([
    ['Snowflake', 1, 1, 2, undefined],
    ['Datasets', 2, 1, 2, 'Snowflake'],
    ['Containers', 2, 2, 2, 'Snowflake'],
    ['Airflow', 1, 2, 2, undefined],
  ])
})

test('keys', () => {
  expect(stepOf('ArrowDown', lines, 0)).toEqual({ go: 1 })
  expect(stepOf('ArrowDown', lines, 3)).toEqual({ go: 3 })
  expect(stepOf('ArrowUp', lines, 0)).toEqual({ go: 0 })
  expect(stepOf('End', lines, 0)).toEqual({ go: 3 })
  expect(stepOf('ArrowRight', lines, 0)).toEqual({ go: 1 })
  expect(stepOf('ArrowRight', lines, 1)).toBeUndefined()
  expect(stepOf('ArrowRight', lines, 3)).toBeUndefined()
  expect(stepOf('ArrowLeft', lines, 0)).toEqual({ close: snowflake })
  expect(stepOf('ArrowLeft', lines, 2)).toEqual({ go: 0 })
  expect(stepOf('ArrowLeft', lines, 3)).toBeUndefined()
  expect(stepOf(' ', lines, 1)).toEqual({ close: datasets })
  expect(stepOf('ArrowRight', linesOf(roots, new Map()), 0)).toEqual({ open: snowflake })
  expect(stepOf('a', lines, 0)).toEqual({ go: 3 })
  expect(stepOf('d', lines, 1)).toEqual({ go: 1 })
  expect(stepOf('z', lines, 0)).toBeUndefined()
  expect(stepOf('Enter', lines, 0)).toBeUndefined()
  expect(stepOf('ArrowDown', [], 0)).toBeUndefined()
})
