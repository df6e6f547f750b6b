import { formatDuration, intervalToDuration } from 'date-fns'
import { items, numeric, text, tree, trees, type Json, type Tree } from './json'

// What the page of a run shows, read from its aspects, its events and the facets of OpenLineage.

/** An event of a run in the catalog. */
export interface RunEvent {
  time: number
  status: string
  result: string
  attempt: number | undefined
  took: number | undefined
}

/** A facet as events have stated it last. */
export interface Facet {
  key: string
  /** The dataset to which the facet belongs, '' for the run itself. */
  of: string
  at: string
  value: Json
}

/** The answer of /openlineage/facets for a run. */
export interface Kept {
  facets?: Record<string, KeptFacet>
  inputs?: KeptDataset[]
  outputs?: KeptDataset[]
  /** The latest events as they came, the latest first. */
  events?: KeptEvent[]
  olderDropped?: boolean
}
export interface KeptEvent {
  eventTime: string
  eventType?: string
  bytes: number
  /** Absent if the event was too large to be kept. */
  event?: Json
}
interface KeptFacet {
  eventTime: string
  facet: Json
}
interface KeptDataset {
  namespace: string
  name: string
  facets: Record<string, KeptFacet>
}

export interface RunState {
  state: string
  began: number | undefined
  ended: number | undefined
  took: number | undefined
}

export function eventOf(time: number, value: Tree): RunEvent {
  return { time, status: text(value.status), result: text(tree(value.result).type), attempt: numeric(value.attempt), took: numeric(value.durationMillis) }
}

/** The state of a run; the events come with the latest first. */
export function stateOf(events: readonly RunEvent[]): RunState {
  const ended = events.find((event) => event.status === 'COMPLETE')
  const began = [...events].reverse().find((event) => event.status === 'STARTED')
  return {
    state: ended ? ended.result || 'COMPLETE' : began ? 'RUNNING' : '',
    began: began?.time,
    ended: ended?.time,
    took: ended?.took ?? (ended && began ? ended.time - began.time : undefined),
  }
}

/** All facets of a run: its own first, then those of its inputs and outputs. */
export function facetsOf(kept: Kept | undefined): Facet[] {
  const own = listed(kept?.facets ?? {}, '')
  return own.concat([...(kept?.inputs ?? []), ...(kept?.outputs ?? [])].flatMap((dataset) => listed(dataset.facets, dataset.name)))
}

function listed(facets: Record<string, KeptFacet>, of: string): Facet[] {
  return Object.keys(facets)
    .sort()
    .map((key) => ({ key, of, at: facets[key]!.eventTime, value: facets[key]!.facet }))
}

/** The message and the stack trace of the error of a run, '' where there is none. */
export function errorOf(facets: readonly Facet[], properties: Tree): { message: string; trace: string } {
  const facet = tree(facets.find((one) => one.key === 'errorMessage' && one.of === '')?.value)
  return {
    message: text(facet.message) || text(properties['errorMessage.message']),
    trace: text(facet.stackTrace) || text(properties['errorMessage.stackTrace']),
  }
}

/** The URNs of the datasets of a run. */
export function datasetsOf(aspect: Tree | undefined, member: 'inputs' | 'outputs'): string[] {
  return [...new Set([...items(aspect?.[member]).map(text), ...trees(aspect?.[member === 'inputs' ? 'inputEdges' : 'outputEdges']).map((edge) => text(edge.destinationUrn))])].filter(Boolean)
}

/** The colours of states. */
export const tones: Readonly<Record<string, 'good' | 'bad' | 'warn' | 'accent'>> = { SUCCESS: 'good', FAILURE: 'bad', RUNNING: 'accent', UP_FOR_RETRY: 'warn', SKIPPED: 'warn' }

/** A duration in words. */
export function lasted(millis: number): string {
  if (millis < 1000) return `${millis} ms`
  return formatDuration(intervalToDuration({ start: 0, end: millis })) || `${Math.round(millis / 1000)} seconds`
}
