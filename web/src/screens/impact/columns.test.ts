import { describe, expect, it } from 'vitest'
import { readablePath } from '../../lib/columns'
import { columnOf, known, matching, nearest } from './columns'

const orders = 'urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)'

describe('columnOf', () => {
  it('takes the URN of a column apart', () => {
    expect(columnOf(`urn:li:schemaField:(${orders},net_revenue)`)).toEqual({ parent: orders, path: 'net_revenue' })
  })
  it('reads escaped signs of the path', () => {
    expect(columnOf(`urn:li:schemaField:(${orders},price%28eur%2Cnet%29)`)?.path).toBe('price(eur,net)')
  })
  it('knows no column in other URNs', () => {
    expect(columnOf(orders)).toBeUndefined()
    expect(columnOf('urn:li:schemaField:(nothing)')).toBeUndefined()
    expect(columnOf('urn:li:schemaField:(urn:li:chart:(a,b),)')).toBeUndefined()
  })
})

it('shows paths without types, even such with dots', () => {
  expect(readablePath('[version=2.0].[type=struct].a.[type=com.shop.Price].b')).toBe('a.b')
  expect(readablePath('a.b')).toBe('a.b')
  expect(readablePath('[0]')).toBe('[0]')
})

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
