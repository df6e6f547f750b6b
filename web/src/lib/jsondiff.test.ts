import { describe, expect, it } from 'vitest'
import { changesOf, linesOf, spoken, unchangedOf, wordsOf } from './jsondiff'

describe('changesOf', () => {
  it('names members that were added, removed and changed', () => {
    expect(changesOf({ a: 1, b: 'x', c: true }, { a: 2, b: 'x', d: null })).toEqual([
      { path: ['a'], kind: 'changed', before: 1, after: 2 },
      { path: ['c'], kind: 'removed', before: true, after: undefined },
      { path: ['d'], kind: 'added', before: undefined, after: null },
    ])
  })

  it('finds entries of lists by their keys, wherever they are', () => {
    const before = { fields: [{ fieldPath: 'a', type: 'int' }, { fieldPath: 'b', type: 'int' }] }
    const after = { fields: [{ fieldPath: 'new', type: 'int' }, { fieldPath: 'a', type: 'int' }, { fieldPath: 'b', type: 'long' }] }
    expect(changesOf(before, after)).toEqual([
      { path: ['fields', 'new'], kind: 'added', before: undefined, after: { fieldPath: 'new', type: 'int' } },
      { path: ['fields', 'b', 'type'], kind: 'changed', before: 'int', after: 'long' },
    ])
  })

  it('tells the same owner with two types of ownership apart', () => {
    const ada = { owner: 'urn:li:corpuser:ada', type: 'DATAOWNER' }
    const steward = { owner: 'urn:li:corpuser:ada', type: 'DATA_STEWARD' }
    expect(changesOf({ owners: [ada] }, { owners: [ada, steward] })).toEqual([
      { path: ['owners', 'urn:li:corpuser:ada'], kind: 'added', before: undefined, after: steward },
    ])
  })

  it('names plain entries by themselves', () => {
    expect(changesOf({ domains: ['urn:li:domain:a'] }, { domains: ['urn:li:domain:b'] })).toEqual([
      { path: ['domains', 'urn:li:domain:a'], kind: 'removed', before: 'urn:li:domain:a', after: undefined },
      { path: ['domains', 'urn:li:domain:b'], kind: 'added', before: undefined, after: 'urn:li:domain:b' },
    ])
  })

  it('says what has moved', () => {
    const a = { urn: 'a' }
    const b = { urn: 'b' }
    const c = { urn: 'c' }
    const changes = changesOf([a, b, c], [c, a, b])
    expect(changes).toEqual([{ path: ['c'], kind: 'moved', before: 3, after: 1 }])
  })

  it('compares whole values with nothing', () => {
    expect(changesOf(undefined, { a: 1 })).toEqual([{ path: [], kind: 'added', before: undefined, after: { a: 1 } }])
    expect(changesOf({ a: 1 }, undefined)).toEqual([{ path: [], kind: 'removed', before: { a: 1 }, after: undefined }])
    expect(changesOf({ a: 1 }, { a: 1 })).toEqual([])
  })

  it('does not take members of the prototype for values', () => {
    expect(changesOf({}, JSON.parse('{"toString": 1}'))).toEqual([{ path: ['toString'], kind: 'added', before: undefined, after: 1 }])
  })
})

describe('wordsOf', () => {
  it('marks the words that differ', () => {
    expect(wordsOf('One row per order.', 'One row per paid order.')).toEqual([
      { text: 'One row per ', kind: 'same' },
      { text: 'paid ', kind: 'added' },
      { text: 'order.', kind: 'same' },
    ])
  })

  it('gives up when the texts have nothing in common or are too long', () => {
    expect(wordsOf('abc', 'xyz')).toBeUndefined()
    expect(wordsOf('a '.repeat(20_000), 'a')).toBeUndefined()
  })
})

it('names what is the same', () => {
  expect(unchangedOf({ a: 1, b: [1], c: 1 }, { a: 1, b: [1], c: 2 })).toEqual({ a: 1, b: [1] })
})

it('speaks names of members and leaves other names alone', () => {
  expect(spoken('fieldPath')).toBe('field path')
  expect(spoken('urn:li:tag:A')).toBe('urn:li:tag:A')
  expect(spoken('net_revenue')).toBe('net_revenue')
})

it('lists the scalars of a value', () => {
  const field = { fieldPath: 'a', description: '', type: { type: { 'com.linkedin.schema.NumberType': {} } }, tags: ['x', 'y'], nullable: false }
  expect(linesOf(field)).toEqual([
    { path: ['field path'], value: 'a' },
    { path: ['type', 'type'], value: 'NumberType' },
    { path: ['tags', '1'], value: 'x' },
    { path: ['tags', '2'], value: 'y' },
    { path: ['nullable'], value: 'false' },
  ])
  expect(linesOf(Array.from({ length: 20 }, (_, i) => i))).toBeUndefined()
})
