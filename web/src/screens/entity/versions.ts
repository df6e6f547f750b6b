// The versions of an aspect, read page by page: the server gives at most a hundred at once.

export interface Versions<V> {
  total: number
  versions: readonly V[]
}

/** The most versions that one request may ask for. */
const page = 100

/**
 * The newest versions, up to a number. Known versions are not read again unless there are newer versions,
 * because then the numbers of all versions have changed. */
export async function newest<V>(wanted: number, known: Versions<V> | undefined, read: (start: number, count: number) => Promise<Versions<V>>): Promise<Versions<V>> {
  let all: Versions<V> | undefined = known
  for (;;) {
    const have = all?.versions.length ?? 0
    if (all && have >= Math.min(wanted, all.total)) return all
    const next: Versions<V> = await read(have, Math.min(page, wanted - have))
    if (all && next.total !== all.total) all = undefined
    else if (next.versions.length === 0) return { total: next.total, versions: all?.versions ?? [] }
    else all = { total: next.total, versions: [...(all?.versions ?? []), ...next.versions] }
  }
}
