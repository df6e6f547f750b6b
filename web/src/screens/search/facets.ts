import { typeLabel } from '../../lib/kinds'
import { modelType } from '../../lib/types'
import { inWords } from '../../lib/words'
import { chosen, typeField, type Asked } from './address'
import type { Found } from './rows'
import { isUrn, nameOf } from '../../lib/urns'

/** The values of a field that the results have, and the chosen values. */
export interface Facet {
  field: string
  title: string
  values: { value: string; label: string; count: number | undefined; chosen: boolean }[]
}

const titles: Record<string, string> = {
  [typeField]: 'Type',
  platform: 'Platform',
  owners: 'Owner',
  tags: 'Tag',
  glossaryTerms: 'Term',
  domains: 'Domain',
  container: 'Container',
  dataProducts: 'Data product',
  origin: 'Environment',
  typeNames: 'Kind',
  type: 'Chart type',
  deprecated: 'Deprecated',
}
const order = Object.keys(titles)
// Fields that are not useful to people.
const unsaid = new Set(['hasSiblings', 'platformInstance.keyword'])

export function facetTitle(field: string, displayName?: string | null): string {
  if (Object.hasOwn(titles, field)) return titles[field]!
  if (displayName) return displayName
  const words = inWords(field)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The label of a value of a field. */
export function valueLabel(field: string, value: string, displayName?: string | null): string {
  if (field === typeField) return typeLabel(modelType(value), true)
  if (displayName && displayName !== value) return displayName
  if (value === 'true') return 'Yes'
  if (value === 'false') return 'No'
  return isUrn(value) ? nameOf(value) : value
}

/** The facets of an answer; a chosen value is among them even if no result has it. */
export function facetsOf(found: Found, asked: Asked): Facet[] {
  const facets: Facet[] = []
  for (const { field, displayName, aggregations } of found.facets ?? []) {
    const taken = chosen(asked, field)
    if (unsaid.has(field) && taken.length === 0) continue
    const spelled = (value: string) => (field === typeField ? modelType(value) : value)
    const values = aggregations.map((one) => ({
      value: spelled(one.value),
      label: valueLabel(field, one.value, one.displayName),
      count: one.count as number | undefined,
      chosen: taken.includes(spelled(one.value)),
    }))
    for (const value of taken) {
      if (!values.some((one) => one.value === value)) values.push({ value, label: valueLabel(field, value), count: undefined, chosen: true })
    }
    if (values.length > 0) facets.push({ field, title: facetTitle(field, displayName), values })
  }
  const rank = (field: string) => (order.includes(field) ? order.indexOf(field) : order.length)
  return facets.sort((a, b) => rank(a.field) - rank(b.field))
}
