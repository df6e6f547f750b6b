import type { SearchAcrossEntitiesInput } from '../../gql/graphql'
import type { Params } from '../../lib/paths'
import { typeOf } from '../../lib/urns'
import { domains, glossary, holding } from '../hierarchy/kinds'

/** What a search asks for, as it stands in the address. */
export interface Asked {
  q: string
  /** The fields with the values of which one must hold, in the order of the address. */
  filters: [field: string, values: string[]][]
  sort: Sort
  /** The first result is 0. */
  start: number
  /** Whether removed entities are shown too. */
  removed: boolean
  /** A place among the browse paths, such as ␟analytics␟marts; '' for all. */
  path: string
  /** Whether columns are the results, and only those with personal data. */
  columns: boolean
  personal: boolean
  /** A domain, term or term group: only what has it, or anything in it. */
  within?: string
  /** The saved view that narrows the results. */
  view?: string
}

export type Sort = '' | 'name' | 'name-desc'

export const sorts: { value: Sort; label: string }[] = [
  { value: '', label: 'Best match' },
  { value: 'name', label: 'Name, A to Z' },
  { value: 'name-desc', label: 'Name, Z to A' },
]

/** The results of a page. */
export const pageSize = 20

/** The field with the type of an entity; in the address it is type. */
export const typeField = '_entityType'

// What else than a filter can be in the address. A field of such a name is written with a dot before it.
const reserved = new Set(['q', 'type', 'sort', 'start', 'removed', 'path', 'asOf', 'in', 'personal', 'within', 'view'])

/** The parameter of a field. */
export function paramOf(field: string): string {
  if (field === typeField) return 'type'
  return reserved.has(field) || field.startsWith('.') ? `.${field}` : field
}

function fieldOf(param: string): string | undefined {
  if (param === 'type') return typeField
  if (param.startsWith('.')) return param.slice(1)
  return reserved.has(param) ? undefined : param
}

export function readAddress(search: URLSearchParams): Asked {
  const filters = new Map<string, string[]>()
  for (const [param, value] of search) {
    const field = fieldOf(param)
    if (!field || !value) continue
    const values = filters.get(field) ?? []
    if (!values.includes(value)) values.push(value)
    filters.set(field, values)
  }
  const sort = search.get('sort')
  const start = Number(search.get('start'))
  return {
    q: search.get('q') ?? '',
    filters: [...filters],
    sort: sorts.find(({ value }) => value === sort)?.value ?? '',
    start: Number.isSafeInteger(start) && start > 0 ? start : 0,
    removed: search.get('removed') === 'true',
    path: search.get('path') ?? '',
    columns: search.get('in') === 'columns',
    personal: search.get('personal') === 'true',
    ...(search.get('within') ? { within: search.get('within')! } : {}),
    ...(search.get('view') ? { view: search.get('view')! } : {}),
  }
}

/** The parameters of a search, without its words. */
export function toParams(asked: Asked): Params {
  return {
    ...Object.fromEntries(asked.filters.map(([field, values]) => [paramOf(field), values])),
    path: asked.path,
    within: asked.within,
    view: asked.view,
    sort: asked.sort,
    start: asked.start || undefined,
    removed: asked.removed,
    in: asked.columns ? 'columns' : undefined,
    personal: asked.personal,
  }
}

/** The values of a field that are chosen. */
export function chosen(asked: Asked, field: string): readonly string[] {
  return asked.filters.find(([name]) => name === field)?.[1] ?? []
}

/** The search with a value added to a field or taken from it, from its first page. */
export function toggled(asked: Asked, field: string, value: string): Asked {
  const values = chosen(asked, field)
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value]
  const rest = asked.filters.filter(([name]) => name !== field)
  return { ...asked, start: 0, filters: next.length ? [...rest, [field, next]] : rest }
}

/** The search without its place in a tree or without its view. */
export function without(asked: Asked, part: 'within' | 'view'): Asked {
  const rest = { ...asked }
  delete rest[part]
  return rest
}

/** The search without any filter. */
export function unfiltered(asked: Asked): Asked {
  return { ...without(without(asked, 'within'), 'view'), filters: [], path: '', start: 0, removed: false, personal: false }
}

/** What the server is asked. */
export function inputOf(asked: Asked): SearchAcrossEntitiesInput {
  const criteria = asked.filters.map(([field, values]) => ({ field, values }))
  // A place is meant with what is below it, but not others whose names begin like it.
  const places = asked.path
    ? [
        { field: 'browsePathV2', values: [asked.path] },
        { field: 'browsePathV2', values: [`${asked.path}␟`], condition: 'START_WITH' as const },
      ]
    : [undefined]
  const holders = asked.within ? holding(typeOf(asked.within) === 'domain' ? domains : glossary, asked.within).flatMap(({ and }) => and ?? []) : [undefined]
  const any = places.flatMap((place) => holders.map((holder) => ({ and: [...criteria, ...(place ? [place] : []), ...(holder ? [holder] : [])] })))
  return {
    query: asked.q.trim() || '*',
    start: asked.start,
    count: pageSize,
    ...(criteria.length || asked.path || asked.within ? { orFilters: any } : {}),
    ...(asked.view ? { viewUrn: asked.view } : {}),
    ...(asked.sort ? { sortInput: { sortCriterion: orderOf(asked.sort) } } : {}),
    searchFlags: { includeSoftDeleted: asked.removed, maxAggValues: 20, asTyped: true },
  }
}

function orderOf(sort: Exclude<Sort, ''>) {
  return { field: '_entityName', sortOrder: sort === 'name' ? ('ASCENDING' as const) : ('DESCENDING' as const) }
}

/** The steps of a browse path. */
export function stepsOf(path: string): string[] {
  return path.split('␟').filter(Boolean)
}
