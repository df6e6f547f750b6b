import { describe, expect, it } from 'vitest'
import { columnOf, columnUrn, readablePath } from './columns'

const orders = 'urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)'

describe('URNs of columns', () => {
  it.each(['id', 'a,b(c)', '[version=2.0].[type=struct].a.[type=int].b', '100%'])('are read as they were made: %s', (path) => {
    expect(columnOf(columnUrn(orders, path))).toEqual({ entity: orders, path })
  })

  it('are not other URNs', () => {
    expect(columnOf(orders)).toBeUndefined()
    expect(columnOf('urn:li:schemaField:(x')).toBeUndefined()
    expect(columnOf('urn:li:schemaField:(x)')).toBeUndefined()
  })

  it('have a name for people', () => {
    expect(readablePath('[version=2.0].[type=struct].a.[type=int].b')).toBe('a.b')
    expect(readablePath('plain.path')).toBe('plain.path')
  })
})

describe('columnOf', () => {
  it('takes the URN of a column apart', () => {
    expect(columnOf(`urn:li:schemaField:(${orders},net_revenue)`)).toEqual({ entity: orders, path: 'net_revenue' })
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
