// The part of the known graph that a view shows: the nodes with their distance from the start, the folds, the
// edges. It reads nothing; wanted.ts asks for missing parts.

import { type Direction, type Edge, edgeKey, type Known, short } from './known'
import { allHops, foldBeyond, foldBeyondOfAll, type View } from './view'

export interface Fold {
  id: string
  /** The node whose neighbours are folded. */
  of: string
  direction: Direction
  urns: string[]
  /** The number of entities of each type, the most frequent first. */
  counts: [type: string, count: number][]
  degree: number
}

export interface Shown {
  /**
   * The distance of each node from the start, negative for upstream nodes; in the order in which the nodes
   * were reached.
   */
  nodes: ReadonlyMap<string, number>
  folds: readonly Fold[]
  edges: readonly Edge[]
  /** Nodes that were reached and not shown because of the limit. */
  cut: number
  /** The number of neighbours that are neither visible nor in a fold of the node. */
  more(urn: string, direction: Direction): number
  /** Whether the neighbours of a node in a direction are visible because the node is expanded. */
  spread(urn: string, direction: Direction): boolean
}

export const foldId = (urn: string, direction: Direction): string => `fold ${direction} ${urn}`

export function show(known: Known, root: string, view: View): Shown {
  const nodes = new Map<string, number>([[root, 0]])
  const folds = new Map<string, Fold>()
  const spread = new Set<string>()
  const hidden = new Set(view.hidden)
  const picked = new Set(view.picked)
  const closed = new Set(view.closed.map(({ node, direction }) => direction + node))
  const unfolded = new Map(view.unfolded.map(({ node, direction, count }) => [direction + node, count]))
  const beyond = new Set<string>()

  const enter = (urn: string, degree: number) => {
    if (nodes.has(urn)) return
    if (nodes.size >= view.limit) beyond.add(urn)
    else nodes.set(urn, degree)
  }

  // A picked node is shown beyond the limit too: somebody asked for it by name.
  const pick = (urn: string, degree: number) => {
    if (!nodes.has(urn)) nodes.set(urn, degree)
  }

  // Shows the neighbours of a node; if a type has many, they are shown only when they are unfolded.
  const open = (urn: string, direction: Direction, bound: number): void => {
    const at = direction + short(urn)
    spread.add(direction + urn)
    const degree = (nodes.get(urn) ?? 0) + (direction === 'up' ? -1 : 1)
    const byType = new Map<string, string[]>()
    for (const other of known.neighbours(urn, direction)) {
      const node = known.nodes.get(other)
      if (!node || nodes.has(other) || hidden.has(short(other))) continue
      if (picked.has(short(other))) {
        pick(other, degree)
        continue
      }
      const group = byType.get(node.type)
      if (group) group.push(other)
      else byType.set(node.type, [other])
    }
    const folded: string[] = []
    for (const [, group] of [...byType].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (group.length > bound) {
        folded.push(...group.sort((a, b) => compareNames(known, a, b)))
        continue
      }
      for (const other of group) enter(other, degree)
    }
    const shownOfFold = unfolded.get(at) ?? 0
    for (const other of folded.slice(0, shownOfFold)) enter(other, degree)
    const rest = folded.slice(shownOfFold)
    if (rest.length > 0) {
      folds.set(at, { id: foldId(urn, direction), of: urn, direction, urns: rest, counts: [], degree })
    }
  }

  // Goes one hop at each step. It goes on beyond the limit, to count the hidden nodes.
  function* walk(start: string, direction: Direction, hops: number, explicit: boolean): Generator<void> {
    const bound = hops >= allHops ? foldBeyondOfAll : foldBeyond
    let frontier = [start]
    const seen = new Set(frontier)
    for (let hop = 0; hop < hops && frontier.length > 0; hop++) {
      const next: string[] = []
      for (const urn of frontier) {
        if (closed.has(direction + short(urn)) && !(explicit && urn === start)) continue
        if (!nodes.has(urn)) for (const other of known.neighbours(urn, direction)) enter(other, 0)
        else if (!spread.has(direction + urn)) open(urn, direction, bound)
        for (const other of known.neighbours(urn, direction)) {
          if (seen.has(other) || !(nodes.has(other) || beyond.has(other))) continue
          seen.add(other)
          next.push(other)
        }
      }
      frontier = next
      yield
    }
  }

  // Both directions by turns, so that one does not take all the room.
  const ways = [walk(root, 'up', view.up, false), walk(root, 'down', view.down, false)]
  while (ways.length > 0) for (const way of [...ways]) if (way.next().done) ways.splice(ways.indexOf(way), 1)
  // After a collapse, an expanded node may be visible only because of a node that was expanded later.
  for (let waiting = view.expanded, before = -1; waiting.length > 0 && waiting.length !== before; ) {
    before = waiting.length
    waiting = waiting.filter(({ node, direction, hops }) => {
      const urn = known.long(node)
      if (urn === undefined || !nodes.has(urn)) return true
      for (const way = walk(urn, direction, hops, true); !way.next().done; );
      return false
    })
  }
  for (const one of view.picked) {
    const urn = known.long(one)
    if (urn !== undefined && known.nodes.has(urn) && !nodes.has(urn)) pick(urn, besides(known, nodes, urn))
  }

  const shownFolds: Fold[] = []
  for (const fold of folds.values()) {
    fold.urns = fold.urns.filter((urn) => !nodes.has(urn))
    if (fold.urns.length === 0) continue
    const counts = new Map<string, number>()
    for (const urn of fold.urns) {
      const type = known.nodes.get(urn)?.type ?? ''
      counts.set(type, (counts.get(type) ?? 0) + 1)
      beyond.delete(urn)
    }
    fold.counts = [...counts].sort((a, b) => b[1] - a[1])
    shownFolds.push(fold)
  }

  const edges: Edge[] = []
  for (const urn of nodes.keys()) {
    for (const other of known.neighbours(urn, 'down')) {
      if (!nodes.has(other)) continue
      const edge = known.edges.get(edgeKey(urn, other))
      if (edge) edges.push(edge)
    }
  }
  for (const urn of beyond) if (nodes.has(urn)) beyond.delete(urn)

  return {
    nodes,
    folds: shownFolds,
    edges,
    cut: beyond.size,
    more: (urn, direction) => {
      let visible = folds.get(direction + short(urn))?.urns.length ?? 0
      for (const other of known.neighbours(urn, direction)) if (nodes.has(other)) visible++
      return Math.max(0, known.count(urn, direction) - visible)
    },
    spread: (urn, direction) => spread.has(direction + urn),
  }
}

function compareNames(known: Known, a: string, b: string): number {
  return byName.compare(known.nodes.get(a)?.name ?? a, known.nodes.get(b)?.name ?? b) || (a < b ? -1 : 1)
}

// Sorts "part 2" before "part 10".
const byName = new Intl.Collator('en', { numeric: true })

// The distance of a picked node: one more than the distance of a visible neighbour.
function besides(known: Known, nodes: ReadonlyMap<string, number>, urn: string): number {
  for (const other of known.neighbours(urn, 'down')) {
    const degree = nodes.get(other)
    if (degree !== undefined) return degree - 1
  }
  for (const other of known.neighbours(urn, 'up')) {
    const degree = nodes.get(other)
    if (degree !== undefined) return degree + 1
  }
  return 0
}
