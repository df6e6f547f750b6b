import type { LineageDirection } from '../../gql/graphql'
import { columnOf } from '../../lib/columns'

// The requests of the screen to the server.

export interface Around {
  urn: string
  /** Both directions if it is undefined. */
  direction: LineageDirection | undefined
  hops: number
}

export function around({ urn, direction, hops }: Around) {
  return { urn, hops, ...(direction ? { direction } : {}) }
}

export function directionOf(text: string | null): LineageDirection | undefined {
  const word = text?.toUpperCase()
  return word === 'UPSTREAM' || word === 'DOWNSTREAM' ? word : undefined
}

export function hopsOf(text: string | null): number {
  const hops = Math.floor(Number(text))
  return hops >= 1 && hops <= 20 ? hops : 2
}

/** Whether lineage is followed from column to column. */
export function ofColumns(urn: string): boolean {
  return columnOf(urn) !== undefined
}

/** Waits, unless the signal ends the wait. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })
}
