// The nodes to which the arrow keys lead: along the edges to both sides, up and down within a layer.

import { NODE_WIDTH } from './layout'
import type { Scene } from './scene'

export type Step = 'left' | 'right' | 'up' | 'down'

/** The node to which a step leads, -1 if there is none. */
export function step(scene: Scene, v: number, way: Step): number {
  const { structure: s, solved } = scene
  const { x, y } = solved
  let best = -1
  let least = Infinity
  const offer = (w: number, far: number) => {
    if (w === v || far > least || (far === least && w > best)) return
    best = w
    least = far
  }
  if (way === 'left' || way === 'right') {
    const [here, there] = way === 'left' ? [s.to, s.from] : [s.from, s.to]
    for (let p = 0; p < s.proper; p++) {
      if (here[p] === v) offer(there[p]!, Math.hypot((x[there[p]!]! - x[v]!) / solved.pitch, (y[there[p]!]! - y[v]!) / 60))
    }
    return best
  }
  const sign = way === 'up' ? -1 : 1
  const { bounds } = solved
  const from = sign < 0 ? bounds.top : y[v]!
  const to = sign < 0 ? y[v]! : bounds.bottom
  for (const w of scene.nodesIn({ left: x[v]! + 1, top: from, right: x[v]! + NODE_WIDTH - 1, bottom: to })) {
    const down = (y[w]! - y[v]!) * sign
    if (down > 0) offer(w, down)
  }
  return best
}
