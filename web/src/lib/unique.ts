/**
 * The first entry of each key. Metadata may state the same twice, and a list that is shown
 * by keys must not.
 */
export function unique<T>(list: readonly T[], key: (entry: T) => string): T[] {
  const seen = new Set<string>()
  return list.filter((entry) => {
    const size = seen.size
    return seen.add(key(entry)).size > size
  })
}
