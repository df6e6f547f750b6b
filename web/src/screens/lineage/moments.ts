// A moment as a field for local dates and times writes it, and back.

const two = (value: number) => String(value).padStart(2, '0')

export function toField(at: number): string {
  const date = new Date(at)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`
}

/** Undefined for an empty or unfinished field: now. */
export function fromField(text: string): number | undefined {
  const at = text ? new Date(text).getTime() : NaN
  return Number.isNaN(at) ? undefined : at
}
