import { items, numeric, text, tree, trees, type Tree } from './json'

// The facts on the page of a run, read from its aspects and its events.

/** An event of a run in the catalog. */
export interface RunEvent {
  time: number
  status: string
  result: string
  attempt: number | undefined
  took: number | undefined
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

/** The URNs of the datasets of a run. */
export function datasetsOf(aspect: Tree | undefined, member: 'inputs' | 'outputs'): string[] {
  return [...new Set([...items(aspect?.[member]).map(text), ...trees(aspect?.[member === 'inputs' ? 'inputEdges' : 'outputEdges']).map((edge) => text(edge.destinationUrn))])].filter(Boolean)
}

/** The colours of states. */
export const tones: Readonly<Record<string, 'good' | 'bad' | 'warn' | 'accent'>> = { SUCCESS: 'good', FAILURE: 'bad', RUNNING: 'accent', UP_FOR_RETRY: 'warn', SKIPPED: 'warn' }
