import type { Known, LineageNode, Ref } from './known'

/** An owner, and the entities of a set that they own; with undefined, the entities without an owner. */
export interface OwnerOf {
  owner: Ref | undefined
  nodes: LineageNode[]
}

/** The owners of some entities: those with the most entities first, the entities without an owner last. */
export function ownersOf(known: Known, urns: Iterable<string>): OwnerOf[] {
  const found = new Map<string, OwnerOf>()
  const nobody: OwnerOf = { owner: undefined, nodes: [] }
  for (const urn of urns) {
    const node = known.nodes.get(urn)
    if (!node) continue
    if (node.owners.length === 0) nobody.nodes.push(node)
    for (const owner of node.owners) {
      const before = found.get(owner.urn)
      if (before) before.nodes.push(node)
      else found.set(owner.urn, { owner, nodes: [node] })
    }
  }
  const list = [...found.values()].sort(
    (a, b) => b.nodes.length - a.nodes.length || ((a.owner?.name ?? '') < (b.owner?.name ?? '') ? -1 : 1),
  )
  if (nobody.nodes.length > 0) list.push(nobody)
  return list
}
