import type { RunsRollbackFragment, RunsRollbackPreviewQuery } from '../../gql/graphql'

// A rollback is done in parts, each of which is complete when it is answered. The finished part and the place
// to continue are stored, so that a rollback can be stopped and continued.

export type Totals = RunsRollbackFragment
export type Part = Totals & { next?: string | null }

export const nothing: Totals = {
  entitiesAffected: 0,
  aspectsReverted: 0,
  aspectsAffected: 0,
  entitiesDeleted: 0,
  timeSeriesRows: 0,
  unsafeEntities: 0,
}

export function plus(a: Totals, b: Totals): Totals {
  const sum = { ...nothing }
  for (const key of Object.keys(nothing) as (keyof Totals)[]) sum[key] = a[key] + b[key]
  return sum
}

export type Preview = RunsRollbackPreviewQuery['rollbackPreview']

/** A preview with its next part; that part tells whether the preview is complete. */
export function continued(before: Preview | undefined, part: Preview): Preview {
  if (!before) return part
  return { ...part, ...plus(before, part), rows: [...before.rows, ...part.rows], unsafe: [...before.unsafe, ...part.unsafe] }
}

/**
 * The numbers that a rollback will reach, as far as they are known: for an incomplete preview, at least the
 * numbers of the run.
 */
export function expectedOf(preview: Preview, written: { rows: number; timeSeriesRows: number }): Totals {
  const totals = plus(nothing, preview)
  if (!preview.next) return totals
  return { ...totals, aspectsReverted: Math.max(totals.aspectsReverted, written.rows), timeSeriesRows: Math.max(totals.timeSeriesRows, written.timeSeriesRows) }
}

export type Phase = 'running' | 'stopped' | 'failed' | 'done'

export interface Progress {
  runId: string
  hard: boolean
  phase: Phase
  /** The numbers of the finished parts. */
  done: Totals
  /** The numbers of the whole, from the preview. */
  expected: Totals
  /** The place to continue; '' at the beginning. */
  next: string
  parts: number
  error: string
}

export function begun(runId: string, hard: boolean, expected: Totals): Progress {
  return { runId, hard, phase: 'running', done: nothing, expected, next: '', parts: 0, error: '' }
}

/** From 0 to 1. */
export function share({ phase, done, expected }: Progress): number {
  if (phase === 'done') return 1
  const whole = amount(expected)
  return whole ? Math.min(1, amount(done) / whole) : 0
}

function amount(totals: Totals): number {
  return totals.aspectsReverted + totals.timeSeriesRows
}

/**
 * Does one part after the other until none is left, one fails, or wanted returns false. Every step is
 * reported; the last report has the final phase.
 */
export async function proceed(
  from: Progress,
  part: (next: string) => Promise<Part>,
  report: (progress: Progress) => void,
  wanted: () => boolean,
  describe: (error: unknown) => string,
): Promise<Progress> {
  let at: Progress = { ...from, phase: 'running', error: '' }
  const say = (changes: Partial<Progress>) => report((at = { ...at, ...changes }))
  say({})
  while (at.phase === 'running') {
    try {
      const answer = await part(at.next)
      const next = answer.next ?? ''
      say({ done: plus(at.done, answer), parts: at.parts + 1, next, phase: next ? (wanted() ? 'running' : 'stopped') : 'done' })
    } catch (error) {
      say({ phase: 'failed', error: describe(error) })
    }
  }
  return at
}

/** The stored progress of an unfinished rollback; undefined if the text is not one. */
export function restored(text: string | null): Progress | undefined {
  if (!text) return undefined
  try {
    const kept = JSON.parse(text) as Partial<Progress>
    if (typeof kept.runId !== 'string' || typeof kept.next !== 'string' || !isTotals(kept.done) || !isTotals(kept.expected)) return undefined
    if (kept.phase === 'done') return undefined
    // A part that was running when the page was left may not have ended.
    const phase = kept.phase === 'failed' ? 'failed' : 'stopped'
    return { runId: kept.runId, hard: kept.hard === true, phase, done: kept.done, expected: kept.expected, next: kept.next, parts: Number(kept.parts) || 0, error: String(kept.error ?? '') }
  } catch {
    return undefined
  }
}

function isTotals(value: unknown): value is Totals {
  return typeof value === 'object' && value !== null && Object.keys(nothing).every((key) => typeof (value as Record<string, unknown>)[key] === 'number')
}
