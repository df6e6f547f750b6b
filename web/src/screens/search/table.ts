import { csv } from '../../lib/csv'
import { typeLabel } from '../../lib/kinds'
import type { Named } from '../../lib/names'
import { fromStart, pageSize, type Asked } from './address'
import { askPart } from './ask'
import { rowOf, type Row } from './rows'

// The results of a search as a table for spreadsheets.

/** The most results of a table. */
export const mostRows = 10_000

const header = ['urn', 'name', 'type', 'sub type', 'platform', 'path', 'description', 'owners', 'tags', 'terms', 'domain', 'deprecated', 'removed']

const names = (list: readonly Named[]) => list.map(({ name, urn }) => name || urn).join('; ')

export function tableOf(rows: readonly Row[]): string {
  return csv(
    header,
    rows.map(({ entity, subType, path, description, owners, tags, terms, domain, deprecated }) => [
      entity.urn,
      entity.name,
      typeLabel(entity.type),
      subType,
      entity.platformName,
      path.map(({ name }) => name).join(' / '),
      description,
      names(owners),
      names(tags),
      names(terms),
      domain?.name ?? '',
      deprecated,
      entity.removed,
    ]),
  )
}

/** Reads the results of a search from the first on, up to the most rows, and reports its progress. */
export async function readRows(asked: Asked, signal: AbortSignal, onprogress: (read: number, total: number) => void): Promise<{ rows: Row[]; total: number }> {
  const rows = new Map<string, Row>()
  let total = 0
  for (let start = 0; start < mostRows; start += pageSize) {
    const { found, names } = await askPart(fromStart(asked), start, signal)
    total = found.total
    for (const result of found.searchResults) if (rows.size < mostRows) rows.set(result.entity.urn, rowOf(result, names, []))
    onprogress(rows.size, total)
    if (found.searchResults.length === 0 || start + pageSize >= total) break
  }
  return { rows: [...rows.values()], total }
}
