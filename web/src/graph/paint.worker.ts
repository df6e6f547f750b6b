// Paints off the main thread: bitmaps of parts of the drawing go back to the page.

import type { Frame, Look } from './look'
import type { Palette } from './palette'
import { paintAll, paintLit } from './paint'
import type { Context } from './paintnodes'
import { paintMap } from './paintmap'
import type { Positions } from './routes'
import { between, Scene } from './scene'
import type { Solved } from './solve'
import { structureOf } from './structure'
import { Texts } from './text'
import type { GraphEdge, GraphNode, Lit } from './types'

export type ToPainter =
  | { kind: 'part'; nodes: GraphNode[]; edges: GraphEdge[]; first: boolean }
  /** The graph was sent completely; without a layout, the last layout stays in use. */
  | { kind: 'scene'; solved?: Solved; old?: Positions }
  | { kind: 'palette'; palette: Palette }
  | { kind: 'look'; look: Look }
  | { kind: 'lit'; lit: Lit | null }
  | { kind: 'paint'; id: number; layer: 'all' | 'lit'; frame: Frame; bare: number[]; t: number }
  | { kind: 'map'; id: number; width: number; height: number; ratio: number }

export interface FromPainter {
  id: number
  bitmap: ImageBitmap
}

let nodes: GraphNode[] = []
let edges: GraphEdge[] = []
let solved: Solved | undefined
let old: Positions | undefined
let scene: Scene | undefined
let palette: Palette | undefined
let texts = new Texts('sans-serif')
let look: Look = { selected: null, first: new Map() }
let lit: Lit | null = null
const canvases = new Map<string, OffscreenCanvas>()

self.onmessage = ({ data }: MessageEvent<ToPainter>) => {
  switch (data.kind) {
    case 'part':
      if (data.first) {
        nodes = []
        edges = []
      }
      for (const node of data.nodes) nodes.push(node)
      for (const edge of data.edges) edges.push(edge)
      return
    case 'scene':
      if (data.solved) {
        solved = data.solved
        old = data.old
      }
      if (solved) scene = new Scene(structureOf({ nodes, edges }), solved)
      return
    case 'palette':
      palette = data.palette
      texts = new Texts(palette.font)
      return
    case 'look':
      look = data.look
      return
    case 'lit':
      lit = data.lit
      return
    case 'paint':
      return paint(data)
    case 'map':
      return answer(data.id, 'map', data.width * data.ratio, data.height * data.ratio, (ctx) => {
        if (scene && palette) paintMap(ctx, scene, palette, data.width, data.height, data.ratio)
      })
  }
}

function paint({ id, layer, frame, bare, t }: Extract<ToPainter, { kind: 'paint' }>): void {
  answer(id, layer, frame.width * frame.ratio, frame.height * frame.ratio, (ctx) => {
    if (!scene || !palette) return
    const at = old && t < 1 ? between(old, scene.solved, t) : scene.solved
    const painting = { scene, palette, texts, look, frame, at, bare: new Set(bare) }
    if (layer === 'all') paintAll(ctx, painting)
    else if (lit) paintLit(ctx, painting, lit)
  })
}

function answer(id: number, name: string, width: number, height: number, draw: (ctx: Context) => void): void {
  const w = Math.max(1, Math.round(width))
  const h = Math.max(1, Math.round(height))
  let canvas = canvases.get(name)
  if (!canvas || canvas.width !== w || canvas.height !== h) canvases.set(name, (canvas = new OffscreenCanvas(w, h)))
  draw(canvas.getContext('2d')!)
  const bitmap = canvas.transferToImageBitmap()
  self.postMessage({ id, bitmap } satisfies FromPainter, { transfer: [bitmap] })
}
