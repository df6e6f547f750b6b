// The stage: the visible graph, the view, and the times of painting. A worker paints onto bitmaps somewhat
// larger than the view; while the view moves, the page only moves and scales the last bitmap and the
// elements, and asks for a new bitmap.

import { jobOf, placedFor } from './job'
import { Layouter } from './layouter'
import { detailAt, LEAST_TEXT, READABLE_NODES, READING, type Frame } from './look'
import { NODE_WIDTH } from './layout'
import { Painter } from './painters'
import type { Positions } from './routes'
import { between, Scene, type Hit } from './scene'
import { structureOf, sameShape } from './structure'
import { fitting, kept, readingView, LEAST, onTheWay, zoomedAt } from './views'
import type { Graph, Lit, Selection, View } from './types'

/** At most this many nodes are elements, with at most this many rows of columns. */
const ELEMENTS = 60
const ELEMENT_ROWS = 600
/** Graphs with more nodes than this change without an animation. */
const MOVING = 800
const MOVE_TIME = 240
const VIEW_TIME = 260
const REST = 140

export interface StageParts {
  host: HTMLElement
  base: HTMLCanvasElement
  lit: HTMLCanvasElement
  world: HTMLElement
  map?: HTMLCanvasElement
}

export interface StageHooks {
  onview(view: View): void
  /** The nodes that are elements now, and their places. */
  onelements(scene: Scene, nodes: readonly number[], at: Positions): void
  onrest(view: View): void
  onlayout(result: { nodes: number; edges: number; milliseconds: number }): void
  onerror(message: string): void
}

export class Stage {
  scene: Scene | null = null
  view: View = { x: 0, y: 0, zoom: 1 }
  size = { width: 0, height: 0 }
  readonly first = new Map<string, number>()
  /** The node that stays an element because it contains the focus. */
  held: string | null = null

  private readonly layouter = new Layouter()
  private readonly painter = new Painter((message) => this.hooks.onerror(message))
  private readonly reduced = matchMedia('(prefers-reduced-motion: reduce)')
  private readonly dark = matchMedia('(prefers-color-scheme: dark)')
  private readonly resized: ResizeObserver
  private readonly themed: MutationObserver
  private turn = 0
  private requested = 0
  private timer = 0
  private closed = false
  private fitted = false
  /** Nobody has moved the view since it was opened to be read. */
  private opened = true
  private flight: { from: View; to: View; since: number } | null = null
  private shift: { old: Positions; since: number } | null = null
  private wanted: View | null = null
  private lit: Lit | null = null
  private selected: Selection | null = null
  private elements: number[] = []
  private ready = false
  private readonly painted: Record<'all' | 'lit', { frame: Frame | null; dirty: boolean; busy: boolean }> = {
    all: { frame: null, dirty: false, busy: false },
    lit: { frame: null, dirty: false, busy: false },
  }

