/** An entity or a text, and how often it was viewed or searched for. */
export interface Counted {
  value: string
  count: number
}

interface Module {
  moduleId: string
  content: { value: string; params?: { contentParams?: { count?: number | null } | null } | null }[]
}

/** The most viewed entities and most searched texts, from the modules of recommendations. */
export function popularOf(modules: Module[]): { viewed: Counted[]; searched: Counted[] } {
  const of = (id: string) =>
    modules
      .filter(({ moduleId }) => moduleId === id)
      .flatMap(({ content }) => content)
      .map(({ value, params }) => ({ value, count: params?.contentParams?.count ?? 0 }))
  return { viewed: of('HighUsageEntities'), searched: of('MostSearchedQueries') }
}
