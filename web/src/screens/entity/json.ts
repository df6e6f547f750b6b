// Reading of values of unknown form: aspects are JSON that anybody may have written.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
export type Tree = { [name: string]: Json }

export function tree(value: unknown): Tree {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Tree) : {}
}

export function items(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : []
}

export function trees(value: unknown): Tree[] {
  return items(value).map(tree)
}

/** The text of a value, or of the only member of a union such as {"string": "PYTHON"}. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    const members = Object.values(value)
    if (members.length === 1) return text(members[0])
  }
  return ''
}

/** The number that a value is, also if the value is a number written as text. */
export function numeric(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value)
  return undefined
}

export function parse(json: string | null | undefined): Json {
  if (!json) return null
  try {
    return JSON.parse(json) as Json
  } catch {
    return json
  }
}

/** TECHNICAL_OWNER, technicalOwner and technical-owner as "Technical owner". */
export function words(name: string): string {
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .filter(Boolean)
  const joined = parts.map((part) => (/^[A-Z]{2,}$/.test(part) && name !== name.toUpperCase() ? part : part.toLowerCase())).join(' ')
  return joined.charAt(0).toUpperCase() + joined.slice(1)
}

/** The address if it is one that a page may link to, otherwise undefined. */
export function safeUrl(value: unknown): string | undefined {
  const address = text(value).trim()
  try {
    const url = new URL(address)
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined
  } catch {
    return undefined
  }
}
