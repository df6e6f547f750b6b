// The requests of the explorer to the server.

import {
  LineageAroundDocument,
  LineageBasisDocument,
  LineageColumnPathDocument,
  LineageColumnsDocument,
  LineageDescriptionDocument,
  LineagePlacesDocument,
  LineageQueryTextDocument,
  LineageSchemaDocument,
  LineageSeenDocument,
  LineageSiblingsDocument,
  SuggestDocument,
} from '../../gql/graphql'
import { namesOf } from '../../lib/names'
import { query, RequestError, tooLarge } from '../../lib/graphql'
import type { Basis } from '../../lib/basis'
import { columnOf } from '../../lib/columns'
import { type ColumnPath, type ColumnsOf, columnsOf } from './columns'
import type { Answer, Direction, Link, Places, Ref, Sibling } from './known'
import { allHops } from './view'
import type { Request } from './wanted'
import { typeOf } from '../../lib/urns'

/** The most edges between the columns of one entity that a read returns. */
const columnLimit = 5000
/** The most columns to which a path is followed. */
const pathLimit = 3000

const directionOf = (direction: Direction | undefined) =>
  direction === undefined ? null : direction === 'up' ? ('UPSTREAM' as const) : ('DOWNSTREAM' as const)

/** Graphs with this many nodes or fewer are not divided further. */
const fewest = 250

/**
 * The graph around an entity. The size of an answer depends on edges, owners and tags: if it is too large,
 * fewer nodes are asked for.
 */
export async function around(request: Request, asOf: number | undefined, signal: AbortSignal): Promise<Answer> {
  const { urn, direction, hops } = request
  for (let { limit } = request; ; limit = Math.ceil(limit / 2)) {
    const input = { urn, direction: directionOf(direction), hops: hops >= allHops ? 0 : hops, limit, asOf: asOf ?? null }
    try {
      return (await query(LineageAroundDocument, { input }, signal)).lineageGraph
    } catch (error) {
      if (limit <= fewest || !tooLarge(error)) throw error
    }
  }
}

/** The basis of everything upstream and downstream of an entity. */
export async function readBasis(urn: string, asOf: number | undefined, signal: AbortSignal): Promise<Basis> {
  const input = { urn, hops: 0, asOf: asOf ?? null }
  return (await query(LineageBasisDocument, { input }, signal)).lineageGraph.basis
}

/** The siblings of datasets in other systems: the first sibling, and the platforms of all. */
export async function readSiblings(urns: readonly string[], signal: AbortSignal): Promise<Map<string, Sibling>> {
  const found = new Map<string, Sibling>()
  for (const entity of (await query(LineageSiblingsDocument, { urns: [...urns] }, signal)).entities ?? []) {
    if (!entity || !('siblings' in entity) || !entity.siblings) continue
    const { isPrimary, siblings } = entity.siblings
    const others = (siblings ?? []).flatMap((other) => (other && 'platform' in other ? [other] : []))
    const platforms = others.map(({ platform }) => platform.properties?.displayName ?? platform.name)
    if (others[0]) found.set(entity.urn, { first: isPrimary ? entity.urn : others[0].urn, platforms })
  }
  return found
}

/** The container and the data product of entities, as of today. */
export async function readPlaces(urns: readonly string[], signal: AbortSignal): Promise<Map<string, Places>> {
  const found = new Map<string, { container: string | undefined; product: string | undefined }>()
  for (const entity of (await query(LineagePlacesDocument, { urns: [...urns] }, signal)).entities ?? []) {
    if (!entity) continue
    const container = 'container' in entity ? entity.container?.urn : undefined
    found.set(entity.urn, { container, product: entity.products?.relationships[0]?.entity?.urn })
  }
  const names = await namesOf([...found.values()].flatMap(({ container, product }) => [container ?? '', product ?? '']), signal)
  return new Map([...found].map(([urn, { container, product }]) => [urn, { container: names.get(container ?? ''), product: names.get(product ?? '') }]))
}

