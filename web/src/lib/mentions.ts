const found = new WeakMap<object, ReadonlySet<string>>()

/** The URNs that a value has as texts, also in JSON inside a text. It looks at each object only once. */
export function urnsOf(value: unknown): ReadonlySet<string> {
  const kept = typeof value === 'object' && value ? found.get(value) : undefined
  if (kept) return kept
  const urns = new Set<string>()
  collect(value, urns)
  if (typeof value === 'object' && value) found.set(value, urns)
  return urns
}

function collect(value: unknown, into: Set<string>): void {
  if (typeof value === 'string') {
    if (value.startsWith('urn:')) into.add(value)
    else if (/^[[{]/.test(value) && value.includes('"urn:')) collect(parsed(value), into)
  } else if (Array.isArray(value)) {
    for (const one of value) collect(one, into)
  } else if (typeof value === 'object' && value) {
    for (const one of Object.values(value)) collect(one, into)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
