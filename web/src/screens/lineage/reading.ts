// Reads what a view needs beyond single answers: the edges between answers, what a column's path leads through,
// and all of it again after it has changed elsewhere.

import { columnUrn } from '../../lib/columns'
import { around, readColumns, readPath } from './api'
import { type ColumnPath, type ColumnsOf, entitiesOf } from './columns'
import { type Answer, Known } from './known'
import { show, type Shown } from './shown'
import type { View } from './view'
import { type Request, wanted } from './wanted'

/** Edges to what is shown already are looked for in graphs up to this size, … */
const nodesBetween = 120
/** … at nodes with up to so many neighbours. */
const neighboursBetween = 50

export const keyBeside = (urn: string): string => `beside ${urn}`
export const keyColumns = (urn: string): string => `columns ${urn}`

/**
 * An answer has the edges between its own nodes. Those between them and nodes of other answers are read here, which
 * also makes the next expansion quick. Says whether edges were found.
 */
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
  // What fails here was not asked for; expanding the node asks again.
  await Promise.allSettled([next(), next(), next()])
  return known.edges.size > edges
}

/** What a path leads through may be entities of which nothing is known yet; undefined if all are known. */
export async function readSurroundings(known: Known, urn: string, path: ColumnPath, asOf: number | undefined, signal: AbortSignal): Promise<Answer | undefined> {
  const { columns, statedBy } = entitiesOf(path)
  if ([...columns.keys(), ...statedBy].every((one) => known.nodes.has(one))) return undefined
  const farthest = Math.max(...[...path.steps.values()].map(({ degree }) => Math.abs(degree)))
  // Between two entities with columns there may be a job.
  const request: Request = { key: '', urn, direction: undefined, hops: 2 * farthest, limit: 2000 }
  return around(request, asOf, signal)
}

/** Adds a path of a column, and what it leads through, to what is known. */
export function learnPath(known: Known, urn: string, path: ColumnPath, surroundings: Answer | undefined): void {
  if (surroundings) known.add(surroundings, urn, [], 0)
  for (const { entity } of path.steps.values()) stub(known, entity)
}

/** Makes an entity known of which only a path tells. */
function stub(known: Known, entity: { urn: string; type: string; name: string; platform?: string | null; platformName?: string | null; exists?: boolean; removed?: boolean }): void {
  if (known.nodes.has(entity.urn)) return
  const nothing = { owners: [], tags: [], terms: [], upstreams: 0, downstreams: 0, columns: 0, deprecated: false }
  known.addNode({ ...nothing, ...entity, exists: entity.exists ?? true, removed: entity.removed ?? false })
}

/** Everything that a view shows, read anew. */
export interface Anew {
  known: Known
  /** The keys of what was read. */
  done: Set<string>
  columns: Map<string, ColumnsOf>
  path: ColumnPath | undefined
}

/** Reads everything that a view shows, with the edges between. */
export async function readAnew(root: string, view: View, withPath: (path: ColumnPath | undefined, known: Known) => View, signal: AbortSignal): Promise<Anew> {
  const anew: Anew = { known: new Known(), done: new Set(), columns: new Map(), path: undefined }
  const { known, done, columns } = anew
  // Answers make known what later parts of the view stand for.
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

/** In words, how what is shown would differ. */
export function differenceOf(before: Shown, after: Shown): string {
  const count = (one: Iterable<string>, other: { has(urn: string): boolean }) => [...one].filter((urn) => !other.has(urn)).length
  const more = count(after.nodes.keys(), before.nodes)
  const fewer = count(before.nodes.keys(), after.nodes)
  const parts = [more > 0 ? `${more} more` : '', fewer > 0 ? `${fewer} fewer` : ''].filter(Boolean)
  return `The lineage has changed${parts.length > 0 ? `: ${parts.join(', ')} in the graph` : ''}.`
}
