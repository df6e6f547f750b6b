import { describe, expect, it } from 'vitest'
import { causeOf, goesOn, lasted, stateOf, testResultOf, wroteSomething, type Run } from './runs'

const run = (status?: string, type = 'MANUAL_INGESTION_SOURCE'): Run => ({
  urn: 'urn:li:dataHubExecutionRequest:a',
  id: 'a',
  input: { requestedAt: 1, task: 'RUN_INGEST', source: { type } },
  result: status ? { status } : null,
})

describe('a run', () => {
  it.each([
    [undefined, 'Waiting', 'plain', true, false],
    ['RUNNING', 'Running', 'accent', true, false],
    ['UP_FOR_RETRY', 'Will be tried again', 'warn', true, false],
    ['SUCCESS', 'Succeeded', 'good', false, true],
    ['FAILURE', 'Failed', 'bad', false, true],
    ['ROLLED_BACK', 'Rolled back', 'warn', false, false],
    ['SOMETHING_NEW', 'SOMETHING_NEW', 'plain', false, true],
  ])('in the state %s', (status, label, tone, open, wrote) => {
    const one = run(status)
    expect(stateOf(one)).toEqual({ label, tone })
    expect(goesOn(one)).toBe(open)
    expect(wroteSomething(one)).toBe(wrote)
  })

  it('began for a reason', () => {
    expect(causeOf(run('SUCCESS', 'SCHEDULED_INGESTION_SOURCE'))).toBe('Started by the schedule')
    expect(causeOf(run('SUCCESS', 'other'))).toBe('')
  })

  it.each([
    [undefined, ''],
    [-1, ''],
    [100, 'less than 1 s'],
    [59_400, '59 s'],
    [60_000, '1 min'],
    [65_000, '1 min 5 s'],
    [3_600_000, '1 h'],
    [5_460_000, '1 h 31 min'],
  ])('lasted %s ms', (ms, words) => {
    expect(lasted(ms)).toBe(words)
  })
})

describe('a connection test', () => {
  it('tells what works', () => {
    const report = { basic_connectivity: { capable: true }, capability_report: { DATA_PROFILING: { capable: false, failure_reason: 'No privilege.', mitigation_message: 'Grant select.' } } }
    expect(testResultOf(JSON.stringify(report))).toEqual({ reachable: true, reason: '', abilities: [{ name: 'DATA_PROFILING', works: false, reason: 'No privilege. Grant select.' }] })
  })
  it('tells why nothing works', () => {
    expect(testResultOf('{"basic_connectivity": {"capable": false, "failure_reason": "refused"}}')).toEqual({ reachable: false, reason: 'refused', abilities: [] })
    expect(testResultOf('{"internal_failure": true, "internal_failure_reason": "bad recipe"}')).toEqual({ reachable: false, reason: 'bad recipe', abilities: [] })
  })
  it('may be missing', () => {
    for (const text of [undefined, null, '', '{', 'null', '{}']) expect(testResultOf(text)).toBeUndefined()
  })
})
