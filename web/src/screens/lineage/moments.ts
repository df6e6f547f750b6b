// A moment in the form of a field for local dates and times, and back.

import { format } from 'date-fns'

export function toField(at: number): string {
  return format(at, "yyyy-MM-dd'T'HH:mm")
}

/** Undefined, which means now, for an empty or unfinished field. */
export function fromField(text: string): number | undefined {
  const at = text ? new Date(text).getTime() : NaN
  return Number.isNaN(at) ? undefined : at
}