  constructor(
    private readonly parts: StageParts,
    private readonly hooks: StageHooks,
  ) {
    this.painter.theme(parts.host)
    const recolour = () => {
      this.painter.theme(parts.host)
      this.repaint()
      this.paintMap()
    }
    this.themed = new MutationObserver(recolour)
    this.themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'class'] })
    this.dark.addEventListener('change', recolour)
    this.resized = new ResizeObserver(([entry]) => this.resize(entry!.contentRect.width, entry!.contentRect.height))
    this.resized.observe(parts.host)
    this.recolour = recolour
    this.resize(parts.host.clientWidth, parts.host.clientHeight)
  }
  private readonly recolour: () => void

  close(): void {
    this.closed = true
    cancelAnimationFrame(this.requested)
    clearTimeout(this.timer)
    this.layouter.close()
    this.painter.close()
    this.resized.disconnect()
    this.themed.disconnect()
    this.dark.removeEventListener('change', this.recolour)
  }

  // ---------- the graph

  /** Shows a graph. Nodes that were shown before keep their places; the anchor does not move. */
  async show(graph: Graph, anchor: string | null, anew = false): Promise<void> {
    const turn = ++this.turn
    const wanted = () => turn === this.turn && !this.closed
    const structure = structureOf(graph)
    const before = this.scene
    if (before && !anew && sameShape(structure, before.structure)) {
      if (await this.painter.scene(structure, wanted)) this.enter(new Scene(structure, before.solved))
      return
    }
    const scene = anew ? null : before
    let fixed = anchor === null ? undefined : structure.index.get(anchor)
    if (fixed === undefined && scene) fixed = this.middle(scene, structure.index)
    try {
      const solved = await this.layouter.ask(jobOf(structure, scene, fixed ?? -1))
      if (!solved || !wanted()) return
      const placed = before ? placedFor(structure, before) : undefined
      const moves = placed && structure.nodes.length <= MOVING && !this.reduced.matches
      if (!(await this.painter.scene(structure, wanted, solved, moves ? placed : undefined))) return
      this.shift = moves ? { old: placed, since: performance.now() } : null
      this.enter(new Scene(structure, solved))
      if (!before || anew || !placed) this.begin()
      this.hooks.onlayout({ nodes: structure.nodes.length, edges: structure.edges.length, milliseconds: solved.milliseconds })
    } catch (error) {
      if (wanted()) this.hooks.onerror(error instanceof Error ? error.message : String(error))
    }
  }

  /** The shared node that is nearest to the middle of the view. */
  private middle(scene: Scene, index: ReadonlyMap<string, number>): number | undefined {
    let best: number | undefined
    let least = Infinity
    const { nodes } = scene.structure
    for (const [v, node] of nodes.entries()) {
      const now = index.get(node.id)
      if (now === undefined) continue
      const far = Math.hypot(scene.solved.x[v]! + NODE_WIDTH / 2 - this.view.x, scene.solved.y[v]! + 28 - this.view.y)
      if (far >= least) continue
      least = far
      best = now
    }
    return best
  }

  private enter(scene: Scene): void {
    const ids = this.scene ? this.elements.map((v) => this.scene!.structure.nodes[v]?.id) : []
    this.scene = scene
    this.elements = ids.flatMap((id) => (id === undefined ? [] : (scene.structure.index.get(id) ?? [])))
    for (const id of this.first.keys()) if (!scene.structure.index.has(id)) this.first.delete(id)
    this.ready = true
    this.repaint()
    this.paintMap()
    this.resting()
  }

  private begin(): void {
    if (!this.scene!.structure.nodes.length) return
    const { wanted } = this
    this.wanted = null
    if (wanted) this.setView(wanted)
    else this.read(false)
  }

  look(selected: Selection | null): void {
    this.selected = selected
    this.painter.look({ selected, first: new Map(this.first) })
    this.repaint()
  }

  /** Lights a part; the other parts fade or stay unchanged. */
  light(lit: Lit | null, fade = true): void {
    this.parts.host.classList.toggle('fading', !!lit && fade)
    if (lit === this.lit) return
    this.lit = lit
    this.painter.lit(lit)
    this.painted.lit.dirty = true
    if (!lit) this.parts.lit.hidden = true
    this.request()
  }

  /** Scrolls the columns of a node. */
  scrollColumns(id: string, first: number): void {
    if (first === (this.first.get(id) ?? 0)) return
    this.first.set(id, first)
    this.look(this.selected)
    this.updateElements(this.elements)
  }

  // ---------- the view

  get least(): number {
    return this.scene ? Math.min(LEAST, fitting(this.scene.solved.bounds, this.size).zoom * 0.8) : LEAST
  }

  /** Goes to a view, at once or in a smooth movement. */
  setView(view: View, smooth = false): void {
    if (!this.scene?.structure.nodes.length) this.wanted = view
    this.fitted = false
    this.opened = false
    if (smooth && !this.reduced.matches && this.ready) {
      this.parts.world.classList.add('moving')
      this.flight = { from: this.view, to: view, since: performance.now() }
      this.request()
      return
    }
    this.flight = null
    this.to(view)
  }

  panBy(dx: number, dy: number): void {
    this.free()
    const { x, y, zoom } = this.view
    this.to({ x: x - dx / zoom, y: y - dy / zoom, zoom })
  }

  zoomAt(factor: number, dx: number, dy: number): void {
    this.free()
    this.to(zoomedAt(this.view, factor, dx, dy, this.least))
  }

  fit(smooth = true): void {
    if (!this.scene?.structure.nodes.length || !this.size.width) return
    // The controls need room at the left.
    this.setView(fitting(this.scene.solved.bounds, this.size, 24, this.size.width > 640 ? 64 : 24), smooth)
    this.fitted = true
  }

  /** Shows as much of the graph as can be read at once: all of it, or the part around the start with names. */
  read(smooth = true): void {
    if (!this.scene?.structure.nodes.length || !this.size.width) return
    const { structure, solved } = this.scene
    const start = structure.nodes.findIndex((node) => node.start)
    if (structure.nodes.length > READABLE_NODES && start < 0) return this.fit(smooth)
    const view = readingView(solved.bounds, this.size, start < 0 ? null : this.scene.boxOf(start), READING)
    this.setView(view, smooth)
    this.opened = true
  }

  /** Shows some nodes as large as possible. If they would be too small to be read, shows only the nodes in the middle. */
  frame(ids: readonly string[]): boolean {
    const boxes = ids.flatMap((id) => {
      const v = this.scene?.structure.index.get(id)
      return v === undefined ? [] : [this.scene!.boxOf(v)]
    })
    const first = boxes[0]
    if (!first || !this.size.width) return false
    const all = boxes.reduce((one, other) => ({ left: Math.min(one.left, other.left), top: Math.min(one.top, other.top), right: Math.max(one.right, other.right), bottom: Math.max(one.bottom, other.bottom) }))
    this.setView(readingView(all, this.size, first, READING), true)
    return true
  }

  private free(): void {
    this.flight = null
    this.fitted = false
    this.opened = false
  }

  private to(view: View): void {
    this.view = this.scene ? kept(view, this.scene.solved.bounds, this.size) : view
    this.parts.world.classList.add('moving')
    this.resting()
    this.request()
  }

  private resting(): void {
    clearTimeout(this.timer)
    this.timer = window.setTimeout(() => this.rest(), REST)
  }

  private rest(): void {
    if (this.closed || !this.ready) return
    if (this.flight || this.shift) return this.resting()
    this.parts.world.classList.remove('moving')
    const next = this.nearest()
    if (next.length !== this.elements.length || next.some((v, i) => v !== this.elements[i])) {
      this.elements = next
      this.painted.all.dirty = true
      this.painted.lit.dirty = true
    }
    this.request()
    this.hooks.onrest(this.view)
  }

  private resize(width: number, height: number): void {
    if (width === this.size.width && height === this.size.height) return
    const first = !this.size.width
    this.size = { width, height }
    if (this.opened) this.read(false)
    else if (first || this.fitted) this.fit(false)
    this.repaint()
  }

  // ---------- places

  /** The point of the drawing at a point of the window. */
  point(clientX: number, clientY: number): { x: number; y: number } {
    const box = this.parts.host.getBoundingClientRect()
    const { x, y, zoom } = this.view
    return { x: x + (clientX - box.left - box.width / 2) / zoom, y: y + (clientY - box.top - box.height / 2) / zoom }
  }

  hit(clientX: number, clientY: number): Hit | null {
    if (!this.scene) return null
    const { x, y } = this.point(clientX, clientY)
    const detail = detailAt(this.view.zoom) !== 'far'
    return this.scene.at(x, y, Math.min(60, 6 / this.view.zoom), detail, (id) => this.first.get(id) ?? 0)
  }

  /** The nodes that become elements: visible and near, the nearest to the middle first, and the held one. */
  private nearest(): number[] {
    const { scene, view, size } = this
    if (!scene || detailAt(view.zoom) !== 'near') return []
    const w = size.width / 2 / view.zoom
    const h = size.height / 2 / view.zoom
    const seen = scene.nodesIn({ left: view.x - w, top: view.y - h, right: view.x + w, bottom: view.y + h })
    const { x, y } = scene.solved
    const far = (v: number) => Math.hypot(x[v]! + NODE_WIDTH / 2 - view.x, y[v]! + 28 - view.y)
    seen.sort((v, w) => far(v) - far(w) || v - w)
    const chosen: number[] = []
    let rows = 0
    for (const v of seen) {
      rows += scene.structure.nodes[v]!.columns?.length ? 20 : 0
      if (chosen.length === ELEMENTS || rows > ELEMENT_ROWS) break
      chosen.push(v)
    }
    const held = this.held === null ? undefined : scene.structure.index.get(this.held)
    if (held !== undefined && !chosen.includes(held)) chosen.push(held)
    // In the order of reading, for people who go through them with the keyboard.
    return chosen.sort((v, w) => x[v]! - x[w]! || y[v]! - y[w]!)
  }

  // ---------- painting

  private repaint(): void {
    this.painted.all.dirty = true
    this.painted.lit.dirty = true
    this.request()
  }

  private request(): void {
    if (!this.requested && !this.closed) this.requested = requestAnimationFrame((now) => this.tick(now))
  }

  private tick(now: number): void {
    this.requested = 0
    if (this.flight) {
      const t = Math.max(0, (now - this.flight.since) / VIEW_TIME)
      this.view = onTheWay(this.flight.from, this.flight.to, t)
      if (t >= 1) this.flight = null
      this.resting()
      this.request()
    }
    if (this.shift) this.painted.all.dirty = this.painted.lit.dirty = true
    if (!this.ready || !this.size.width) return
    this.moveLayers()
    this.hooks.onview(this.view)
    this.ask('all')
    if (this.lit) this.ask('lit')
  }

  private ask(layer: 'all' | 'lit'): void {
    const state = this.painted[layer]
    if (state.busy || !(state.dirty || this.outgrown(state.frame))) return
    state.busy = true
    state.dirty = false
    const frame = this.frameNow()
    const elements = this.elements
    const scene = this.scene!
    const shift = this.shift
    const t = shift ? Math.min(1, (performance.now() - shift.since) / MOVE_TIME) : 1
    const eased = 1 - (1 - t) ** 3
    // The painter reports its failures. The stage asks again after the next change.
    const free = () => void (state.busy = false)
    void this.painter.paint(layer, frame, elements, t === 1 ? 1 : eased).then((bitmap) => {
      state.busy = false
      if (this.closed) return bitmap.close()
      state.frame = frame
      this.put(this.parts[layer === 'all' ? 'base' : 'lit'], bitmap, frame)
      this.parts.world.style.setProperty('--least-text', `${LEAST_TEXT / frame.zoom}px`)
      if (layer === 'lit') this.parts.lit.hidden = !this.lit
      else if (scene === this.scene) this.updateElements(elements, shift && t < 1 ? between(shift.old, scene.solved, eased) : undefined)
      if (t === 1 && shift && shift === this.shift) this.shift = null
      this.moveLayers()
      this.request()
    }, free)
  }

  private updateElements(elements: readonly number[], at?: Positions): void {
    if (this.scene) this.hooks.onelements(this.scene, elements, at ?? this.scene.solved)
  }

  /** The part that the next bitmap shows: the view and some room around it. */
  private frameNow(): Frame {
    const ratio = Math.min(2, window.devicePixelRatio || 1)
    const room = ratio > 1 ? 0.15 : 0.25
    const { view, size } = this
    const mx = Math.round(size.width * room)
    const my = Math.round(size.height * room)
    const width = Math.ceil(size.width) + 2 * mx
    const height = Math.ceil(size.height) + 2 * my
    const left = view.x - size.width / 2 / view.zoom - mx / view.zoom
    const top = view.y - size.height / 2 / view.zoom - my / view.zoom
    return { left, top, zoom: view.zoom, width, height, ratio }
  }

  /** Whether a new bitmap is needed: the scale is another one, or the view comes near the border. */
  private outgrown(frame: Frame | null): boolean {
    if (!frame) return true
    const { view, size } = this
    if (Math.abs(frame.zoom / view.zoom - 1) > 1e-6) return true
    const left = (view.x - frame.left) * view.zoom - size.width / 2
    const top = (view.y - frame.top) * view.zoom - size.height / 2
    const right = frame.width - size.width - left
    const bottom = frame.height - size.height - top
    return Math.min(left, right) < size.width * 0.06 || Math.min(top, bottom) < size.height * 0.06
  }

  private put(canvas: HTMLCanvasElement, bitmap: ImageBitmap, frame: Frame): void {
    if (canvas.width !== bitmap.width) canvas.width = bitmap.width
    if (canvas.height !== bitmap.height) canvas.height = bitmap.height
    canvas.style.width = `${frame.width}px`
    canvas.style.height = `${frame.height}px`
    canvas.getContext('bitmaprenderer')!.transferFromImageBitmap(bitmap)
  }

  /** Moves bitmaps and elements to their places in the view. */
  private moveLayers(): void {
    const { view, size, parts } = this
    const ratio = window.devicePixelRatio || 1
    const whole = (value: number) => Math.round(value * ratio) / ratio
    const left = view.x - size.width / 2 / view.zoom
    const top = view.y - size.height / 2 / view.zoom
    for (const [canvas, { frame }] of [[parts.base, this.painted.all], [parts.lit, this.painted.lit]] as const) {
      if (!frame) continue
      const scale = view.zoom / frame.zoom
      canvas.style.transform = `translate(${whole((frame.left - left) * view.zoom)}px, ${whole((frame.top - top) * view.zoom)}px) scale(${scale})`
    }
    parts.world.style.transform = `translate(${whole(-left * view.zoom)}px, ${whole(-top * view.zoom)}px) scale(${view.zoom})`
  }

  private paintMap(): void {
    const { map } = this.parts
    if (!map || !this.scene || !map.clientWidth) return
    const ratio = window.devicePixelRatio || 1
    const { clientWidth: width, clientHeight: height } = map
    void this.painter.map(width, height, ratio).then((bitmap) => {
      if (this.closed) return bitmap.close()
      map.width = bitmap.width
      map.height = bitmap.height
      map.getContext('bitmaprenderer')!.transferFromImageBitmap(bitmap)
    }, () => undefined)
  }
}
