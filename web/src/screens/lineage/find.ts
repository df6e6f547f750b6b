import type { Known } from './known'
import type { Shown } from './shown'

export interface Match {
  urn: string
  /** Whether the node is within a fold. */
  folded: boolean
}

/** The nodes whose name, platform or URN has all words, first those whose names begin with the text. */
export function found(known: Known, shown: Shown, text: string): Match[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const all: Match[] = [
    ...[...shown.nodes.keys()].map((urn) => ({ urn, folded: false })),
    ...shown.folds.flatMap(({ urns }) => urns.map((urn) => ({ urn, folded: true }))),
  ]
  const ranked = new Map<string, { match: Match; rank: number }>()
  for (const match of all) {
    const node = known.nodes.get(match.urn)
    if (!node || ranked.has(match.urn)) continue
    const name = node.name.toLowerCase()
    const whole = `${name} ${node.platformName ?? ''} ${match.urn} ${node.owners.map((owner) => owner.name).join(' ')}`.toLowerCase()
    if (!words.every((word) => whole.includes(word))) continue
    const rank = name.startsWith(words[0] ?? '') ? 0 : words.every((word) => name.includes(word)) ? 1 : 2
    ranked.set(match.urn, { match, rank: rank + (match.folded ? 3 : 0) })
  }
  return [...ranked.values()].sort((a, b) => a.rank - b.rank).map(({ match }) => match)
}
