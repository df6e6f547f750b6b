import { SearchColumnsDocument, type SearchColumnsInput, type SearchColumnsQuery } from '../../gql/graphql'
import { query } from '../../lib/graphql'
import { withParams } from '../../lib/paths'
import { typeOf } from '../../lib/urns'
import { unique } from '../../lib/unique'
import { pageSize, partsOf, type Asked } from './address'

export type FoundColumns = SearchColumnsQuery['searchColumns']

// The lists of a search for columns, by the field of the address that fills them.
const lists: Record<string, 'labels' | 'datasets' | 'platforms' | 'owners' | 'domains' | 'types'> = {
  tags: 'labels',
  fieldTags: 'labels',
  glossaryTerms: 'labels',
  fieldGlossaryTerms: 'labels',
  labels: 'labels',
  platforms: 'platforms',
  platform: 'platforms',
  owners: 'owners',
  domains: 'domains',
  columnType: 'types',
}

/** The field of the address for a list of the server's answer. */
export function fieldOfList(list: string): string {
  return { types: 'columnType', platforms: 'platform' }[list] ?? list
}

/** The input of the search for columns. */
export function columnsInput(asked: Asked): SearchColumnsInput {
  const input: SearchColumnsInput = { query: asked.q.trim() }
  if (asked.personal) input.personal = true
  for (const [field, values] of asked.filters) {
    const list = lists[field]
    if (list) input[list] = [...new Set([...(input[list] ?? []), ...values])]
  }
  return input
}

/** The filters of an address that columns do not have; they narrow only the other results. */
export function unusedFilters(asked: Asked): string[] {
  return asked.filters.map(([field]) => field).filter((field) => !lists[field])
}

export async function askColumns(asked: Asked, signal: AbortSignal): Promise<FoundColumns> {
  const input = columnsInput(asked)
  const parts = await Promise.all(partsOf(asked).map(async (start) => (await query(SearchColumnsDocument, { input: { ...input, start, count: pageSize } }, signal)).searchColumns))
  return { ...parts[0]!, columns: unique(parts.flatMap(({ columns }) => columns), ({ column }) => column.urn) }
}

/** Whether an answer puts other columns on the screen than another one, or puts them elsewhere. */
export function columnsMove(before: FoundColumns, after: FoundColumns): boolean {
  return before.columns.length !== after.columns.length || before.columns.some(({ column }, i) => column.urn !== after.columns[i]!.column.urn)
}

/** The address of the server's table of all found columns. */
export function tableAddress(asked: Asked): string {
  const { query: words, ...rest } = columnsInput(asked)
  return withParams('/columns', { query: words, ...(rest as Record<string, string[] | boolean>), format: 'csv' })
}

/** The tag or term of a column that is shown first. */
export function kindOfLabel(urn: string): 'tag' | 'term' {
  return typeOf(urn) === 'tag' ? 'tag' : 'term'
}
