// The choices of a person in a graph: expanded, folded, hidden and filtered nodes. A view is small, is never
// changed in place, and can be written into an address (address.ts). URNs are the six letters of short(), so
// that an address stays short.

import type { Direction } from './known'

/** As many hops as there are. */
export const allHops = 1000

/** Neighbours of one type in one direction beyond this many are folded. */
export const foldBeyond = 12

/** The same limit if everything upstream or downstream was asked for. */
export const foldBeyondOfAll = 100

/** How many neighbours of a fold are shown at each step. */
export const unfoldStep = 12

/** How many nodes are shown at first, and how many more at each request. */
export const shownAtOnce = 300

/** The dimensions of nodes by which people can filter. */
export const dimensions = ['type', 'platform', 'owner', 'tag', 'term', 'domain', 'seen'] as const
export type Dimension = (typeof dimensions)[number]

export interface Expansion {
  node: string
  direction: Direction
  hops: number
}

export interface Unfolded {
  node: string
  direction: Direction
  count: number
}

export type Selection =
  | { kind: 'node'; node: string }
  | { kind: 'edge'; up: string; down: string; fromColumn?: string; toColumn?: string }
  | { kind: 'column'; node: string; column: string }
  | { kind: 'fold'; node: string; direction: Direction }

/** The facts by which nodes can be grouped. */
export const groupings = ['platform', 'domain', 'type', 'container', 'product'] as const
export type Grouping = (typeof groupings)[number]
export const groupingNames: Record<Grouping, string> = { platform: 'platform', domain: 'domain', type: 'type', container: 'container', product: 'data product' }

export interface View {
  /** Hops from the start. */
  readonly up: number
  readonly down: number
  /** Nodes that were expanded, in this order. */
  readonly expanded: readonly Expansion[]
  /** Nodes whose further neighbours are hidden. */
  readonly closed: readonly { node: string; direction: Direction }[]
  readonly unfolded: readonly Unfolded[]
  /** Nodes that are shown wherever they are, such as a node that was found within a fold. */
  readonly picked: readonly string[]
  readonly hidden: readonly string[]
  /** Nodes that show their columns. */
  readonly opened: readonly string[]
  readonly filters: Readonly<Partial<Record<Dimension, readonly string[]>>>
  /** The most nodes that are shown. */
  readonly limit: number
  /** A past moment in epoch milliseconds. */
  readonly asOf: number | undefined
  readonly selection: Selection | undefined
  /** Jobs are nodes; otherwise they stand on the edges that they make. */
  readonly jobs: boolean
  /** Siblings are drawn singly. */
  readonly apart: boolean
  readonly groupBy: Grouping | undefined
  /** The groups that are unfolded, by the six letters of their keys. */
  readonly ungrouped: readonly string[]
  /** Nodes that do not match the filters are hidden, not dimmed. */
  readonly taken: boolean
  /** Only nodes and edges that touch the selected column. */
  readonly touching: boolean
  /** The panel beside the drawing is closed. */
  readonly wide: boolean
}

export const defaultView: View = {
  up: 1,
  down: 1,
  expanded: [],
  closed: [],
  unfolded: [],
  picked: [],
  hidden: [],
  opened: [],
  filters: {},
  limit: shownAtOnce,
  asOf: undefined,
  selection: undefined,
  jobs: false,
  apart: false,
  groupBy: undefined,
  ungrouped: [],
  taken: false,
  touching: false,
  wide: false,
}

const at = (node: string, direction: Direction) => (one: { node: string; direction: Direction }) =>
  one.node === node && one.direction === direction
const notAt = (node: string, direction: Direction) => (one: { node: string; direction: Direction }) => !at(node, direction)(one)

/** Expands a node by a number of hops. The hops of the start are members of the view. */
export function expand(view: View, node: string, direction: Direction, hops: number, start: boolean): View {
  const closed = view.closed.filter(notAt(node, direction))
  if (start) return { ...view, closed, [direction]: Math.max(view[direction], hops) }
  const before = view.expanded.find(at(node, direction))
  if (before && before.hops >= hops) return { ...view, closed }
  return { ...view, closed, expanded: [...view.expanded.filter(notAt(node, direction)), { node, direction, hops }] }
}

/** Hides the nodes beyond a node. */
export function collapse(view: View, node: string, direction: Direction): View {
  return {
    ...view,
    expanded: view.expanded.filter(notAt(node, direction)),
    unfolded: view.unfolded.filter(notAt(node, direction)),
    closed: [...view.closed.filter(notAt(node, direction)), { node, direction }],
  }
}

/** Expands every node by one hop. */
export function expandAll(view: View, direction: Direction): View {
  return {
    ...view,
    [direction]: Math.min(allHops, view[direction] + 1),
    expanded: view.expanded.map((one) => (one.direction === direction ? { ...one, hops: Math.min(allHops, one.hops + 1) } : one)),
    closed: view.closed.filter((one) => one.direction !== direction),
  }
}

/** Shows more of the folded neighbours of a node. */
export function unfold(view: View, node: string, direction: Direction, more: number): View {
  const before = view.unfolded.find(at(node, direction))?.count ?? 0
  return { ...view, unfolded: [...view.unfolded.filter(notAt(node, direction)), { node, direction, count: before + more }] }
}

/** Folds the unfolded neighbours of a node again. */
export function refold(view: View, node: string, direction: Direction): View {
  return { ...view, unfolded: view.unfolded.filter(notAt(node, direction)) }
}

const without = (list: readonly string[], value: string) => list.filter((one) => one !== value)

export function pick(view: View, nodes: readonly string[]): View {
  return { ...view, picked: [...new Set([...view.picked, ...nodes])], hidden: view.hidden.filter((one) => !nodes.includes(one)) }
}

export function hide(view: View, node: string): View {
  const selected = view.selection
  const gone = selected && (selected.kind === 'edge' ? selected.up === node || selected.down === node : selected.node === node)
  return {
    ...view,
    hidden: [...without(view.hidden, node), node],
    picked: without(view.picked, node),
    selection: gone ? undefined : selected,
  }
}

export function openColumns(view: View, node: string, open: boolean): View {
  return { ...view, opened: open ? [...without(view.opened, node), node] : without(view.opened, node) }
}

export function toggleFilter(view: View, dimension: Dimension, value: string): View {
  const before = view.filters[dimension] ?? []
  const after = before.includes(value) ? without(before, value) : [...before, value]
  const filters = { ...view.filters, [dimension]: after }
  if (after.length === 0) delete filters[dimension]
  return { ...view, filters }
}

export const filtered = (view: View): boolean => Object.keys(view.filters).length > 0

export function sameSelection(a: Selection | undefined, b: Selection | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
