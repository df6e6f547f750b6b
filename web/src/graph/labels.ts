// Names for nodes from afar: an added or ended node always keeps its name, the other nodes where
// there is room.

import { NODE_WIDTH } from './layout'
import { READABLE_NODES } from './look'
import { HEADER } from './measure'
import type { Positions } from './routes'
import type { Scene } from './scene'
import type { Box } from './solve'
import type { Texts } from './text'

export interface Label {
  node: number
  text: string
  /** In the units of the drawing. */
  box: Box
}

/** In pixels of the screen. */
export const LABEL = { size: 11.5, height: 18, side: 6, widest: 170 }
const GAP = 3
const PLAIN_HEIGHT = 14
/** Names that are cut to less than this width say nothing. */
const NARROWEST = 52
/** If there are too many marks to compare all, the last marks get no name. */
const MOST = 400

const overlap = (a: Box, b: Box, gap: number) => a.left < b.right + gap && b.left < a.right + gap && a.top < b.bottom + gap && b.top < a.bottom + gap

/**
 * Where the names of marked nodes stand at a scale: on their node, or beside it. No two lie
 * over each other; over other nodes they lie only where there is no better place. It does not
 * depend on which part is seen, so that names stay where they are while the view moves.
 */
export function labelsOf(scene: Scene, at: Positions, zoom: number, texts: Pick<Texts, 'fit' | 'width'>): Label[] {
  const { nodes, heights } = scene.structure
  const marked: number[] = []
  for (let v = 0; v < nodes.length && marked.length < MOST; v++) if (nodes[v]!.change) marked.push(v)
  const plain = nodes.length <= READABLE_NODES ? [...nodes.keys()].filter((v) => !nodes[v]!.change) : []
  plain.sort((v, w) => Number(!!nodes[w]!.start) - Number(!!nodes[v]!.start))
  const headOf = (v: number): Box => ({ left: at.x[v]!, top: at.y[v]!, right: at.x[v]! + NODE_WIDTH, bottom: at.y[v]! + Math.min(HEADER, heights[v]!) })
  const gap = GAP / zoom
  const height = LABEL.height / zoom
  const placed: Label[] = []
  for (const node of marked) {
    const text = texts.fit(nodes[node]!.title, LABEL.widest, LABEL.size, true)
    const width = (texts.width(text, LABEL.size, true) + 2 * LABEL.side) / zoom
    const head = headOf(node)
    const free = placesFor(head, width, height, gap).filter((box) => !placed.some((other) => overlap(box, other.box, gap)))
    const alone = free.find((box) => scene.nodesIn(box).every((other) => other === node))
    // A name may hide an unchanged node, but not another mark.
    const box = alone ?? free.find((box) => scene.nodesIn(box).every((other) => other === node || !nodes[other]!.change)) ?? free[0]
    if (box) placed.push({ node, text, box })
  }
  // The others keep theirs on the node, cut to its layer, where no other name is.
  const widest = scene.solved.pitch * zoom - 4
  for (const node of widest < NARROWEST ? [] : plain) {
    const text = texts.fit(nodes[node]!.title, Math.min(LABEL.widest, widest - 2 * LABEL.side), LABEL.size, true)
    const width = (texts.width(text, LABEL.size, true) + 2 * LABEL.side) / zoom
    const head = headOf(node)
    const left = (head.left + head.right - width) / 2
    const top = (head.top + head.bottom) / 2 - PLAIN_HEIGHT / 2 / zoom
    const box = { left, top, right: left + width, bottom: top + PLAIN_HEIGHT / zoom }
    if (text && !placed.some((other) => overlap(box, other.box, 0))) placed.push({ node, text, box })
  }
  return placed
}

/** The places of a name: on the node, then under it, above it, and further and further away. */
function placesFor(head: Box, width: number, height: number, gap: number): Box[] {
  const places: Box[] = []
  const middle = (head.left + head.right) / 2
  const add = (left: number, top: number) => places.push({ left, top, right: left + width, bottom: top + height })
  add(middle - width / 2, (head.top + head.bottom - height) / 2)
  for (let step = 0; step < 4; step++) {
    const down = step * (height + 2 * gap)
    for (const left of [middle - width / 2, head.left, head.right - width]) {
      add(left, head.bottom + gap + down)
      add(left, head.top - gap - height - down)
    }
  }
  return places
}
