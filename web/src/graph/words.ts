// The texts of nodes, the same on the canvas, in elements and in pictures.

import type { Palette } from './palette'
import { ROWS } from './measure'
import type { Badge, GraphNode } from './types'
import { amount, number } from '../lib/words'

export function platformLine(node: GraphNode): string {
  if (node.fold) return node.fold.label
  const what = node.subtitle ?? node.type
  const platform = [node.platform, node.alsoOn].filter(Boolean).join(' + ')
  return platform ? `${platform} · ${what}` : what
}

/** A count, short enough for a handle. */
export function countText(count: number): string {
  if (count < 1000) return `+${count}`
  return count < 1_000_000 ? `+${Math.floor(count / 1000)}k` : '+1M'
}

export function rowsLabel(node: GraphNode, first: number): string {
  const total = node.columns?.length ?? 0
  if (total > ROWS) return `${number(first + 1)}–${number(first + ROWS)} of ${number(total)} columns`
  const count = total || (node.columnCount ?? 0)
  return amount(count, 'column')
}

export function badgeColours(tone: Badge['tone']): [keyof Palette, keyof Palette] {
  switch (tone) {
    case 'warn':
      return ['warn-soft', 'warn']
    case 'bad':
      return ['bad-soft', 'ended']
    case 'term':
      return ['good-soft', 'kind-meaning']
    case 'domain':
      return ['bg-sunken', 'kind-place']
    case 'tag':
      return ['accent-soft', 'accent']
    default:
      return ['bg-hover', 'text-soft']
  }
}
