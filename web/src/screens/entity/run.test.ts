import { describe, expect, it } from 'vitest'
import { datasetsOf, errorOf, eventOf, facetsOf, stateOf } from './run'

const started = eventOf(1000, { status: 'STARTED' })

describe('stateOf', () => {
  it('tells of a run that has ended', () => {
    const ended = eventOf(4000, { status: 'COMPLETE', result: { type: 'FAILURE' }, durationMillis: 2500 })
    expect(stateOf([ended, started])).toEqual({ state: 'FAILURE', began: 1000, ended: 4000, took: 2500 })
  })
  it('computes the duration that is not stated', () => {
    expect(stateOf([eventOf(4000, { status: 'COMPLETE', result: { type: 'SUCCESS' } }), started]).took).toBe(3000)
  })
  it('tells of a run that goes on, and of one without events', () => {
    expect(stateOf([started])).toEqual({ state: 'RUNNING', began: 1000, ended: undefined, took: undefined })
    expect(stateOf([]).state).toBe('')
  })
})

describe('facetsOf', () => {
  const kept = {
    facets: { sql: { eventTime: 'b', facet: 1 }, parent: { eventTime: 'a', facet: { x: 1 } } },
    outputs: [{ namespace: 'n', name: 'd', facets: { outputStatistics: { eventTime: 'c', facet: { rowCount: 3 } } } }],
  }
  it('lists the own facets first, by their keys', () => {
    expect(facetsOf(kept).map((facet) => `${facet.of}/${facet.key}`)).toEqual(['/parent', '/sql', 'd/outputStatistics'])
  })
  it('lists none of a run that OpenLineage has not told of', () => {
    expect(facetsOf(undefined)).toEqual([])
  })
})

describe('errorOf', () => {
  it('prefers the facet', () => {
    const facets = facetsOf({ facets: { errorMessage: { eventTime: 'a', facet: { message: 'broken', stackTrace: 'at x' } } } })
    expect(errorOf(facets, { 'errorMessage.message': 'cut' })).toEqual({ message: 'broken', trace: 'at x' })
  })
  it('reads the properties of callers who get no facets', () => {
    expect(errorOf([], { 'errorMessage.message': 'cut' })).toEqual({ message: 'cut', trace: '' })
  })
})

describe('datasetsOf', () => {
  it('reads both forms of edges once each', () => {
    expect(datasetsOf({ inputs: ['a', 'b'], inputEdges: [{ destinationUrn: 'b' }, { destinationUrn: 'c' }] }, 'inputs')).toEqual(['a', 'b', 'c'])
    expect(datasetsOf(undefined, 'outputs')).toEqual([])
  })
})
