/**
 * The first entry of each key. Metadata may contain the same entry twice, but the keys of a shown list must
 * be different.
 */
export function unique<T>(list: readonly T[], key: (entry: T) => string): T[] {
  const seen = new Set<string>()
  return list.filter((entry) => {
    const size = seen.size
    return seen.add(key(entry)).size > size
  })
}
