// The outlines and signs of the kinds. A kind is recognized by its shape, not by its colour alone.

import type { Sink } from './routes'
import type { NodeKind } from './types'

const ROUND = 0.5523

/** Draws the outline of a node. */
export function outline(sink: Sink, kind: NodeKind, x: number, y: number, w: number, h: number): void {
  const r = x + w
  const b = y + h
  const points = (...list: [number, number][]) => {
    for (const [i, [px, py]] of list.entries()) i ? sink.lineTo(px, py) : sink.moveTo(px, py)
    sink.lineTo(list[0]![0], list[0]![1])
  }
  const cut = Math.min(12, h / 2)
  switch (kind) {
    case 'job': {
      // A hexagon; a tall one has a limited slant.
      const slant = Math.min(h / 2, 28)
      points([x + cut, y], [r - cut, y], [r, y + slant], [r, b - slant], [r - cut, b], [x + cut, b], [x, b - slant], [x, y + slant])
      return
    }
    case 'model':
      points([x + cut, y], [r - cut, y], [r, y + cut], [r, b - cut], [r - cut, b], [x + cut, b], [x, b - cut], [x, y + cut])
      return
    case 'report': {
      // A sheet with a folded corner.
      const fold = Math.min(14, h / 2)
      rounded(sink, x, y, w, h, 7, fold)
      return
    }
    case 'person':
    case 'place':
    case 'meaning':
      rounded(sink, x, y, w, h, Math.min(h / 2, 26))
      return
    case 'data':
      rounded(sink, x, y, w, h, Math.min(8, h / 2))
  }
}

function rounded(sink: Sink, x: number, y: number, w: number, h: number, radius: number, fold = 0): void {
  const r = x + w
  const b = y + h
  const c = radius * (1 - ROUND)
  sink.moveTo(x + radius, y)
  if (fold) {
    sink.lineTo(r - fold, y)
    sink.lineTo(r, y + fold)
  } else {
    sink.lineTo(r - radius, y)
    sink.bezierCurveTo(r - c, y, r, y + c, r, y + radius)
  }
  sink.lineTo(r, b - radius)
  sink.bezierCurveTo(r, b - c, r - c, b, r - radius, b)
  sink.lineTo(x + radius, b)
  sink.bezierCurveTo(x + c, b, x, b - c, x, b - radius)
  sink.lineTo(x, y + radius)
  sink.bezierCurveTo(x, y + c, x + c, y, x + radius, y)
}

/** Signs of the kinds, as strokes in a square of 16. */
export const signs: Record<NodeKind, string> = {
  data: 'M2.5 3.5h11v9h-11zM2.5 6.8h11M6.4 6.8v5.7',
  job: 'M5.2 3.4l6.4 4.6-6.4 4.6zM2.6 3.4v9.2',
  report: 'M2.5 13.5h11M4.4 11V7.6M8 11V3.4M11.6 11V5.8',
  person: 'M8 8.2a2.7 2.7 0 1 0 0-5.4a2.7 2.7 0 0 0 0 5.4M3 13.4c.6-2.6 2.6-3.6 5-3.6s4.4 1 5 3.6',
  meaning: 'M2.8 2.8h4.6l5.8 5.8-4.6 4.6-5.8-5.8zM5.5 5.5v.01',
  place: 'M2.5 12.8v-9.3h4l1.5 1.8h5.5v7.5z',
  model: 'M8 2.6l4.8 2.7v5.4l-4.8 2.7-4.8-2.7v-5.4zM3.2 5.3l4.8 2.7 4.8-2.7M8 8v5.4',
}
