// Turns the visible part of a view into the graph that the engine draws.

import { kindOf, typeLabel } from '../../lib/kinds'
import { type Badge, columnKey, type Graph, type GraphColumn, type GraphEdge, type GraphNode, type Lit } from '../../graph/types'
import { columnOf, readablePath } from '../../lib/columns'
import { inSentence, number } from '../../lib/words'
import { type Column, type ColumnPath, type ColumnsOf, columnsToShow, entitiesOf, litEdges } from './columns'
import { matches } from './filters'
import { type Edge, edgeKey, type Known, type LineageNode, type Link, short } from './known'
import type { Fold, Shown } from './shown'
import { filtered, type View } from './view'

/** The most columns that an opened node shows; its panel lists all. */
export const columnsInNode = 25

const foldPrefix = 'fold '
export const isFold = (id: string): boolean => id.startsWith(foldPrefix)

/** "37 charts", "20 charts and 3 dashboards", "20 charts and 5 of other types". */
export function foldLabel(counts: Fold['counts']): string {
  const named = counts.slice(0, 2).map(([type, count]) => `${number(count)} ${inSentence(typeLabel(type, count > 1))}`)
  const others = counts.slice(2).reduce((sum, [, count]) => sum + count, 0)
  if (others > 0) return `${named.join(', ')} and ${number(others)} of other types`
  return named.join(' and ')
}

/** The node of an entity in any graph of lineage. */
function entityNode(node: LineageNode): GraphNode {
  const badges: Badge[] = node.owners.map(({ name, urn }) => ({ label: name || urn, tone: 'owner' as const }))
  if (node.removed) badges.unshift({ label: 'Removed', tone: 'bad' })
  if (node.deprecated) badges.unshift({ label: 'Deprecated', tone: 'warn' })
  for (const { name, urn } of node.tags) badges.push({ label: name || urn, tone: 'tag' })
  for (const { name, urn } of node.terms) badges.push({ label: name || urn, tone: 'term' })
  if (node.domain) badges.push({ label: node.domain.name || node.domain.urn, tone: 'domain' })
  return {
    id: node.urn,
    kind: kindOf(node.type),
    type: typeLabel(node.type),
    title: node.name || node.urn,
    ...(node.platformName ? { platform: node.platformName } : {}),
    ...(node.subType ? { subtitle: node.subType } : {}),
    badges,
    columnCount: node.columns,
    missing: !node.exists,
    removed: node.removed,
  }
}

/** The tooltip of an edge. */
function edgeTitle(known: Known, edge: Pick<Edge, 'up' | 'down' | 'links'>): string {
  const name = (urn: string) => known.nodes.get(urn)?.name || urn
  const how = [...new Set(edge.links.map(({ transformOperation }) => transformOperation).filter(Boolean))].join(', ')
  return `${name(edge.up)} → ${name(edge.down)}${how ? `: ${how}` : ''}${edge.links.some(({ manual }) => manual) ? ' (drawn by hand)' : ''}${isDerived(edge.links) ? ' (derived from SQL)' : ''}${fades(edge) ? ' (fading: later runs have not stated it again)' : ''}`
}

/** Whether the server has read all statements of an edge from SQL, and no source has stated any. */
export function isDerived(links: readonly Link[]): boolean {
  return links.length > 0 && links.every(({ provenance }) => provenance?.derived)
}

/** Whether an edge fades: all of its statements do. */
export function fades({ links }: Pick<Edge, 'links'>): boolean {
  return links.length > 0 && links.every(({ fading }) => fading)
}

export interface Scene {
  known: Known
  root: string
  view: View
  shown: Shown
  busy: ReadonlySet<string>
  columns: ReadonlyMap<string, ColumnsOf>
  /** The path of the column that is selected. */
  path: ColumnPath | undefined
}

/** The id of the edge between two columns in the drawing. */
export const columnEdgeId = (up: string, down: string): string => `column ${up} ${down}`

