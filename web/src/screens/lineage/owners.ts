import type { Known, LineageNode, Ref } from './known'

/** Somebody, and what of a set of entities they own; undefined: what nobody owns. */
export interface OwnerOf {
  owner: Ref | undefined
  nodes: LineageNode[]
}

/** Who owns what of some entities: the owners of most first, what nobody owns last. */
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
