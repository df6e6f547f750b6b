// Which arrangement of the drawing a view asks for.

import type { Graph } from '../../graph/types'
import { typeLabel } from '../../lib/kinds'
import type { Arrangement } from './arrange'
import { type ColumnPath, entitiesOf } from './columns'
import { type Known, type LineageNode, type Places, type Ref, short, type Sibling } from './known'
import { filtered, type Grouping, type View } from './view'

/** Larger graphs are drawn node by node: nobody reads signs on edges there, and it takes time. */
const arrangedMost = 2000

interface Asked {
  known: Known
  root: string
  view: View
  siblings: ReadonlyMap<string, Sibling>
  places: ReadonlyMap<string, Places>
  path: ColumnPath | undefined
  drawn: Graph
}

export function arrangementOf({ known, root, view, siblings, places, path, drawn }: Asked): Arrangement {
  const keep = new Set([root])
  for (const one of [...view.opened, ...view.expanded.map(({ node }) => node)]) {
    const urn = known.long(one)
    if (urn !== undefined) keep.add(urn)
  }
  if (path) for (const urn of entitiesOf(path).columns.keys()) keep.add(urn)
  const { groupBy } = view
  const large = drawn.nodes.length > arrangedMost
  const open = new Set(view.ungrouped)
  return {
    keep,
    only: onlyOf(view, root, path, drawn),
    siblings: view.apart || large ? new Map() : siblings,
    jobsOnEdges: !view.jobs && !large,
    groups: groupBy && {
      by: groupBy,
      open,
      of: (id) => {
        const node = known.nodes.get(id)
        return node && groupOf(node, groupBy, places.get(id))
      },
    },
  }
}

/** The nodes that match the filters and touch the selected column. */
function onlyOf(view: View, root: string, path: ColumnPath | undefined, drawn: Graph): ReadonlySet<string> | undefined {
  const taken = view.taken && filtered(view)
  const touching = view.touching && path ? entitiesOf(path) : undefined
  if (!taken && !touching) return undefined
  const only = new Set<string>()
  for (const { id, dim } of drawn.nodes) {
    if (id === root || (!(taken && dim) && (!touching || touching.columns.has(id) || touching.statedBy.has(id)))) only.add(id)
  }
  return only
}

/** The group of a node. The key of a group is short, because addresses contain it. */
function groupOf(node: LineageNode, by: Grouping, places: Places | undefined): { key: string; label: string } | undefined {
  switch (by) {
    case 'platform':
      return node.platform ? { key: short(node.platform), label: node.platformName || node.platform } : undefined
    case 'domain':
      return named(node.domain)
    case 'type':
      return { key: short(node.type), label: typeLabel(node.type, true) }
    case 'container':
      return named(places?.container)
    case 'product':
      return named(places?.product)
  }
}

function named(group: Ref | null | undefined): { key: string; label: string } | undefined {
  return group ? { key: short(group.urn), label: group.name || group.urn } : undefined
}
