import { describe, expect, it } from 'vitest'
import { isUrn, keyOf, nameOf, split, typeOf } from './urns'

it.each([
  ['urn:li:tag:PII', true],
  ['urn:li:dataset:(a,b,c)', true],
  ['urn:li:tag:', false],
  ['a urn:li:tag:PII', false],
  ['orders', false],
])('%s is a URN: %s', (text, is) => expect(isUrn(text)).toBe(is))

it('takes a URN apart', () => {
  expect(typeOf('urn:li:tag:PII')).toBe('tag')
  expect(typeOf('nonsense')).toBe('')
  expect(keyOf('urn:li:tag:a:b')).toBe('a:b')
  expect(split('urn:li:dataFlow:(a,b,c),job')).toEqual(['urn:li:dataFlow:(a,b,c)', 'job'])
})

describe('without the server, an entity is named', () => {
  it.each([
    ['urn:li:dataset:(urn:li:dataPlatform:snowflake,a.b,PROD)', 'a.b'],
    ['urn:li:dataset:(urn:li:dataPlatform:snowflake,f(x,y),PROD)', 'f(x,y)'],
    ['urn:li:mlModel:(urn:li:dataPlatform:science,scores,PROD)', 'scores'],
    ['urn:li:dataJob:(urn:li:dataFlow:(airflow,flow,prod),job)', 'job'],
    ['urn:li:dashboard:(looker,board)', 'board'],
    ['urn:li:tag:a:b', 'a:b'],
    ['nonsense', 'nonsense'],
  ])('%s: %s', (urn, name) => expect(nameOf(urn)).toBe(name))
})
