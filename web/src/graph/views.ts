// Calculations with views: the point in the middle, and the scale.

import type { Box } from './solve'
import type { View } from './types'

export const LEAST = 0.05
const MOST = 2.5

export interface Size {
  width: number
  height: number
}

/** The view that shows all of a drawing, no nearer than life-size. */
export function fitting(bounds: Box, size: Size, pad = 36, padLeft = pad): View {
  const width = Math.max(1, bounds.right - bounds.left)
  const height = Math.max(1, bounds.bottom - bounds.top)
  const zoom = Math.min(1, Math.max(40, size.width - pad - padLeft) / width, Math.max(40, size.height - 2 * pad) / height)
  return { x: (bounds.left + bounds.right) / 2 - (padLeft - pad) / 2 / zoom, y: (bounds.top + bounds.bottom) / 2, zoom }
}

/** Scales a view so that one point of the screen, given from the middle, stays where it is. */
export function zoomedAt(view: View, factor: number, dx: number, dy: number, least: number): View {
  const zoom = Math.min(MOST, Math.max(least, view.zoom * factor))
  return { x: view.x + dx / view.zoom - dx / zoom, y: view.y + dy / view.zoom - dy / zoom, zoom }
}

/** A view between two others at a moment of a movement; the scale changes evenly for the eye. */
export function onTheWay(from: View, to: View, t: number): View {
  if (t >= 1) return to
  const eased = t < 0.5 ? 4 * t * t * t : 1 - (-2 * t + 2) ** 3 / 2
  return {
    x: from.x + (to.x - from.x) * eased,
    y: from.y + (to.y - from.y) * eased,
    zoom: from.zoom * (to.zoom / from.zoom) ** eased,
  }
}

/** Keeps a part of the drawing on the screen, so that the drawing cannot be lost. */
export function kept(view: View, bounds: Box, size: Size): View {
  const w = size.width / 2 / view.zoom
  const h = size.height / 2 / view.zoom
  const edge = 60 / view.zoom
  return {
    x: Math.min(bounds.right + w - edge, Math.max(bounds.left - w + edge, view.x)),
    y: Math.min(bounds.bottom + h - edge, Math.max(bounds.top - h + edge, view.y)),
    zoom: view.zoom,
  }
}
