// Arranges the shown graph in the drawing: siblings as one node, jobs on edges, groups. It joins
// nodes and says which node or edge stands for which others, so that a selection and a lit path can
// be found again. The list beside the drawing has everything singly.

import type { Graph, GraphEdge, GraphNode, Lit, Selection } from '../../graph/types'
import type { Sibling } from './known'
import type { Grouping } from './view'

export interface Arrangement {
  /** Only these nodes; without it, all. */
  only?: ReadonlySet<string> | undefined
  /** By the id of a node: its siblings in other systems. */
  siblings?: ReadonlyMap<string, Sibling>
  /** Jobs stand on the edges that they make. */
  jobsOnEdges?: boolean
  /** Nodes that are never removed or put into a group: the start, and opened nodes. */
  keep: ReadonlySet<string>
  groups?: { by: Grouping; of: (id: string) => { key: string; label: string } | undefined; open: ReadonlySet<string> } | undefined
}

export interface Arranged {
  graph: Graph
  /** By the id of a node that is not drawn: the node or the edge that stands for it. */
  standIns: ReadonlyMap<string, { node: string } | { edge: string }>
  /** By the id of a drawn edge: each chain of edges that it stands for. */
  parts: ReadonlyMap<string, readonly (readonly string[])[]>
}

/** A job with more pairs of an input and an output stays a node: its signs would hide the drawing. */
const mostPairs = 8

const groupPrefix = 'group '
export const groupId = (by: Grouping, key: string): string => `${groupPrefix}${by} ${key}`
export const isGroup = (id: string): boolean => id.startsWith(groupPrefix)

/** The key of a group, from its id. */
export function groupKey(id: string): string {
  return id.slice(groupPrefix.length).replace(/^\S+ /, '')
}

export function arrange(graph: Graph, arrangement: Arrangement): Arranged {
  const { only, siblings, keep } = arrangement
  if (!only && !siblings?.size && !arrangement.jobsOnEdges && !arrangement.groups) return { graph, standIns: new Map(), parts: new Map() }
  const state = stateOf(only ? narrow(graph, only) : graph)
  if (siblings) for (const [id, sibling] of siblings) takeSibling(state, id, sibling, keep)
  if (arrangement.jobsOnEdges) for (const node of [...state.nodes.values()]) if (node.kind === 'job' && !keep.has(node.id)) jobOntoEdges(state, node)
  if (arrangement.groups) group(state, arrangement.groups, keep)
  return { graph: { nodes: [...state.nodes.values()], edges: [...state.edges.values()] }, standIns: state.standIns, parts: state.parts }
}

interface State {
  nodes: Map<string, GraphNode>
  edges: Map<string, GraphEdge>
  /** Ids of edges at a node. */
  at: Map<string, Set<string>>
  standIns: Map<string, { node: string } | { edge: string }>
  parts: Map<string, (readonly string[])[]>
}

function stateOf(graph: Graph): State {
  const state: State = { nodes: new Map(graph.nodes.map((node) => [node.id, node])), edges: new Map(), at: new Map(), standIns: new Map(), parts: new Map() }
  for (const edge of graph.edges) put(state, edge)
  return state
}

function put(state: State, edge: GraphEdge): void {
  state.edges.set(edge.id, edge)
  for (const end of [edge.from, edge.to]) {
    const edges = state.at.get(end)
    if (edges) edges.add(edge.id)
    else state.at.set(end, new Set([edge.id]))
  }
}

function drop(state: State, edge: GraphEdge): void {
  state.edges.delete(edge.id)
  for (const end of [edge.from, edge.to]) state.at.get(end)?.delete(edge.id)
}

const edgesAt = (state: State, id: string): GraphEdge[] => [...(state.at.get(id) ?? [])].map((edge) => state.edges.get(edge)!)

function narrow({ nodes, edges }: Graph, only: ReadonlySet<string>): Graph {
  return { nodes: nodes.filter(({ id }) => only.has(id)), edges: edges.filter(({ from, to }) => only.has(from) && only.has(to)) }
}

const hasColumns = (node: GraphNode) => !!node.columns?.length

// A node has the marks of its siblings although they are not shown. Of two shown siblings, one is
// drawn, unless the columns of one are open: each sibling has columns of its own.
function takeSibling(state: State, id: string, { first, platforms }: Sibling, keep: ReadonlySet<string>): void {
  const node = state.nodes.get(id)
  if (!node) return
  const also = [...new Set(platforms)].filter((platform) => platform !== node.platform).join(' + ')
  if (also) state.nodes.set(id, { ...node, alsoOn: also })
  const stays = state.nodes.get(first)
  if (first === id || !stays || hasColumns(node) || hasColumns(stays) || keep.has(id)) return
  const labels = new Set(stays.badges?.map(({ label }) => label))
  state.nodes.set(first, {
    ...stays,
    badges: [...(stays.badges ?? []), ...(node.badges ?? []).filter(({ label }) => !labels.has(label))],
    moreUp: (stays.moreUp ?? 0) + (node.moreUp ?? 0),
    moreDown: (stays.moreDown ?? 0) + (node.moreDown ?? 0),
    dim: !!stays.dim && !!node.dim,
  })
  replace(state, new Set([id]), first)
}

