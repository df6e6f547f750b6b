// Columns: their names, and the paths between them.

import { unique } from '../../lib/unique'
import type { Direction, Known, LineageNode, Link, Ref } from './known'

export interface Column {
  path: string
  type: string | undefined
  upstreams: number
  downstreams: number
}

/** The columns of an entity and their edges, one hop away. */
export interface ColumnsOf {
  columns: Column[]
  links: readonly Link[]
}

/** All columns from which a column derives, and all columns that derive from it. */
export interface ColumnPath {
  start: string
  /** The columns of the path, by their URNs. */
  steps: Map<string, { urn: string; entity: Ref; path: string; degree: number }>
  links: readonly Link[]
  partial: boolean
  reason: string | undefined
}

/**
 * Columns of an entity: first the columns of its schema in their order, then columns that only lineage names.
 */
export function columnsOf(
  counts: readonly { fieldPath: string; upstreams: number; downstreams: number }[],
  fields: readonly { fieldPath: string; nativeType?: string | null }[],
): Column[] {
  const count = new Map(counts.map((one) => [one.fieldPath, one]))
  const columns = unique(fields, ({ fieldPath }) => fieldPath).map(({ fieldPath, nativeType }) => {
    const { upstreams = 0, downstreams = 0 } = count.get(fieldPath) ?? {}
    count.delete(fieldPath)
    return { path: fieldPath, type: nativeType || undefined, upstreams, downstreams }
  })
  for (const { fieldPath, upstreams, downstreams } of count.values()) {
    columns.push({ path: fieldPath, type: undefined, upstreams, downstreams })
  }
  return columns
}

/** The columns that a node shows: of thousands, only columns with lineage and wanted ones. */
export function columnsToShow(columns: readonly Column[], wanted: ReadonlySet<string>, most: number): Column[] {
  if (columns.length <= most) return [...columns]
  const chosen = new Set<Column>(columns.filter(({ path }) => wanted.has(path)))
  for (const linked of [true, false]) {
    for (const column of columns) {
      if (chosen.size >= most) break
      if (column.upstreams + column.downstreams > 0 === linked) chosen.add(column)
    }
  }
  return columns.filter((column) => chosen.has(column))
}

/** The entities of a path: the entities of its columns, and the jobs that state it. */
export function entitiesOf(path: ColumnPath): { columns: Map<string, Set<string>>; statedBy: Set<string> } {
  const columns = new Map<string, Set<string>>()
  for (const { entity, path: column } of path.steps.values()) {
    const of = columns.get(entity.urn)
    if (of) of.add(column)
    else columns.set(entity.urn, new Set([column]))
  }
  const statedBy = new Set<string>()
  for (const link of path.links) for (const urn of link.statedBy) if (!columns.has(urn)) statedBy.add(urn)
  return { columns, statedBy }
}

/** Edges between entities that lie on a path of columns. */
export function litEdges(known: Known, lit: ReadonlySet<string>, direct: ReadonlySet<string>): Set<string> {
  const edges = new Set<string>()
  for (const edge of known.edges.values()) {
    if (!lit.has(edge.up) || !lit.has(edge.down)) continue
    // Between two entities with columns on the path, only edges over which a column leads to a column.
    if (direct.has(edge.up) && direct.has(edge.down) && !direct.has(edge.key)) continue
    edges.add(edge.key)
  }
  return edges
}

/** The edges of a path by which a column is reached: towards the start of the path. */
export function stepsOf(links: readonly Link[], column: string, side: Direction): Link[] {
  const seen = new Set<string>()
  return links.filter(({ upstream, downstream }) => {
    if ((side === 'up' ? upstream : downstream) !== column || seen.has(upstream + downstream)) return false
    seen.add(upstream + downstream)
    return true
  })
}

export interface UnknownEnd {
  direction: Direction
  /** Where the path ends although its entity goes on. */
  at: LineageNode
  /** The known columns one hop further. */
  next: LineageNode[]
}

/**
 * Where a path ends because nobody states columns from there: the last entity has neighbours,
 * but none of its columns on the path leads to them.
 */
export function unknownEnds(known: Known, path: ColumnPath): UnknownEnd[] {
  const { columns, statedBy } = entitiesOf(path)
  const goesOn: Record<Direction, Set<string>> = { up: new Set(), down: new Set() }
  for (const { upstream, downstream } of path.links) {
    const up = path.steps.get(upstream)?.entity.urn
    const down = path.steps.get(downstream)?.entity.urn
    if (up !== down && down !== undefined) goesOn.up.add(down)
    if (up !== down && up !== undefined) goesOn.down.add(up)
  }
  const ends: UnknownEnd[] = []
  for (const direction of ['up', 'down'] as const) {
    for (const urn of columns.keys()) {
      const degrees = [...path.steps.values()].flatMap(({ entity, degree }) => (entity.urn === urn ? [degree] : []))
      const thisSide = degrees.some((degree) => degree === 0 || degree < 0 === (direction === 'up'))
      const at = known.nodes.get(urn)
      if (!at || !thisSide || goesOn[direction].has(urn) || known.count(urn, direction) === 0) continue
      const next = [...known.neighbours(urn, direction)].filter((other) => !columns.has(other) && !statedBy.has(other)).flatMap((other) => known.nodes.get(other) ?? [])
      if (next.length > 0 || !known.complete(urn, direction)) ends.push({ direction, at, next })
    }
  }
  return ends
}
