import type { Known, LineageNode } from './known'
import type { Fold, Shown } from './shown'

export interface Distance {
  degree: number
  nodes: LineageNode[]
  folds: Fold[]
}

/** The visible nodes, by distance from the start: the start, then upstream, then downstream. */
export function byDistance(known: Known, shown: Shown): Distance[] {
  const groups = new Map<number, Distance>()
  const at = (degree: number): Distance => {
    const group = groups.get(degree) ?? { degree, nodes: [], folds: [] }
    groups.set(degree, group)
    return group
  }
  for (const [urn, degree] of shown.nodes) {
    const node = known.nodes.get(urn)
    if (node) at(degree).nodes.push(node)
  }
  for (const fold of shown.folds) at(fold.degree).folds.push(fold)
  const side = (degree: number) => (degree === 0 ? 0 : degree < 0 ? 1 : 2)
  return [...groups.values()].sort((a, b) => side(a.degree) - side(b.degree) || Math.abs(a.degree) - Math.abs(b.degree))
}
