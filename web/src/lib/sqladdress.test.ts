import { expect, test } from 'vitest'
import { placeOf, sqlAddress } from './sqladdress'

test('the address of SQL has the statement behind the #', () => {
  expect(sqlAddress({ sql: 'select 1 # %', dialect: 'postgres', database: 'shop', schema: '' })).toBe('/ui/sql?dialect=postgres&database=shop#select%201%20%23%20%25')
})

test('SQL about a dataset is read by its platform and name', () => {
  expect(placeOf('urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)')).toEqual({ dialect: 'snowflake', database: 'analytics', schema: 'marts' })
  expect(placeOf('urn:li:dataset:(urn:li:dataPlatform:hive,orders,PROD)')).toEqual({ dialect: 'hive', database: '', schema: '' })
  expect(placeOf('urn:li:chart:(looker,x)')).toBeUndefined()
})
