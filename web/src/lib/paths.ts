// The addresses of the page. Every link to a screen is made here.

const part = encodeURIComponent

/** The values in the query of an address; undefined, null and '' are left out. */
export type Params = Record<string, string | number | boolean | readonly string[] | null | undefined>

export function withParams(path: string, params: Params = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === null || value === '' || value === false) continue
    if (Array.isArray(value)) for (const one of value) search.append(name, one)
    else search.set(name, String(value))
  }
  const text = search.toString()
  return text ? `${path}?${text}` : path
}

// The moment that the page shows, as the address has it.
let carried: () => string | undefined = () => undefined

/** Sets the function that returns the moment which links between screens carry. */
export function carry(from: () => string | undefined): void {
  carried = from
}

/** With the moment of the page, unless the parameters name one: undefined for today. */
function withMoment(path: string, params: Params = {}): string {
  return withParams(path, 'asOf' in params ? params : { ...params, asOf: carried() })
}

export const paths = {
  home: () => withMoment('/'),
  search: (q = '', params: Params = {}) => withMoment('/ui/search', { q, ...params }),
  browse: (params: Params = {}) => withMoment('/ui/browse', params),
  entity: (urn: string, params: Params = {}) => withMoment(`/ui/entity/${part(urn)}`, params),
  lineage: (urn: string, params: Params = {}) => withMoment(`/ui/lineage/${part(urn)}`, params),
  impact: (urn: string, params: Params = {}) => withMoment(`/ui/impact/${part(urn)}`, params),
  time: (urn: string, params: Params = {}) => withMoment(`/ui/time/${part(urn)}`, params),
  glossary: (params: Params = {}) => withParams('/ui/glossary', params),
  domains: (params: Params = {}) => withParams('/ui/domains', params),
  /** The feed of a person. */
  feed: (params: Params = {}) => withParams('/ui/feed', params),
  documents: (params: Params = {}) => withParams('/ui/documents', params),
  document: (urn: string) => `/ui/documents/${part(urn)}`,
  sql: (params: Params = {}) => withMoment('/ui/sql', params),
  /** The screen that draws a change that is not merged; the change is behind the #. */
  change: (params: Params = {}) => withParams('/ui/change', params),
  sources: (params: Params = {}) => withParams('/ui/sources', params),
  newSource: (params: Params = {}) => withParams('/ui/sources/new', params),
  source: (urn: string, params: Params = {}) => withParams(`/ui/sources/${part(urn)}`, params),
  secrets: (params: Params = {}) => withParams('/ui/sources/secrets', params),
  editSource: (urn: string) => `/ui/sources/${part(urn)}/edit`,
  runs: (params: Params = {}) => withParams('/ui/runs', params),
  login: (params: Params = {}) => withParams('/ui/login', params),
  tokens: () => '/ui/tokens',
  sessions: () => '/ui/sessions',
  password: () => '/ui/password',
  people: (params: Params = {}) => withParams('/ui/people', params),
  groups: () => '/ui/groups',
  services: () => '/ui/services',
  roles: () => '/ui/roles',
  policies: (params: Params = {}) => withParams('/ui/policies', params),
  policy: (urn: string) => `/ui/policies/${part(urn)}`,
  /** The screen of the rights of a person. */
  access: (params: Params = {}) => withParams('/ui/access', params),
  audit: (params: Params = {}) => withParams('/ui/audit', params),
  run: (id: string, params: Params = {}) => withParams(`/ui/runs/${part(id)}`, params),
}
