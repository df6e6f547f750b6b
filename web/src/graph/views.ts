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

/**
 * The view with which reading begins: the whole drawing if its names can be read then; else at
 * the least scale at which they can, with a part that is kept in view and as much else as fits.
 */
export function readingView(bounds: Box, size: Size, keep: Box | null, least: number): View {
  const padLeft = size.width > 640 ? 64 : 24
  const whole = fitting(bounds, size, 24, padLeft)
  if (whole.zoom >= least) return whole
  const w = size.width / 2 / least
  const h = size.height / 2 / least
  const middle = keep ?? bounds
  const along = (low: number, high: number, half: number, before: number, after: number, at: number) => {
    // The whole axis if it fits; otherwise no empty space is left beyond either end.
    if (high - low + before + after <= 2 * half) return (low + high + after - before) / 2
    return Math.min(high + after - half, Math.max(low - before + half, at))
  }
  const x = along(bounds.left, bounds.right, w, padLeft / least, 24 / least, (middle.left + middle.right) / 2)
  const y = along(bounds.top, bounds.bottom, h, 24 / least, 24 / least, (middle.top + middle.bottom) / 2)
  return { x, y, zoom: least }
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
