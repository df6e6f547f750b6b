// URNs as texts. columns.ts has the URNs of columns.

const pattern = /^urn:[A-Za-z]+:[A-Za-z]+:./

export function isUrn(text: string): boolean {
  return pattern.test(text)
}

/** The type in a URN: urn:li:tag:PII is a tag. */
export function typeOf(urn: string): string {
  return urn.split(':', 3)[2] ?? ''
}

/** The part of a URN after the type: its key. */
export function keyOf(urn: string): string {
  return urn.split(':').slice(3).join(':')
}

/** The name of an entity if the server did not send one: the significant part of its URN. */
export function nameOf(urn: string): string {
  const key = keyOf(urn)
  if (!key.startsWith('(') || !key.endsWith(')')) return key || urn
  const parts = split(key.slice(1, -1))
  const platform = parts[0]?.includes(':dataPlatform:') ?? false
  // The parts of the key are the platform, the name and the environment.
  if (platform && parts.length === 3) return parts[1] ?? key
  return parts[parts.length - 1] || key
}

/** The parts of a URN's key, split at commas outside brackets. */
export function split(key: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i < key.length; i++) {
    const c = key[i]
    if (c === '(') depth++
    else if (c === ')') depth--
    else if (c === ',' && depth === 0) {
      parts.push(key.slice(from, i))
      from = i + 1
    }
  }
  parts.push(key.slice(from))
  return parts
}