/** The time at which a run last wrote each entity; entities that no run has written are left out. */
export async function readSeen(urns: readonly string[], signal: AbortSignal): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const entity of (await query(LineageSeenDocument, { urns: [...urns] }, signal)).entities ?? []) {
    if (entity && 'lastIngested' in entity && entity.lastIngested) found.set(entity.urn, entity.lastIngested)
  }
  return found
}

/** The columns of an entity and the edges of each, one hop away. */
export async function readColumns(urn: string, asOf: number | undefined, signal: AbortSignal): Promise<ColumnsOf> {
  const input = { urn, columns: true, hops: 1, limit: columnLimit, asOf: asOf ?? null }
  const [answer, fields] = await Promise.all([query(LineageColumnsDocument, { urn, asOf: asOf ?? null, input }, signal), readSchema(urn, asOf, signal)])
  return { columns: columnsOf(answer.columnLineageCounts, fields), links: answer.lineageGraph.edges }
}

// Lineage may name columns of an entity that is not stored.
async function readSchema(urn: string, asOf: number | undefined, signal: AbortSignal) {
  try {
    return (await query(LineageSchemaDocument, { urn, asOf: asOf ?? null }, signal)).entityDetails.columns
  } catch (error) {
    if (error instanceof RequestError && error.code === 404) return []
    throw error
  }
}

/** All columns from which a column derives, and all columns that derive from it. */
export async function readPath(column: string, asOf: number | undefined, signal?: AbortSignal): Promise<ColumnPath> {
  const input = { urn: column, columns: true, hops: 0, limit: pathLimit, asOf: asOf ?? null }
  const { nodes, edges, partial, reason } = (await query(LineageColumnPathDocument, { input }, signal)).lineageGraph
  const steps: ColumnPath['steps'] = new Map()
  for (const node of nodes) {
    const parts = columnOf(node.urn)
    if (!parts) continue
    const entity: Ref = node.parent ?? { urn: parts.entity, type: typeOf(parts.entity), name: parts.entity }
    steps.set(node.urn, { urn: node.urn, entity, path: parts.path, degree: node.degree })
  }
  return { start: column, steps, links: edges, partial, reason: reason ?? undefined }
}

/** The edges between columns of two entities, one hop away. */
export async function readColumnLinks(up: string, down: string, asOf: number | undefined, signal: AbortSignal): Promise<Link[]> {
  const input = { urn: down, columns: true, direction: 'UPSTREAM' as const, hops: 1, limit: columnLimit, asOf: asOf ?? null }
  const { edges } = (await query(LineageColumnPathDocument, { input }, signal)).lineageGraph
  return edges.filter(({ upstream, downstream }) => columnOf(upstream)?.entity === up && columnOf(downstream)?.entity === down)
}

/** The statement of a query that is stored in the catalog. */
export async function readStatement(urn: string, signal: AbortSignal): Promise<{ name: string; text: string; language: string } | undefined> {
  const { entity } = await query(LineageQueryTextDocument, { urn }, signal)
  const properties = entity && 'properties' in entity ? entity.properties : undefined
  if (!properties) return undefined
  return { name: properties.name ?? '', text: properties.statement.value, language: properties.statement.language }
}

export async function readDescription(urn: string, asOf: number | undefined, signal: AbortSignal): Promise<{ description: string; hasLineage: boolean }> {
  const { description, hasLineage } = (await query(LineageDescriptionDocument, { urn, asOf: asOf ?? null }, signal)).entityDetails
  return { description: description ?? '', hasLineage }
}

/** Entities with a name like a text. */
export async function readNearest(text: string, signal: AbortSignal): Promise<Ref[]> {
  const { suggest } = await query(SuggestDocument, { text, limit: 5, kinds: ['ENTITY'] }, signal)
  return suggest.map(({ entity }) => entity)
}