/** The edges of some nodes become edges of one node that stands for them; edges between them are left out. */
function replace(state: State, gone: ReadonlySet<string>, by: string): void {
  for (const id of gone) {
    for (const edge of edgesAt(state, id)) {
      const from = gone.has(edge.from) ? by : edge.from
      const to = gone.has(edge.to) ? by : edge.to
      drop(state, edge)
      if (from !== to) add(state, { ...edge, id: `${from} ${to}`, from, to }, state.parts.get(edge.id) ?? [[edge.id]])
    }
    state.nodes.delete(id)
    state.standIns.set(id, { node: by })
  }
}

/** Adds an edge that stands for others; if there is an edge with the same ends, the new one is merged into it. */
function add(state: State, edge: GraphEdge, parts: readonly (readonly string[])[]): void {
  const before = state.edges.get(edge.id)
  if (!before) {
    state.parts.set(edge.id, [...parts])
    return put(state, edge)
  }
  state.parts.set(edge.id, [...(state.parts.get(edge.id) ?? [[edge.id]]), ...parts])
  const title = [...new Set([before.title, edge.title].filter(Boolean))].join('; ')
  const through = before.through ?? edge.through
  state.edges.set(edge.id, { ...before, dim: !!before.dim && !!edge.dim, title, ...(through ? { through } : {}) })
}

function jobOntoEdges(state: State, job: GraphNode): void {
  if (job.start) return
  const edges = edgesAt(state, job.id)
  const isJob = (id: string) => state.nodes.get(id)?.kind === 'job'
  const into = edges.filter(({ from, to }) => to === job.id && !isJob(from))
  const out = edges.filter(({ from, to }) => from === job.id && !isJob(to))
  if (!into.length || !out.length || into.length * out.length > mostPairs) return
  const ins = new Set(into.map(({ from }) => from))
  const plain = (id: string) => {
    const node = state.nodes.get(id)
    return node !== undefined && !node.fold
  }
  if (![...ins].every(plain) || !out.every(({ to }) => plain(to) && !ins.has(to))) return
  // The list, and not the drawing, shows which job waits for which, but no job stays without an edge.
  const others = edges.map(({ from, to }) => (from === job.id ? to : from)).filter(isJob)
  if (others.some((id) => (state.at.get(id)?.size ?? 0) < 2)) return
  for (const edge of edges) drop(state, edge)
  state.nodes.delete(job.id)
  const chainsOf = (edge: GraphEdge) => state.parts.get(edge.id)?.[0] ?? [edge.id]
  for (const first of into) {
    for (const last of out) {
      const id = `${first.from} ${last.to}`
      const edge = { id, from: first.from, to: last.to, dim: !!first.dim || !!last.dim, title: `by ${job.title}`, through: job.kind }
      add(state, edge, [[...chainsOf(first), ...chainsOf(last)]])
      if (!state.standIns.has(job.id)) state.standIns.set(job.id, { edge: id })
    }
  }
}

function group(state: State, { by, of, open }: NonNullable<Arrangement['groups']>, keep: ReadonlySet<string>): void {
  const members = new Map<string, { label: string; ids: string[] }>()
  for (const node of state.nodes.values()) {
    if (node.fold || node.start || keep.has(node.id)) continue
    const found = of(node.id)
    if (!found || open.has(found.key)) continue
    const known = members.get(found.key)
    if (known) known.ids.push(node.id)
    else members.set(found.key, { label: found.label, ids: [node.id] })
  }
  for (const [key, { label, ids }] of members) {
    if (ids.length < 2) continue
    const nodes = ids.map((id) => state.nodes.get(id)!)
    const id = groupId(by, key)
    const kinds = new Set(nodes.map(({ kind }) => kind))
    state.nodes.set(id, {
      id,
      kind: kinds.size === 1 ? nodes[0]!.kind : 'place',
      type: 'Group',
      title: label,
      fold: { count: ids.length, label: `${ids.length} entities · unfold` },
      dim: nodes.every(({ dim }) => dim),
    })
    replace(state, new Set(ids), id)
  }
}

/** The lit nodes and edges in the arranged drawing. */
export function arrangeLit(lit: Lit | null, { standIns, parts }: Arranged): Lit | null {
  if (!lit) return null
  const nodes = new Set(lit.nodes)
  for (const id of lit.nodes) {
    const other = standIns.get(id)
    if (other && 'node' in other) nodes.add(other.node)
  }
  const edges = new Set(lit.edges)
  for (const [id, chains] of parts) if (chains.some((chain) => chain.every((one) => lit.edges.has(one)))) edges.add(id)
  return { ...lit, nodes, edges }
}

/** The selection in the arranged drawing. */
export function arrangeSelection(selection: Selection | null, { standIns, parts }: Arranged): Selection | null {
  if (!selection) return null
  if ('node' in selection) {
    // The node that stands for the selection may itself be part of another node.
    let found: Selection = selection
    for (let other = standIns.get(selection.node); other; other = 'node' in other ? standIns.get(other.node) : undefined) found = other
    return found
  }
  if (parts.has(selection.edge)) return selection
  for (const [id, chains] of parts) if (chains.some((chain) => chain.includes(selection.edge))) return { edge: id }
  return selection
}
