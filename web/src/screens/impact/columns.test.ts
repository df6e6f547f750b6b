import { expect, it } from 'vitest'
import { known, matching, nearest } from './columns'

it('finds columns by all words', () => {
  const columns = ['net_revenue', 'gross_revenue', 'placed_at'].map((fieldPath) => ({ fieldPath }))
  expect(matching(columns, 'REVENUE net').map((c) => c.fieldPath)).toEqual(['net_revenue'])
  expect(matching(columns, ' ')).toHaveLength(3)
})

it('knows a path exactly or as people write it', () => {
  const paths = ['[version=2.0].[type=string].id', 'name']
  expect(known(paths, 'id')).toBe(paths[0])
  expect(known(paths, 'name')).toBe('name')
  expect(known(paths, 'nam')).toBeUndefined()
})

it('offers the nearest name, and none that is not alike', () => {
  const paths = ['gross_revenue', 'net_revenue', 'placed_at']
  expect(nearest(paths, 'net_revenu')).toBe('net_revenue')
  expect(nearest(paths, 'net_ammount')).toBeUndefined()
  expect(nearest(paths, 'Placed')).toBe('placed_at')
  expect(nearest([], 'x')).toBeUndefined()
})
