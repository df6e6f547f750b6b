// The requests that a view needs from the server.

import type { Direction, Known } from './known'
import type { View } from './view'

export interface Request {
  key: string
  urn: string
  /** Both directions if it is undefined. */
  direction: Direction | undefined
  hops: number
  /** The most nodes. */
  limit: number
}

/**
 * The most nodes that one request reads. With an edge and an owner each, an answer of the server has room for
 * so many.
 */
const most = 4000

export function wanted(known: Known, root: string, view: View): Request[] {
  const requests: Request[] = []
  const add = (urn: string, direction: Direction | undefined, hops: number) => {
    if (hops < 1) return
    if (hops === 1 && direction !== undefined && known.nodes.has(urn) && known.complete(urn, direction)) return
    requests.push({ key: `${direction ?? 'both'} ${hops} ${urn}`, urn, direction, hops, limit: most })
  }
  if (view.up === view.down) add(root, undefined, view.up)
  else {
    add(root, 'up', view.up)
    add(root, 'down', view.down)
  }
  // If nothing around the start is shown, only the start itself is read.
  if (requests.length === 0 && !known.nodes.has(root)) add(root, undefined, 1)
  for (const { node, direction, hops } of view.expanded) {
    const urn = known.long(node)
    if (urn === undefined || urn === root) continue
    add(urn, direction, hops)
  }
  return requests
}

/** The number of parts of a view whose nodes are not known. */
export function unresolved(known: Known, view: View): number {
  const nodes = [
    ...view.expanded.map(({ node }) => node),
    ...view.closed.map(({ node }) => node),
    ...view.unfolded.map(({ node }) => node),
    ...view.picked,
    ...view.opened,
    ...(view.selection && 'node' in view.selection ? [view.selection.node] : []),
  ]
  return new Set(nodes.filter((node) => known.long(node) === undefined)).size
}

