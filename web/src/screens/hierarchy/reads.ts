import {
  HierarchyChildrenDocument,
  HierarchyCreateDomainDocument,
  HierarchyCreateNodeDocument,
  HierarchyCreateTermDocument,
  HierarchyDeleteDomainDocument,
  HierarchyDeleteInGlossaryDocument,
  HierarchyHeldDocument,
  HierarchyMoveDomainDocument,
  HierarchyMoveInGlossaryDocument,
  HierarchyPlaceDocument,
} from '../../gql/graphql'
import { mutate, query } from '../../lib/graphql'
import { entitiesOf, type Named } from '../../lib/names'
import { modelType } from '../../lib/types'
import { nameOf } from '../../lib/urns'
import { holding, within, type Hierarchy } from './kinds'

/** The nodes that are read at once. */
export const pageSize = 100

/** How many counts are asked for at a time. */
const atOnce = 6

export interface Node {
  urn: string
  type: string
  name: string
  /** The number of entities that have the node, or a node below it. */
  held: number
}

export interface Page {
  nodes: Node[]
  total: number
}

/** A page of the children of a node, by name. */
export async function childrenOf(tree: Hierarchy, parent: string | undefined, start: number, signal: AbortSignal, count = pageSize): Promise<Page> {
  const found = await search(tree, '*', within(tree, parent), start, count, signal)
  const nodes: Node[] = []
  for (let at = 0; at < found.nodes.length; at += atOnce)
    nodes.push(...(await Promise.all(found.nodes.slice(at, at + atOnce).map(async (node) => ({ ...node, held: total(await heldOf(tree, node.urn, signal)) })))))
  return { nodes, total: found.total }
}

/** The nodes that hold others and match words, for the choice of a place. */
export async function placesFor(tree: Hierarchy, words: string, signal: AbortSignal): Promise<Page> {
  const only = { ...tree, types: tree.types.filter((type) => type !== 'GLOSSARY_TERM') }
  return search(only, words.trim() || '*', [], 0, 100, signal)
}

async function search(tree: Hierarchy, words: string, filters: ReturnType<typeof within>, start: number, count: number, signal: AbortSignal): Promise<Page> {
  const answer = (await query(HierarchyChildrenDocument, { types: tree.types, query: words, filters, start, count }, signal)).searchAcrossEntities
  const nodes = (answer?.searchResults ?? []).map(({ entity }) => ({ urn: entity.urn, type: modelType(entity.type), name: nameIn(entity) ?? nameOf(entity.urn), held: 0 }))
  return { nodes, total: answer?.total ?? 0 }
}

interface Properties {
  name: string
  description?: string | null
}

function propertiesIn(entity: object): Properties | undefined {
  const of = entity as Record<string, Properties | null | undefined>
  return of.nodeProperties ?? of.termProperties ?? of.domainProperties ?? undefined
}

const nameIn = (entity: object) => propertiesIn(entity)?.name

/** The number of entities of each type that have a node, or a node below it. */
export type Held = { type: string; count: number }[]

export async function heldOf(tree: Hierarchy, urn: string, signal: AbortSignal): Promise<Held> {
  const answer = await query(HierarchyHeldDocument, { filters: holding(tree, urn), facets: ['_entityType'] }, signal)
  const types = answer.aggregateAcrossEntities?.facets?.find((facet) => facet.field === '_entityType')?.aggregations ?? []
  return types.map(({ value, count }) => ({ type: modelType(value), count })).filter(({ count }) => count > 0)
}

export const total = (held: Held) => held.reduce((sum, { count }) => sum + count, 0)

export interface Place {
  urn: string
  type: string
  name: string
  description: string
  /** The nodes above the node, the outermost first. */
  above: Named[]
  mayChange: boolean
  mayAdd: boolean
  related: { relation: string; entity: Named }[]
}

/** A node with its details; undefined if it does not exist. */
export async function placeOf(urn: string, signal: AbortSignal): Promise<Place | undefined> {
  const entity = (await query(HierarchyPlaceDocument, { urn }, signal)).entity
  if (!entity || !('privileges' in entity)) return undefined
  const properties = propertiesIn(entity)
  const parents = 'parentDomains' in entity ? (entity.parentDomains?.domains ?? []) : 'parentNodes' in entity ? (entity.parentNodes?.nodes ?? []) : []
  const relations = 'related' in entity ? (entity.related?.relationships ?? []) : []
  const related = relations.flatMap((one) => (one.entity ? [{ relation: one.type, urn: one.entity.urn }] : []))
  const [above, named] = await Promise.all([entitiesOf(parents.map((one) => one.urn).reverse(), signal), entitiesOf([...new Set(related.map((one) => one.urn))], signal)])
  const byUrn = new Map(named.map((one) => [one.urn, one]))
  return {
    urn,
    type: modelType(entity.type),
    name: properties?.name ?? nameOf(urn),
    description: properties?.description ?? '',
    above,
    mayChange: entity.privileges?.canManageEntity !== false,
    mayAdd: entity.privileges && 'canManageChildren' in entity.privileges ? entity.privileges.canManageChildren !== false : true,
    related: related.flatMap(({ relation, urn: to }) => {
      const to_ = byUrn.get(to)
      return to_ ? [{ relation, entity: to_ }] : []
    }),
  }
}

/** Makes a node and returns its URN. */
export async function create(type: string, name: string, description: string, parent: string | undefined): Promise<string> {
  const common = { name, ...(description ? { description } : {}) }
  if (type === 'domain') return (await mutate(HierarchyCreateDomainDocument, { input: { ...common, ...(parent ? { parentDomain: parent } : {}) } })).createDomain ?? ''
  const input = { ...common, ...(parent ? { parentNode: parent } : {}) }
  if (type === 'glossaryNode') return (await mutate(HierarchyCreateNodeDocument, { input })).createGlossaryNode ?? ''
  return (await mutate(HierarchyCreateTermDocument, { input })).createGlossaryTerm ?? ''
}

/** Moves a node into another one, or without one to the top. */
export async function move(tree: Hierarchy, urn: string, parent: string | undefined): Promise<void> {
  if (tree.id === 'domains') await mutate(HierarchyMoveDomainDocument, { input: { resourceUrn: urn, parentDomain: parent ?? null } })
  else await mutate(HierarchyMoveInGlossaryDocument, { input: { resourceUrn: urn, parentNode: parent ?? null } })
}

/** Deletes a node and every mention of it. */
export async function remove(tree: Hierarchy, urn: string): Promise<void> {
  if (tree.id === 'domains') await mutate(HierarchyDeleteDomainDocument, { urn })
  else await mutate(HierarchyDeleteInGlossaryDocument, { urn })
}
