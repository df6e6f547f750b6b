// A moment as a field for local dates and times writes it, and back.

import { format } from 'date-fns'

export function toField(at: number): string {
  return format(at, "yyyy-MM-dd'T'HH:mm")
}

/** Undefined for an empty or unfinished field: now. */
export function fromField(text: string): number | undefined {
  const at = text ? new Date(text).getTime() : NaN
  return Number.isNaN(at) ? undefined : at
}
