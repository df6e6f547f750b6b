import type { RunsEffectsQuery } from '../../gql/graphql'
import { amount } from '../../lib/words'

// The effects of a run as the list shows them: by entity, filtered, in words.

export type Run = NonNullable<RunsEffectsQuery['run']>
export type Summary = Run['summary']
/** An effect, and its place in the server's list. */
export type Effect = Run['effects'][number] & { at: number }

/** The run of writes without a run id; it cannot be rolled back. */
export const withoutRun = 'no-run-id-provided'
/** The run in which the server itself writes at its start. */
export const serversRun = 'headwater-platforms'

/** The run that people mean by the last run: the newest one of a person or program. */
export function lastRun(runs: readonly Pick<Summary, 'runId' | 'rolledBack'>[]): string | undefined {
  return runs.find((run) => !run.rolledBack && run.runId !== serversRun && run.runId !== withoutRun)?.runId
}

export interface Filter {
  /** The name of an aspect; '' for all. */
  aspect: string
  /** Words of the entity's name or URN. */
  text: string
  /** Whether only entities that the run created are listed. */
  created: boolean
}

export function filtered(effects: readonly Effect[], { aspect, text, created }: Filter): Effect[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return effects.filter((effect) => {
    if (aspect && effect.aspect !== aspect) return false
    if (created && !effect.created) return false
    const named = `${effect.entity.name}\n${effect.entity.urn}`.toLowerCase()
    return words.every((word) => named.includes(word))
  })
}

/** The effects on one entity. */
export interface EntityEffects {
  entity: Effect['entity']
  created: boolean
  effects: Effect[]
}

export function byEntity(effects: readonly Effect[]): EntityEffects[] {
  const found = new Map<string, EntityEffects>()
  for (const effect of effects) {
    let of = found.get(effect.entity.urn)
    if (!of) found.set(effect.entity.urn, (of = { entity: effect.entity, created: false, effects: [] }))
    of.effects.push(effect)
    of.created ||= effect.created
  }
  return [...found.values()]
}

/** The aspects with their numbers, by name. */
export function aspectsOf(effects: readonly Effect[]): { aspect: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { aspect } of effects) counts.set(aspect, (counts.get(aspect) ?? 0) + 1)
  return [...counts].map(([aspect, count]) => ({ aspect, count })).sort((a, b) => a.aspect.localeCompare(b.aspect))
}

/** schemaMetadata → Schema metadata. */
export function aspectLabel(name: string): string {
  const text = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A duration in words: 2 h 5 min. */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 1) return 'under a second'
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`
  return amount(Math.round(hours / 24), 'day')
}

/** The numbers of a run's writes, in words. */
export function wrote(run: Pick<Summary, 'rows' | 'timeSeriesRows' | 'entities'>): string {
  const parts = []
  if (run.rows || !run.timeSeriesRows) parts.push(amount(run.rows, 'aspect'))
  if (run.timeSeriesRows) parts.push(amount(run.timeSeriesRows, 'time-series value'))
  const whole = parts.join(' and ')
  return run.entities ? `${whole} of ${amount(run.entities, 'entity', 'entities')}` : whole
}
