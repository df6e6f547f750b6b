// The addresses of the page. Every link to a screen is made here.

const part = encodeURIComponent

/** What can be in the query of an address; undefined, null and '' are left out. */
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

export const paths = {
  home: () => '/',
  search: (q = '', params: Params = {}) => withParams('/ui/search', { q, ...params }),
  browse: (params: Params = {}) => withParams('/ui/browse', params),
  glossary: (params: Params = {}) => withParams('/ui/glossary', params),
  domains: (params: Params = {}) => withParams('/ui/domains', params),
  /** What people are told. */
  feed: (params: Params = {}) => withParams('/ui/feed', params),
  documents: (params: Params = {}) => withParams('/ui/documents', params),
  document: (urn: string) => `/ui/documents/${part(urn)}`,
  entity: (urn: string, params: Params = {}) => withParams(`/ui/entity/${part(urn)}`, params),
  lineage: (urn: string, params: Params = {}) => withParams(`/ui/lineage/${part(urn)}`, params),
  impact: (urn: string, params: Params = {}) => withParams(`/ui/impact/${part(urn)}`, params),
  time: (urn: string, params: Params = {}) => withParams(`/ui/time/${part(urn)}`, params),
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
  /** What somebody may do. */
  access: (params: Params = {}) => withParams('/ui/access', params),
  audit: (params: Params = {}) => withParams('/ui/audit', params),
  run: (id: string, params: Params = {}) => withParams(`/ui/runs/${part(id)}`, params),
}
