// Reads the parts that a view needs beyond single answers: the edges between answers, the entities on a
// column's path, and all of them again after a change by others.

import { columnUrn } from '../../lib/columns'
import { around, readColumns, readPath } from './api'
import { type ColumnPath, type ColumnsOf, entitiesOf } from './columns'
import { type Answer, Known, short } from './known'
import { show, type Shown } from './shown'
import type { View } from './view'
import { type Request, wanted } from './wanted'

/** Edges to shown nodes are looked for in graphs up to this size, … */
const nodesBetween = 120
/** … at nodes with up to so many neighbours. */
const neighboursBetween = 50

/** The largest number of entities in one request. */
const partsOf = 50
/** The entities of a column's path that are shown without being asked for. */
const pathEntities = 60

export const keyBeside = (urn: string): string => `beside ${urn}`
export const keyColumns = (urn: string): string => `columns ${urn}`

/**
 * An answer has the edges between its own nodes. The edges between them and the nodes of other answers are read
 * here, which also makes the next expansion quick. Returns whether edges were found. */
export async function readBetween(known: Known, { nodes, more }: Shown, done: Set<string>, asOf: number | undefined, signal: AbortSignal): Promise<boolean> {
  if (nodes.size > nodesBetween) return false
  const few: string[] = []
  for (const urn of nodes.keys()) {
    if (done.has(keyBeside(urn)) || more(urn, 'up') + more(urn, 'down') === 0) continue
    if (known.count(urn, 'up') + known.count(urn, 'down') > neighboursBetween) continue
    done.add(keyBeside(urn))
    few.push(urn)
  }
  const edges = known.edges.size
  const next = async (): Promise<void> => {
    const urn = few.shift()
    if (urn === undefined || signal.aborted) return
    const request: Request = { key: '', urn, direction: undefined, hops: 1, limit: neighboursBetween + 1 }
    const answer = await around(request, asOf, signal)
    if (!signal.aborted) known.add(answer, urn, ['up', 'down'], 1)
    return next()
  }
  // Nobody asked for these reads, so their failures are ignored; expanding the node asks again.
  await Promise.allSettled([next(), next(), next()])
  return known.edges.size > edges
}

/** Reads the entities on a path of which nothing is known yet; undefined if all are known. */
export async function readSurroundings(known: Known, urn: string, path: ColumnPath, asOf: number | undefined, signal: AbortSignal): Promise<Answer | undefined> {
  const { columns, statedBy } = entitiesOf(path)
  if ([...columns.keys(), ...statedBy].every((one) => known.nodes.has(one))) return undefined
  const farthest = Math.max(...[...path.steps.values()].map(({ degree }) => Math.abs(degree)))
  // Between two entities with columns there may be a job.
  const request: Request = { key: '', urn, direction: undefined, hops: 2 * farthest, limit: 2000 }
  return around(request, asOf, signal)
}

/** Adds a path of a column, and the entities on it, to the known graph. */
export function learnPath(known: Known, urn: string, path: ColumnPath, surroundings: Answer | undefined): void {
  if (surroundings) known.add(surroundings, urn, [], 0)
  for (const { entity } of path.steps.values()) stub(known, entity)
}

/** Adds an entity that only a path has named to the known entities. */
function stub(known: Known, entity: { urn: string; type: string; name: string; platform?: string | null; platformName?: string | null; exists?: boolean; removed?: boolean }): void {
  if (known.nodes.has(entity.urn)) return
  const nothing = { owners: [], tags: [], terms: [], upstreams: 0, downstreams: 0, columns: 0, deprecated: false }
  known.addNode({ ...nothing, ...entity, exists: entity.exists ?? true, removed: entity.removed ?? false })
}

/** Everything that a view shows, read anew. */
export interface Anew {
  known: Known
  /** The keys of the parts that were read. */
  done: Set<string>
  columns: Map<string, ColumnsOf>
  path: ColumnPath | undefined
}

/** Reads everything that a view shows, with the edges between. */
export async function readAnew(root: string, view: View, withPath: (path: ColumnPath | undefined, known: Known) => View, signal: AbortSignal): Promise<Anew> {
  const anew: Anew = { known: new Known(), done: new Set(), columns: new Map(), path: undefined }
  const { known, done, columns } = anew
  // An answer may show to which nodes later parts of the view belong.
  for (;;) {
    const requests = wanted(known, root, view).filter(({ key }) => !done.has(key))
    if (requests.length === 0) break
    for (const { key } of requests) done.add(key)
    const answers = await Promise.all(requests.map((request) => around(request, view.asOf, signal)))
    for (const [i, { urn, direction, hops }] of requests.entries()) known.add(answers[i]!, urn, direction ? [direction] : ['up', 'down'], hops)
  }
  const opened = view.opened.flatMap((one) => known.long(one) ?? [])
  const read = await Promise.all(opened.map((urn) => readColumns(urn, view.asOf, signal)))
  for (const [i, urn] of opened.entries()) {
    columns.set(urn, read[i]!)
    done.add(keyColumns(urn))
  }
  const { selection } = view
  const urn = selection?.kind === 'column' ? known.long(selection.node) : undefined
  if (selection?.kind === 'column' && urn !== undefined) {
    anew.path = await readPath(columnUrn(urn, selection.column), view.asOf, signal)
    learnPath(known, urn, anew.path, await readSurroundings(known, urn, anew.path, view.asOf, signal))
  }
  await readBetween(known, show(known, root, withPath(anew.path, known)), done, view.asOf, signal)
  signal.throwIfAborted()
  return anew
}

/** The difference to the shown graph, in words. */
export function differenceOf(before: Shown, after: Shown): string {
  const count = (one: Iterable<string>, other: { has(urn: string): boolean }) => [...one].filter((urn) => !other.has(urn)).length
  const more = count(after.nodes.keys(), before.nodes)
  const fewer = count(before.nodes.keys(), after.nodes)
  const parts = [more > 0 ? `${more} more` : '', fewer > 0 ? `${fewer} fewer` : ''].filter(Boolean)
  return `The lineage has changed${parts.length > 0 ? `: ${parts.join(', ')} in the graph` : ''}.`
}

/** Reads about entities part by part, and hands over each answer that found some. A part that fails is left out. */
export async function readInParts<T>(urns: readonly string[], read: (urns: readonly string[], signal: AbortSignal) => Promise<Map<string, T>>, learn: (found: Map<string, T>) => void, signal: AbortSignal): Promise<void> {
  for (let from = 0; from < urns.length; from += partsOf) {
    const found = await read(urns.slice(from, from + partsOf), signal).catch(() => new Map<string, T>())
    if (signal.aborted) return
    if (found.size > 0) learn(found)
  }
}

/** A view with the entities of a column's path, the nearest first. */
export function viewWith(path: ColumnPath, view: View, known: Known): View {
  const { columns, statedBy } = entitiesOf(path)
  const nearest = [...path.steps.values()].sort((a, b) => Math.abs(a.degree) - Math.abs(b.degree))
  const urns = new Set(nearest.map(({ entity }) => entity.urn))
  for (const urn of statedBy) urns.add(urn)
  const hidden = new Set(view.hidden)
  const found = [...urns].filter((urn) => columns.has(urn) || known.nodes.has(urn)).map(short)
  return { ...view, picked: [...view.picked, ...found.filter((one) => !hidden.has(one)).slice(0, pathEntities)] }
}
