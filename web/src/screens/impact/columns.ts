// Columns of an entity: the column that an address names, and similar columns.

import { readablePath } from '../../lib/columns'

/** The columns whose path has all the words, in their order. */
export function matching<T extends { fieldPath: string }>(columns: readonly T[], text: string): T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return columns.filter(({ fieldPath }) => {
    const path = readablePath(fieldPath).toLowerCase()
    return words.every((word) => path.includes(word))
  })
}

/** The path that the address names: exactly or, if there is none, in the form that people know. */
export function known(paths: readonly string[], wanted: string): string | undefined {
  return paths.find((path) => path === wanted) ?? paths.find((path) => readablePath(path) === readablePath(wanted))
}

/** The path that is most similar to another one; undefined if none is similar. */
export function nearest(paths: readonly string[], wanted: string): string | undefined {
  const target = readablePath(wanted).toLowerCase()
  let best: string | undefined
  let least = Math.max(2, Math.floor(target.length / 3)) + 1
  for (const path of paths) {
    const plain = readablePath(path).toLowerCase()
    const distance = target.length > 2 && plain.startsWith(target) ? 1 : edits(plain, target)
    if (distance < least) [best, least] = [path, distance]
  }
  return best
}

// The fewest letters to insert, remove or replace to make a into b.
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same))
    }
    row = next
  }
  return row[b.length]!
}
