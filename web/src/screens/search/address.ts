import type { SearchAcrossEntitiesInput } from '../../gql/graphql'
import type { Params } from '../../lib/paths'
import { typeOf } from '../../lib/urns'
import { domains, glossary, holding } from '../hierarchy/kinds'

/** The question of a search, as the address has it. */
export interface Asked {
  q: string
  /** The fields with the values of which one must hold, in the order of the address. */
  filters: [field: string, values: string[]][]
  sort: Sort
  /** The first result is 0. */
  start: number
  /** How many results are shown from there on, if more than the first part. */
  shown?: number
  /** Whether removed entities are shown too. */
  removed: boolean
  /** A place among the browse paths, such as ␟analytics␟marts; '' for all. */
  path: string
  /** Whether columns are the results, and only those with personal data. */
  columns: boolean
  personal: boolean
  /** A domain, term or term group; results have this one, or one below it. */
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

/** The number of results that a request reads; each request for more reads as many again. */
export const pageSize = 100

/** The most results that are shown at once; later results take their place. */
export const mostShown = 1000

/** The field with the type of an entity; in the address it is type. */
export const typeField = '_entityType'

// The parameters of the address that are not filters. A field with such a name is written with a dot before it.
const reserved = new Set(['q', 'type', 'sort', 'start', 'removed', 'path', 'asOf', 'in', 'personal', 'within', 'view', 'shown'])

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
  const shown = Math.min(mostShown, Math.ceil(Number(search.get('shown')) / pageSize) * pageSize)
  return {
    q: search.get('q') ?? '',
    filters: [...filters],
    sort: sorts.find(({ value }) => value === sort)?.value ?? '',
    start: Number.isSafeInteger(start) && start > 0 ? start : 0,
    removed: search.get('removed') === 'true',
    path: search.get('path') ?? '',
    columns: search.get('in') === 'columns',
    personal: search.get('personal') === 'true',
    ...(shown > pageSize ? { shown } : {}),
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
    shown: asked.shown,
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
  return { ...fromStart(asked), filters: next.length ? [...rest, [field, next]] : rest }
}

/** The search from another result on, its first part only. */
export function fromStart(asked: Asked, start = 0): Asked {
  const rest = { ...asked, start }
  delete rest.shown
  return rest
}

/** The parts of the results that are read one by one. */
export function partsOf(asked: Asked): number[] {
  return Array.from({ length: (asked.shown ?? pageSize) / pageSize }, (_, i) => asked.start + i * pageSize)
}

/** The search without its place in a tree or without its view. */
export function without(asked: Asked, part: 'within' | 'view'): Asked {
  const rest = { ...asked }
  delete rest[part]
  return rest
}

/** The search without any filter. */
export function unfiltered(asked: Asked): Asked {
  return { ...fromStart(without(without(asked, 'within'), 'view')), filters: [], path: '', removed: false, personal: false }
}

/** The input of the search on the server. */
export function inputOf(asked: Asked, start = asked.start): SearchAcrossEntitiesInput {
  const criteria = asked.filters.map(([field, values]) => ({ field, values }))
  // A folder includes the folders below it, but no other folder whose name begins alike.
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
    start,
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
