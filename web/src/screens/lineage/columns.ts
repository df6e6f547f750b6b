// Columns: their names, and the paths between them.

import { unique } from '../../lib/unique'
import type { Known, Link, Ref } from './known'

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

/** Everything that a column is made from and that is made from it. */
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
