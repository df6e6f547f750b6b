import type { TimeDiffQuery, TimeGraphQuery } from '../../gql/graphql'
import type { Change, Graph, GraphEdge, GraphNode } from '../../graph/types'
import { kindOf, typeLabel } from '../../lib/kinds'

// One graph of a moment that also contains the parts that were added before that moment and the parts that
// ended.

export type Answer = TimeGraphQuery['lineageGraph']
export type Diff = TimeDiffQuery['lineageDiff']
export type Node = Answer['nodes'][number]
export type Link = Answer['edges'][number]

export interface Merged {
  graph: Graph
  nodes: ReadonlyMap<string, { node: Node; change: Change | undefined }>
  /**
   * Several links may be drawn as one line: a dataset may derive from another dataset, and a job may write the
   * one from the other.
   */
  edges: ReadonlyMap<string, { links: Link[]; change: Change | undefined }>
  added: number
  ended: number
}

function lineOf(link: Pick<Link, 'upstream' | 'downstream'>): string {
  return `${link.upstream}\n${link.downstream}`
}

function keyOf(link: Pick<Link, 'type' | 'upstream' | 'downstream'>): string {
  return `${link.type}\n${lineOf(link)}`
}

/**
 * Merges the graph at the end of a stretch of time with its differences from the beginning. Parts that were
 * added and ended within the stretch are shown as ended; parts that ended and came back are shown as
 * unchanged.
 */
export function merge(at: Answer, diffs: readonly Diff[], from: number, start: string): Merged {
  const nodes = new Map<string, { node: Node; change: Change | undefined }>()
  const fresh = new Set(diffs.flatMap((diff) => diff.added.map(({ urn }) => urn)))
  for (const node of at.nodes) nodes.set(node.urn, { node, change: fresh.has(node.urn) && node.urn !== start ? 'added' : undefined })
  // A node that only moved farther away than the graph reaches has not ended.
  for (const diff of diffs) for (const node of diff.moved) if (!nodes.has(node.urn)) nodes.set(node.urn, { node, change: undefined })
  for (const diff of diffs) for (const node of diff.ended) if (!nodes.has(node.urn)) nodes.set(node.urn, { node, change: 'ended' })

  const now = new Set(at.edges.map(keyOf))
  const added = new Set(diffs.flatMap((diff) => diff.edgesAdded.map(keyOf)))
  const ended = new Map(diffs.flatMap((diff) => diff.edgesEnded.map((link) => [keyOf(link), link] as const)))
  const edges = new Map<string, { links: Link[]; changes: Set<Change | undefined> }>()
  const draw = (link: Link, change: Change | undefined) => {
    if (!nodes.has(link.upstream) || !nodes.has(link.downstream)) return
    const id = lineOf(link)
    let line = edges.get(id)
    if (!line) edges.set(id, (line = { links: [], changes: new Set() }))
    line.links.push(link)
    line.changes.add(change)
  }
  for (const link of at.edges) {
    const before = ended.get(keyOf(link))
    draw(link, added.has(keyOf(link)) && !(before && before.since <= from) ? 'added' : undefined)
  }
  for (const [key, link] of ended) if (!now.has(key)) draw(link, 'ended')

  const lines = new Map([...edges].map(([id, { links, changes }]) => [id, { links, change: strongest(changes) }]))
  const graph = {
    nodes: [...nodes.values()].map(({ node, change }) => drawn(node, change, node.urn === start)),
    edges: [...lines].map(([id, { links, change }]) => line(id, links[0]!, change)),
  }
  const count = (change: Change) => [...nodes.values(), ...lines.values()].filter((one) => one.change === change).length
  return { graph, nodes, edges: lines, added: count('added'), ended: count('ended') }
}

// A line is unchanged if any of its edges is, and has ended only if all have.
function strongest(changes: ReadonlySet<Change | undefined>): Change | undefined {
  if (changes.has(undefined)) return undefined
  return changes.has('added') ? 'added' : 'ended'
}

function drawn(node: Node, change: Change | undefined, start: boolean): GraphNode {
  return {
    id: node.urn,
    kind: kindOf(node.type),
    type: typeLabel(node.type),
    title: node.parent ? `${node.parent.name}.${node.name}` : node.name,
    platform: node.platformName ?? undefined,
    subtitle: node.subType ?? undefined,
    badges: node.owners.map(({ name }) => ({ label: name, tone: 'owner' as const })),
    change,
    start,
    missing: !node.exists,
    removed: node.removed,
  }
}

function line(id: string, link: Link, change: Change | undefined): GraphEdge {
  return { id, from: link.upstream, to: link.downstream, change }
}

/**
 * A graph in which all nodes but one and its neighbours are faded. Added and ended parts keep their colour,
 * which highlighting would cover.
 */
export function around(graph: Graph, node: string): Graph {
  const near = new Set([node])
  const edges = graph.edges.map((edge) => {
    const at = edge.from === node || edge.to === node
    if (at) near.add(edge.from).add(edge.to)
    return at ? edge : { ...edge, dim: true }
  })
  return { nodes: graph.nodes.map((one) => (near.has(one.id) ? one : { ...one, dim: true })), edges }
}

/** The edges at a node that were added or that ended. */
export function changedAt(merged: Merged, urn: string): { links: Link[]; change: Change }[] {
  const found: { links: Link[]; change: Change }[] = []
  for (const { links, change } of merged.edges.values()) {
    const [link] = links
    if (change && link && (link.upstream === urn || link.downstream === urn)) found.push({ links, change })
  }
  return found
}
