// The lines of edges: from the right side of a node through the places that the layout keeps
// free for them to the left side of another.

import { NODE_WIDTH, type LayoutResult } from './layout'
import type { Structure } from './structure'

/** Receives the parts of a line: a canvas, a path of SVG, a list of points. */
export interface Sink {
  moveTo(x: number, y: number): void
  lineTo(x: number, y: number): void
  bezierCurveTo(ax: number, ay: number, bx: number, by: number, x: number, y: number): void
}

/** The left and top of nodes, maybe in the middle of an animation. */
export interface Positions {
  x: Float32Array
  y: Float32Array
}

const TURN = 34
const UNDER = 13

/** Draws the line of a pair between two heights, given from the tops of the nodes. */
export function trace(sink: Sink, s: Structure, l: LayoutResult, at: Positions, p: number, fromPort: number, toPort: number): void {
  const a = s.from[p]!
  const b = s.to[p]!
  const x1 = at.x[a]! + NODE_WIDTH
  const y1 = at.y[a]! + fromPort
  const x2 = at.x[b]!
  const y2 = at.y[b]! + toPort
  sink.moveTo(x1, y1)
  if (a === b || l.back[p]) {
    against(sink, s, l, at, p, y1, y2)
    return
  }
  let x = x1
  let y = y1
  const chain = l.chainOf[p] ?? -1
  if (chain >= 0) {
    const { chains } = l
    for (let i = chains.start[chain]!; i < chains.start[chain + 1]!; i++) {
      const cx = chains.x[i]!
      if (cx < x1 || cx > x2 - l.pitch / 2) continue
      const cy = chains.y[i]!
      curve(sink, x, y, cx, cy)
      sink.lineTo(cx + NODE_WIDTH, cy)
      x = cx + NODE_WIDTH
      y = cy
    }
  }
  curve(sink, x, y, x2, y2)
}

function curve(sink: Sink, x: number, y: number, tx: number, ty: number): void {
  if (Math.abs(y - ty) < 0.5) {
    sink.lineTo(tx, ty)
    return
  }
  const reach = Math.max(36, Math.min(500, (tx - x) / 2))
  sink.bezierCurveTo(x + reach, y, tx - reach, ty, tx, ty)
}

/** An edge against the flow: down behind the first node, back under it, and up before the second. */
function against(sink: Sink, s: Structure, l: LayoutResult, at: Positions, p: number, y1: number, y2: number): void {
  const a = s.from[p]!
  const b = s.to[p]!
  const right = at.x[a]! + NODE_WIDTH
  const left = at.x[b]!
  const under1 = at.y[a]! + s.heights[a]! + UNDER
  const under2 = at.y[b]! + s.heights[b]! + UNDER
  sink.bezierCurveTo(right + TURN, y1, right + TURN, under1, right, under1)
  let x = right - NODE_WIDTH
  let y = under1
  sink.lineTo(x, y)
  if (a !== b) {
    const chain = l.chainOf[p] ?? -1
    if (chain >= 0) {
      const { chains } = l
      for (let i = chains.start[chain + 1]! - 1; i >= chains.start[chain]!; i--) {
        const cx = chains.x[i]!
        if (cx > x - l.pitch / 2 || cx < left + l.pitch / 2) continue
        const cy = chains.y[i]!
        leftwards(sink, x, y, cx + NODE_WIDTH, cy)
        sink.lineTo(cx, cy)
        x = cx
        y = cy
      }
    }
    leftwards(sink, x, y, left + NODE_WIDTH, under2)
    sink.lineTo(left, under2)
  }
  sink.bezierCurveTo(left - TURN, under2, left - TURN, y2, left, y2)
}

function leftwards(sink: Sink, x: number, y: number, tx: number, ty: number): void {
  const reach = Math.max(36, Math.min(500, (x - tx) / 2))
  sink.bezierCurveTo(x - reach, y, tx + reach, ty, tx, ty)
}

/** The middle of the last part of a line, where a sign can stand. */
export class LastMiddle implements Sink {
  x = 0
  y = 0
  private lastX = 0
  private lastY = 0

  moveTo(x: number, y: number): void {
    this.lastX = x
    this.lastY = y
  }

  lineTo(x: number, y: number): void {
    this.bezierCurveTo(0, 0, 0, 0, x, y)
  }

  // The curves between layers are symmetric.
  bezierCurveTo(_ax: number, _ay: number, _bx: number, _by: number, x: number, y: number): void {
    this.x = (this.lastX + x) / 2
    this.y = (this.lastY + y) / 2
    this.moveTo(x, y)
  }
}

/** How far the line of a pair can reach beyond its nodes and places. */
export const REACH = TURN + 16

/** How far a point is from a line, at most `far`. */
export class Distance implements Sink {
  found: number
  private lastX = 0
  private lastY = 0

  constructor(
    private readonly x: number,
    private readonly y: number,
    far: number,
  ) {
    this.found = far
  }

  moveTo(x: number, y: number): void {
    this.lastX = x
    this.lastY = y
  }

  lineTo(x: number, y: number): void {
    const dx = x - this.lastX
    const dy = y - this.lastY
    const length = dx * dx + dy * dy
    const t = length ? Math.max(0, Math.min(1, ((this.x - this.lastX) * dx + (this.y - this.lastY) * dy) / length)) : 0
    this.found = Math.min(this.found, Math.hypot(this.lastX + t * dx - this.x, this.lastY + t * dy - this.y))
    this.moveTo(x, y)
  }

  bezierCurveTo(ax: number, ay: number, bx: number, by: number, x: number, y: number): void {
    const fx = this.lastX
    const fy = this.lastY
    for (let i = 1; i <= 16; i++) {
      const t = i / 16
      const u = 1 - t
      this.lineTo(
        u * u * u * fx + 3 * u * u * t * ax + 3 * u * t * t * bx + t * t * t * x,
        u * u * u * fy + 3 * u * u * t * ay + 3 * u * t * t * by + t * t * t * y,
      )
    }
  }
}
