// Which sources name which secrets.

export interface Using {
  urn: string
  name: string
  config?: { recipe: string; extraArgs?: readonly { value?: string | null }[] | null } | null
}

// The form in which the server finds the secrets of a recipe.
const named = /\$\{([A-Za-z_]\w*)(?::?[-+=?][^}]*)?\}/g

/** The secrets that a text of a recipe names. */
export function secretsIn(text: string): Set<string> {
  return new Set([...text.matchAll(named)].map(([, name]) => name ?? ''))
}

/** The sources that name each secret, by its name. */
export function usesOf(sources: readonly Using[]): Map<string, Using[]> {
  const uses = new Map<string, Using[]>()
  for (const source of sources) {
    const texts = [source.config?.recipe ?? '', ...(source.config?.extraArgs ?? []).map(({ value }) => value ?? '')]
    for (const name of secretsIn(texts.join('\n'))) uses.set(name, [...(uses.get(name) ?? []), source])
  }
  return uses
}
