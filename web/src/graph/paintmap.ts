// The small map of the whole drawing.

import { NODE_WIDTH } from './layout'
import type { Context } from './paintnodes'
import type { Palette } from './palette'
import type { Scene } from './scene'
import type { Box } from './solve'

/** How the whole drawing fits into the map: the same for painting and for pointing. */
export function mapScale(bounds: Box, width: number, height: number): { scale: number; left: number; top: number } {
  const pad = 8
  const w = Math.max(1, bounds.right - bounds.left)
  const h = Math.max(1, bounds.bottom - bounds.top)
  const scale = Math.min((width - 2 * pad) / w, (height - 2 * pad) / h, 0.2)
  return { scale, left: bounds.left - (width / scale - w) / 2, top: bounds.top - (height / scale - h) / 2 }
}

export function paintMap(ctx: Context, scene: Scene, palette: Palette, width: number, height: number, ratio: number): void {
  const { scale, left, top } = mapScale(scene.solved.bounds, width, height)
  ctx.setTransform(1, 0, 0, 1, 0, 0)
  ctx.clearRect(0, 0, ctx.canvas.width, ctx.canvas.height)
  const { nodes, heights } = scene.structure
  const { x, y } = scene.solved
  const least = 1 / ratio
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0)
  for (let v = 0; v < nodes.length; v++) {
    const node = nodes[v]!
    ctx.fillStyle = node.change ? palette[node.change] : palette[`kind-${node.kind}`]
    ctx.globalAlpha = node.dim ? 0.25 : 0.8
    ctx.fillRect((x[v]! - left) * scale, (y[v]! - top) * scale, Math.max(least, NODE_WIDTH * scale), Math.max(least, heights[v]! * scale))
  }
  ctx.globalAlpha = 1
}
