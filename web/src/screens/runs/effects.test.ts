import { expect, it } from 'vitest'
import { aspectLabel, aspectsOf, byEntity, duration, filtered, lastRun, wrote, type Effect } from './effects'

function effect(name: string, aspect: string, at: number, created = false): Effect {
  return { at, aspect, time: 1, created, timeSeriesRows: 0, entity: { urn: `urn:li:dataset:${name}`, type: 'dataset', name, platformName: null, exists: true, removed: false } }
}

const effects = [effect('orders', 'status', 0), effect('orders', 'ownership', 1), effect('daily orders', 'datasetKey', 2, true), effect('daily orders', 'status', 3, true)]
const all = { aspect: '', text: '', created: false }

it('filters by aspect, by words of the name and by creation', () => {
  expect(filtered(effects, all)).toHaveLength(4)
  expect(filtered(effects, { ...all, aspect: 'status' }).map((e) => e.at)).toEqual([0, 3])
  expect(filtered(effects, { ...all, text: 'ORDERS daily' }).map((e) => e.at)).toEqual([2, 3])
  expect(filtered(effects, { ...all, created: true, text: 'li:dataset' }).map((e) => e.at)).toEqual([2, 3])
})

it('lists effects by entity, in their order', () => {
  expect(byEntity(effects).map((of) => [of.entity.name, of.created, of.effects.map((e) => e.at)])).toEqual([
    ['orders', false, [0, 1]],
    ['daily orders', true, [2, 3]],
  ])
})

it('counts aspects by name', () => {
  expect(aspectsOf(effects)).toEqual([
    { aspect: 'datasetKey', count: 1 },
    { aspect: 'ownership', count: 1 },
    { aspect: 'status', count: 2 },
  ])
  expect(aspectLabel('schemaMetadata')).toBe('Schema metadata')
})

it('says how long a run took', () => {
  expect([0, 4000, 125_000, 120_000, 3_600_000, 3_900_000, 3 * 86_400_000].map(duration)).toEqual([
    'under a second',
    '4 s',
    '2 min 5 s',
    '2 min',
    '1 h',
    '1 h 5 min',
    '3 days',
  ])
})

it('says what a run wrote', () => {
  expect(wrote({ rows: 1, timeSeriesRows: 0, entities: 1 })).toBe('1 aspect of 1 entity')
  expect(wrote({ rows: 1200, timeSeriesRows: 3, entities: null })).toBe('1,200 aspects and 3 time-series values')
  expect(wrote({ rows: 0, timeSeriesRows: 5, entities: 2 })).toBe('5 time-series values of 2 entities')
})

it('knows the last run of somebody', () => {
  const run = (runId: string, rolledBack = false) => ({ runId, rolledBack })
  expect(lastRun([run('no-run-id-provided'), run('headwater-platforms'), run('bad', true), run('nightly'), run('older')])).toBe('nightly')
  expect(lastRun([run('headwater-platforms')])).toBeUndefined()
})