export function draw(scene: Scene): Graph {
  const { known, root, view, shown } = scene
  const opened = new Set(view.opened)
  const onPath = scene.path ? entitiesOf(scene.path).columns : undefined
  const dims = filtered(view)
  const nodes: GraphNode[] = []
  const faded = new Set<string>()

  for (const urn of shown.nodes.keys()) {
    const node = known.nodes.get(urn)
    if (!node) continue
    const dim = dims && !matches(node, view.filters)
    if (dim) faded.add(urn)
    const pathColumns = onPath?.get(urn)
    const columns = opened.has(short(urn)) ? openColumns(scene.columns.get(urn), pathColumns) : pathColumns && closedColumns(scene.columns.get(urn), pathColumns)
    nodes.push({
      ...entityNode(node),
      moreUp: shown.more(urn, 'up'),
      moreDown: shown.more(urn, 'down'),
      busy: scene.busy.has(urn),
      dim,
      start: urn === root,
      ...(columns ? { columns } : {}),
    })
  }
  for (const fold of shown.folds) {
    const label = foldLabel(fold.counts)
    const type = fold.counts[0]?.[0] ?? 'dataset'
    const dim = dims && !fold.urns.some((urn) => matches(known.nodes.get(urn)!, view.filters))
    if (dim) faded.add(fold.id)
    nodes.push({
      id: fold.id,
      kind: kindOf(type),
      type: 'Folded',
      title: label,
      fold: { count: fold.urns.length, label: 'Folded' },
      dim,
    })
  }

  const edges: GraphEdge[] = shown.edges.map((edge) => ({
    id: edge.key,
    from: edge.up,
    to: edge.down,
    dim: faded.has(edge.up) || faded.has(edge.down) || fades(edge),
    derived: isDerived(edge.links),
    title: edgeTitle(known, edge),
  }))
  for (const { id, of, direction, counts } of shown.folds) {
    const [from, to] = direction === 'up' ? [id, of] : [of, id]
    edges.push({ id: `edge ${id}`, from, to, dim: faded.has(id) || faded.has(of), title: foldLabel(counts) })
  }
  edges.push(...columnEdges(scene, faded))
  return { nodes, edges }
}

function drawn(column: Column): GraphColumn {
  return {
    id: column.path,
    name: readablePath(column.path),
    ...(column.type ? { type: column.type } : {}),
    linked: column.upstreams + column.downstreams > 0,
  }
}

function openColumns(of: ColumnsOf | undefined, onPath: ReadonlySet<string> = new Set()): GraphColumn[] {
  if (!of) return []
  const shown = columnsToShow(of.columns, onPath, columnsInNode)
  const unnamed = [...onPath].filter((path) => !of.columns.some((column) => column.path === path))
  return [...shown.map(drawn), ...unnamed.map((path) => ({ id: path, name: readablePath(path), linked: true }))]
}

// A closed node on the path of the selected column shows only its columns on the path.
function closedColumns(of: ColumnsOf | undefined, onPath: ReadonlySet<string>): GraphColumn[] {
  const types = new Map(of?.columns.map(({ path, type }) => [path, type]))
  return [...onPath].map((path) => {
    const type = types.get(path)
    return { id: path, name: readablePath(path), linked: true, ...(type ? { type } : {}) }
  })
}

function columnEdges({ known, shown, columns, path, view }: Scene, faded: ReadonlySet<string>): GraphEdge[] {
  const edges = new Map<string, GraphEdge>()
  const add = (link: Link) => {
    const id = columnEdgeId(link.upstream, link.downstream)
    if (edges.has(id)) return
    const from = columnOf(link.upstream)
    const to = columnOf(link.downstream)
    if (!from || !to || !shown.nodes.has(from.entity) || !shown.nodes.has(to.entity)) return
    edges.set(id, {
      id,
      from: from.entity,
      to: to.entity,
      fromColumn: from.path,
      toColumn: to.path,
      dim: faded.has(from.entity) || faded.has(to.entity),
      derived: isDerived([link]),
      title: `${readablePath(from.path)} → ${readablePath(to.path)}${link.transformOperation ? `: ${link.transformOperation}` : ''}`,
    })
  }
  for (const one of view.opened) {
    const urn = known.long(one)
    if (urn !== undefined) for (const link of columns.get(urn)?.links ?? []) add(link)
  }
  for (const link of path?.links ?? []) add(link)
  return [...edges.values()]
}

/** The part of the graph that is lit while a column's path is followed. */
export function litBy(known: Known, path: ColumnPath): Lit {
  const { columns, statedBy } = entitiesOf(path)
  const lit = new Set([...columns.keys(), ...statedBy])
  const direct = new Set<string>(columns.keys())
  const edges = new Set<string>()
  for (const { upstream, downstream } of path.links) {
    edges.add(columnEdgeId(upstream, downstream))
    const from = columnOf(upstream)
    const to = columnOf(downstream)
    if (from && to) direct.add(edgeKey(from.entity, to.entity))
  }
  for (const key of litEdges(known, lit, direct)) edges.add(key)
  const keys = new Set<string>()
  for (const [urn, paths] of columns) for (const one of paths) keys.add(columnKey(urn, one))
  return { nodes: lit, edges, columns: keys }
}
