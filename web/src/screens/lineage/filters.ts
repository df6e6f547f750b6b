import { typeLabel } from '../../lib/kinds'
import type { LineageNode, Ref } from './known'
import { type Dimension, dimensions, type View } from './view'

/** A value that nodes can be filtered by. */
export interface Choice {
  value: string
  label: string
  count: number
}

/** The value for nodes without an owner, a tag, … */
export const nothing = '-'

const refs = (list: readonly Ref[]): [string, string][] => list.map(({ urn, name }) => [urn, name || urn])

const day = 24 * 60 * 60 * 1000
/** The choices for how long ago a run last wrote an entity; most is the age in milliseconds. */
const ages: readonly (readonly [value: string, label: string, most: number])[] = [
  ['day', 'Within a day', day],
  ['week', 'Within a week', 7 * day],
  ['month', 'Within 30 days', 30 * day],
  ['older', 'Longer ago', Infinity],
]

/** The values of a node in a dimension: value and label. */
function valuesOf(node: LineageNode, dimension: Dimension): [string, string][] {
  const values = valuesIn(node, dimension)
  return values.length > 0 ? values : [[nothing, 'None']]
}

function valuesIn(node: LineageNode, dimension: Dimension): [string, string][] {
  switch (dimension) {
    case 'type':
      return [[node.type, typeLabel(node.type)]]
    case 'platform':
      return node.platform ? [[node.platform, node.platformName || node.platform]] : []
    case 'owner':
      return refs(node.owners)
    case 'tag':
      return refs(node.tags)
    case 'term':
      return refs(node.terms)
    case 'domain':
      return node.domain ? refs([node.domain]) : []
    case 'seen': {
      const { seen } = node
      const age = seen === undefined ? undefined : ages.find(([, , most]) => Date.now() - seen <= most)
      return age ? [[age[0], age[1]]] : []
    }
  }
}

/** Whether a node has one of the chosen values in each dimension. */
export function matches(node: LineageNode, filters: View['filters']): boolean {
  return dimensions.every((dimension) => {
    const wanted = filters[dimension]
    return !wanted?.length || valuesOf(node, dimension).some(([value]) => wanted.includes(value))
  })
}

/** The values of a dimension among nodes, the most frequent first; chosen values are always included. */
export function choices(nodes: Iterable<LineageNode>, dimension: Dimension, chosen: readonly string[] = []): Choice[] {
  const found = new Map<string, Choice>()
  for (const node of nodes) {
    for (const [value, label] of valuesOf(node, dimension)) {
      const choice = found.get(value)
      if (choice) choice.count++
      else found.set(value, { value, label, count: 1 })
    }
  }
  for (const value of chosen) if (!found.has(value)) found.set(value, { value, label: value, count: 0 })
  return [...found.values()].sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1))
}
