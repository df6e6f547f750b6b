// The heights of the parts of a node. The canvas, the elements and the layout all use them.

import type { GraphNode } from './types'

export const HEADER = 56
export const BADGES = 24
/** The bar that opens the columns. */
export const BAR = 26
export const ROW = 22
/** Rows of columns shown at a time; the others are scrolled to. */
export const ROWS = 20
const FOOT = 6

export function hasBar(node: GraphNode): boolean {
  return (node.columnCount ?? 0) > 0 || !!node.columns?.length
}

/** From the top of a node to its first column. */
export function columnsTop(node: GraphNode): number {
  return HEADER + (node.badges?.length ? BADGES : 0) + (hasBar(node) ? BAR : 0)
}

export function heightOf(node: GraphNode): number {
  const rows = Math.min(node.columns?.length ?? 0, ROWS)
  return columnsTop(node) + (rows ? rows * ROW + FOOT : 0)
}

/** The height at which edges touch a node, except edges of columns. */
export const PORT = HEADER / 2

/**
 * The height at which edges touch a column, from the top of the node; the edges of columns outside the
 * visible rows touch the ends of the list. `first` is the first visible row.
 */
export function columnPort(node: GraphNode, index: number, first: number): number {
  const rows = Math.min(node.columns?.length ?? 0, ROWS)
  const row = index - first
  const top = columnsTop(node)
  if (row < 0) return top
  if (row >= rows) return top + rows * ROW
  return top + (row + 0.5) * ROW
}

/** The first row shown after a scroll by some rows. */
export function scrolled(node: GraphNode, first: number, by: number): number {
  return Math.max(0, Math.min((node.columns?.length ?? 0) - ROWS, first + by))
}
