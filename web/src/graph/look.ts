// The input of the painter, besides the graph and its layout.

import type { Box } from './solve'
import type { Selection } from './types'

/**
 * From the first zoom on, all names are shown, not only those of added and ended nodes; from the second one,
 * all parts of a node.
 */
export const NAMES = 0.4
export const NEAR = 0.72

/** No text is smaller on the screen, in pixels. */
export const LEAST_TEXT = 11

/** A graph of up to so many nodes opens at READING or nearer, where each node shows its name and its type. */
export const READABLE_NODES = 300
export const READING = 0.6

/** The size of letters in the drawing: their own, or larger where the scale would make them too small to read. */
export function legible(size: number, zoom: number): number {
  return Math.max(size, LEAST_TEXT / zoom)
}

export type Detail = 'far' | 'names' | 'near'

export function detailAt(zoom: number): Detail {
  return zoom >= NEAR ? 'near' : zoom >= NAMES ? 'names' : 'far'
}

export interface Look {
  selected: Selection | null
  /** The first visible row of nodes whose columns were scrolled. */
  first: ReadonlyMap<string, number>
}

/** The part of the drawing that a bitmap shows. */
export interface Frame {
  left: number
  top: number
  zoom: number
  /** In pixels of CSS. */
  width: number
  height: number
  /** Device pixels. */
  ratio: number
}

export function boxOf(frame: Frame): Box {
  return {
    left: frame.left,
    top: frame.top,
    right: frame.left + frame.width / frame.zoom,
    bottom: frame.top + frame.height / frame.zoom,
  }
}
