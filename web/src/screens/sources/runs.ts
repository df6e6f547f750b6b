// Runs of sources: their states in words.

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent'

/** A run as the lists read it. */
export interface Run {
  urn: string
  id: string
  input?: { requestedAt: number; task: string; actorUrn?: string | null; source: { type?: string | null } } | null
  result?: { status: string; startTimeMs?: number | null; durationMs?: number | null; report?: string | null } | null
}

const states: Record<string, [label: string, tone: Tone]> = {
  RUNNING: ['Running', 'accent'],
  SUCCESS: ['Succeeded', 'good'],
  SUCCEEDED_WITH_WARNINGS: ['Succeeded with warnings', 'warn'],
  FAILURE: ['Failed', 'bad'],
  CANCELLED: ['Cancelled', 'warn'],
  ABORTED: ['Aborted', 'bad'],
  TIMEOUT: ['Took too long', 'bad'],
  DUPLICATE: ['Ran already', 'warn'],
  UP_FOR_RETRY: ['Will be tried again', 'warn'],
  ROLLING_BACK: ['Being rolled back', 'warn'],
  ROLLED_BACK: ['Rolled back', 'warn'],
  ROLLBACK_FAILED: ['Could not be rolled back', 'bad'],
}

/** The state of a run in words, and how it is coloured. Without a result, the run waits for an executor. */
export function stateOf(run: Run): { label: string; tone: Tone } {
  const status = run.result?.status
  if (!status) return { label: 'Waiting', tone: 'plain' }
  const [label, tone] = states[status] ?? [status, 'plain']
  return { label, tone }
}

/** Whether a run has not ended, and may be cancelled. */
export function goesOn(run: Run): boolean {
  return !run.result || ['RUNNING', 'UP_FOR_RETRY'].includes(run.result.status)
}

/** Whether a run may be rolled back. */
export function wroteSomething(run: Run): boolean {
  return run.input?.task === 'RUN_INGEST' && !!run.result && !['RUNNING', 'ROLLING_BACK', 'ROLLED_BACK', 'DUPLICATE', 'UP_FOR_RETRY'].includes(run.result.status)
}

const causes: Record<string, string> = {
  MANUAL_INGESTION_SOURCE: 'Started by hand',
  SCHEDULED_INGESTION_SOURCE: 'Started by the schedule',
  CLI_INGESTION_SOURCE: 'Started in a shell',
}

/** Why a run began. */
export function causeOf(run: Run): string {
  return causes[run.input?.source.type ?? ''] ?? ''
}

/** The duration of a run that has ended: 1 min 5 s. */
export function lasted(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined || milliseconds < 0) return ''
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 1) return 'less than 1 s'
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`
}

/** The results of a connection test: the basic connection first, then each ability. */
export interface TestResult {
  reachable: boolean
  reason: string
  abilities: { name: string; works: boolean; reason: string }[]
}

interface Found {
  capable?: boolean
  failure_reason?: string | null
  mitigation_message?: string | null
}

/** Reads the structured report of a connection test, as the client writes it; undefined if it is none. */
export function testResultOf(text: string | null | undefined): TestResult | undefined {
  let report: { basic_connectivity?: Found; capability_report?: Record<string, Found>; internal_failure?: boolean; internal_failure_reason?: string }
  try {
    report = JSON.parse(text ?? '') as typeof report
  } catch {
    return undefined
  }
  if (typeof report !== 'object' || report === null) return undefined
  const basic = report.basic_connectivity
  if (!basic && !report.internal_failure) return undefined
  return {
    reachable: !!basic?.capable,
    reason: basic?.failure_reason ?? report.internal_failure_reason ?? '',
    abilities: Object.entries(report.capability_report ?? {}).map(([name, found]) => ({ name, works: !!found.capable, reason: [found.failure_reason, found.mitigation_message].filter(Boolean).join(' ') })),
  }
}
