// The parts of the last layout that the next one keeps.

import type { Placed } from './layout'
import type { Scene } from './scene'
import type { Job } from './solve'
import type { Structure } from './structure'

/** The job for the layout; with a scene, its nodes keep their places. */
export function jobOf(s: Structure, scene: Scene | null, anchor: number): Job {
  return {
    heights: s.heights.slice(),
    from: s.from.slice(0, s.proper),
    to: s.to.slice(0, s.proper),
    fromPort: s.fromPort.slice(0, s.proper),
    toPort: s.toPort.slice(0, s.proper),
    loops: s.from.slice(s.proper),
    anchor,
    previous: scene ? placedFor(s, scene) : undefined,
  }
}

/** The places that the nodes of a structure have in a scene; undefined if none has one. */
export function placedFor(s: Structure, scene: Scene): Placed | undefined {
  const { solved, structure: before } = scene
  const x = new Float32Array(s.nodes.length).fill(NaN)
  const y = new Float32Array(s.nodes.length).fill(NaN)
  let shared = 0
  for (const [i, node] of s.nodes.entries()) {
    const was = before.index.get(node.id)
    if (was === undefined) continue
    x[i] = solved.x[was]!
    y[i] = solved.y[was]!
    shared++
  }
  if (!shared) return undefined
  const { chains } = solved
  const keys: number[] = []
  const starts: number[] = [0]
  const xs: number[] = []
  const ys: number[] = []
  for (let c = 0; c < chains.key.length; c++) {
    const owner = s.index.get(before.nodes[chains.key[c]! >> 1]!.id)
    if (owner === undefined) continue
    keys.push(2 * owner + (chains.key[c]! & 1))
    for (let i = chains.start[c]!; i < chains.start[c + 1]!; i++) {
      xs.push(chains.x[i]!)
      ys.push(chains.y[i]!)
    }
    starts.push(xs.length)
  }
  return { x, y, pitch: solved.pitch, chains: { key: Float64Array.from(keys), start: Uint32Array.from(starts), x: Float32Array.from(xs), y: Float32Array.from(ys) } }
}
