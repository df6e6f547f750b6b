import { describe, expect, it } from 'vitest'
import { datasetsOf, eventOf, stateOf } from './run'

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

describe('datasetsOf', () => {
  it('reads both forms of edges once each', () => {
    expect(datasetsOf({ inputs: ['a', 'b'], inputEdges: [{ destinationUrn: 'b' }, { destinationUrn: 'c' }] }, 'inputs')).toEqual(['a', 'b', 'c'])
    expect(datasetsOf(undefined, 'outputs')).toEqual([])
  })
})
