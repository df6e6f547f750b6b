/** Something that was viewed or searched for, and how often. */
export interface Counted {
  value: string
  count: number
}

interface Module {
  moduleId: string
  content: { value: string; params?: { contentParams?: { count?: number | null } | null } | null }[]
}

/** What the modules of recommendations say was viewed and searched for most. */
export function popularOf(modules: Module[]): { viewed: Counted[]; searched: Counted[] } {
  const of = (id: string) =>
    modules
      .filter(({ moduleId }) => moduleId === id)
      .flatMap(({ content }) => content)
      .map(({ value, params }) => ({ value, count: params?.contentParams?.count ?? 0 }))
  return { viewed: of('HighUsageEntities'), searched: of('MostSearchedQueries') }
}
