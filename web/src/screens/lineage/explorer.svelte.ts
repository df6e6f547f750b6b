// One exploration: it holds the view, reads the parts of the graph that the view needs, and
// computes the shown graph. It knows nothing of addresses or elements, so that any screen can show
// such a graph.

import { aborted, messageOf, RequestError } from '../../lib/graphql'
import type { Graph, Lit } from '../../graph/types'
import { structureOf, sameShape } from '../../graph/structure'
import { around, readColumns, readPlaces, readSeen, readSiblings } from './api'
import { arrange, arrangeLit, type Arranged } from './arrange'
import { arrangementOf } from './arrangement'
import { columnOf, columnUrn } from '../../lib/columns'
import { number } from '../../lib/words'
import type { ColumnPath, ColumnsOf } from './columns'
import { draw, litBy } from './drawing'
import { type Answer, type Direction, Known, type LineageNode, type Places, short, type Sibling } from './known'
import { type Notice, noticesOf } from './notices'
import { show, type Shown } from './shown'
import { Elsewhere } from './elsewhere.svelte'
import { Paths } from './paths.svelte'
import { type Anew, keyColumns, learnPath, readBetween, readInParts, readSurroundings, viewWith } from './reading'
import * as views from './view'
import type { View } from './view'
import { type Request, unresolved, wanted } from './wanted'

interface Change {
  /** The node that must not move. */
  anchor?: string
  /** The last step in words, for the live region. */
  said?: string
  /** Not a step that undo takes back, such as a selection. */
  passing?: boolean
}

/** Of larger graphs, the others are drawn singly. */
const aboutMost = 600
const undoSteps = 50
/** The key of the failure to read changes by others. */
const changedElsewhere = 'elsewhere'
const siblingKey = 'sibling '
const placeKey = 'place '
const seenKey = 'seen '

export class Explorer {
  /** The entity that the view began at. */
  readonly root: string
  view: View = $state.raw(views.defaultView)
  /** The failure to read the start. */
  error: unknown = $state.raw(undefined)
  loaded = $state(false)
  /** Whether every part that the first view needs was read, or has failed. */
  ready = $state(false)
  /** The last step in words, for screen readers. */
  said = $state('')
  anchor: string | null = $state(null)
  columns: ReadonlyMap<string, ColumnsOf> = $state.raw(new Map())
  path: ColumnPath | undefined = $state.raw(undefined)
  /** Failures after the start, the newest last. */
  failures: readonly { text: string; at: string }[] = $state.raw([])
  // The known graph changes in place, so #learn wraps it anew: then everything that depends on it
  // is computed again.
  /** The siblings of entities in other systems. */
  siblings: ReadonlyMap<string, Sibling> = $state.raw(new Map())
  /** The container, domain or other group of each entity, once the view groups by it. */
  #places: ReadonlyMap<string, Places> = $state.raw(new Map())
  #graph: { known: Known } = $state.raw({ known: new Known() })
  #pending: ReadonlyMap<string, string> = $state.raw(new Map())
  #partial: ReadonlyMap<string, { urn: string; reason: string; missing: number }> = $state.raw(new Map())
  #note = $state('')
  #lost = $state(0)
  #invalid: readonly string[] = $state.raw([])
  #history: readonly View[] = $state.raw([])
  #done = new Set<string>()
  /** Whether the user filters by the time at which runs have written entities. */
  #seenWanted = false
  #paths = new Paths()
  #control = new AbortController()
  #saying: { text: string; before: number } | undefined

  constructor(root: string, view: View, options: { invalid?: readonly string[] } = {}) {
    this.root = root
    this.view = view
    this.#invalid = options.invalid ?? []
    this.#elsewhere.follow(this.#control.signal)
    this.#read()
  }

  // ---- changes made elsewhere ----

  /** Shows the changes by others. */
  showElsewhere(): void {
    const ahead = this.#elsewhere.take()
    if (!ahead) return
    const { selection } = this.view
    this.anchor = selection && 'node' in selection ? (this.all.long(selection.node) ?? null) : null
    if (!ahead.anew.known.nodes.has(this.root)) return this.retry()
    this.said = ahead.text
    this.#replace(ahead.anew)
  }

  /** The changes by others that are not shown yet, in words. */
  get elsewhere(): string | undefined {
    return this.#elsewhere.text
  }

  #elsewhere = new Elsewhere({
    explorer: this,
    withPath: (path, known) => this.#withPath(path, known),
    moves: ({ known, columns, path }, shown) => {
      const graph = this.#arrange(known, this.#draw(known, shown, columns, path), path).graph
      return !sameShape(structureOf(graph), structureOf(this.graph))
    },
    replace: (anew) => this.#replace(anew),
    failed: (error) => {
      const others = this.failures.filter(({ at }) => at !== changedElsewhere)
      this.failures = error === undefined ? others : [...others, { at: changedElsewhere, text: `What changed elsewhere could not be read: ${messageOf(error)}` }]
    },
  })

  #replace(anew: Anew): void {
    // Other parts that were read may be old by now, and are read again when the view wants them again.
    this.#done = new Set([...anew.done, ...[...this.#done].filter((key) => key.startsWith(siblingKey) || key.startsWith(placeKey))])
    this.#paths.forget()
    this.columns = anew.columns
    if (this.view.selection?.kind !== 'edge') this.path = anew.path
    this.#graph = { known: anew.known }
    this.#read()
  }

  /** Gives up the open reads. */
  close(): void {
    this.#control.abort()
    this.#paths.close()
  }

  shown: Shown = $derived.by(() => {
    return show(this.all, this.root, this.#withPath())
  })

  busy: ReadonlySet<string> = $derived(new Set(this.#pending.values()))
  reading = $derived(this.#pending.size > 0)
  canUndo = $derived(this.#history.length > 0)

  /** The shown graph, node by node. */
  #drawn: Graph = $derived.by(() => (this.loaded ? this.#draw(this.all, this.shown, this.columns, this.path) : { nodes: [], edges: [] }))

  #draw(known: Known, shown: Shown, columns: ReadonlyMap<string, ColumnsOf>, path: ColumnPath | undefined): Graph {
    return draw({ known, root: this.root, view: this.view, shown, busy: this.busy, columns, path })
  }

  arranged: Arranged = $derived.by(() => this.#arrange(this.all, this.#drawn, this.path))

  #arrange(known: Known, drawn: Graph, path: ColumnPath | undefined): Arranged {
    return arrange(drawn, arrangementOf({ known, root: this.root, view: this.view, siblings: this.siblings, places: this.#places, path, drawn }))
  }

  get graph(): Graph {
    return this.arranged.graph
  }

  lit: Lit | null = $derived.by(() => {
    const path = this.hovered ?? this.path
    return path ? arrangeLit(litBy(this.all, path), this.arranged) : null
  })

  notices: readonly Notice[] = $derived.by(() => {
    return noticesOf({
      note: this.#note,
      shown: this.shown.nodes.size,
      cut: this.shown.cut,
      partial: [...this.#partial].map(([id, { urn, reason, missing }]) => ({ id, name: this.#name(urn), reason, missing })),
      failures: this.failures,
      invalid: this.#invalid,
      lost: this.reading ? 0 : this.#lost,
      showMore: () => this.showMore(),
      again: () => this.retryFailed(),
      dismiss: () => this.dismiss(),
    })
  })

  get start(): LineageNode | undefined {
    return this.all.nodes.get(this.root)
  }

  node(urn: string): LineageNode | undefined {
    return this.all.nodes.get(urn)
  }

  /** The known graph, for computations; reactive. */
  get all(): Known {
    return this.#graph.known
  }

  // ---- changes of the view ----

  change(next: View, { anchor, said, passing }: Change = {}): void {
    if (next === this.view) return
    if (!passing) this.#history = [...this.#history.slice(1 - undoSteps), this.view]
    const moved = next.asOf !== this.view.asOf
    this.anchor = anchor ?? null
    if (said !== undefined) this.#saying = { text: said, before: moved ? 0 : this.shown.nodes.size }
    this.view = next
    this.#lost = 0
    if (moved) this.#forget()
    this.#read()
    this.#elsewhere.viewed()
  }

  undo(): void {
    const last = this.#history.at(-1)
    if (!last) return
    const history = this.#history.slice(0, -1)
    this.change({ ...last, selection: this.view.selection }, { said: 'Undone' })
    this.#history = history
  }

  expand(urn: string, direction: Direction, hops = 1): void {
    for (const key of this.#done) if (key.endsWith(' ' + urn)) this.#forgetFailure(key)
    const far = hops >= views.allHops ? 'everything ' : ''
    this.change(views.expand(this.view, short(urn), direction, hops, urn === this.root), {
      anchor: urn,
      said: `Opened ${far}${direction === 'up' ? 'upstream' : 'downstream'} of ${this.#name(urn)}`,
    })
  }

  collapse(urn: string, direction: Direction): void {
    this.change(views.collapse(this.view, short(urn), direction), {
      anchor: urn,
      said: `Closed what is ${direction === 'up' ? 'upstream' : 'downstream'} of ${this.#name(urn)}`,
    })
  }

  expandAll(direction: Direction): void {
    this.change(views.expandAll(this.view, direction), { said: `One more hop ${direction === 'up' ? 'upstream' : 'downstream'}` })
  }

  unfold(urn: string, direction: Direction, more: number): void {
    this.change(views.unfold(this.view, short(urn), direction, more), { anchor: urn, said: `Unfolded at ${this.#name(urn)}` })
  }

  refold(urn: string, direction: Direction): void {
    this.change(views.refold(this.view, short(urn), direction), { anchor: urn, said: `Folded at ${this.#name(urn)}` })
  }

  hide(urn: string): void {
    if (urn === this.root) return
    this.change(views.hide(this.view, short(urn)), { said: `${this.#name(urn)} is hidden` })
  }

  showHidden(): void {
    this.change({ ...this.view, hidden: [] }, { said: 'Hidden nodes are shown again' })
  }

  /** Shows nodes wherever they are, such as some of a fold. */
  pick(urns: readonly string[]): void {
    this.change(views.pick(this.view, urns.map(short)), { said: 'Shown in the graph' })
  }

  openColumns(urn: string, open: boolean): void {
    const name = this.#name(urn)
    this.change(views.openColumns(this.view, short(urn), open), { anchor: urn, said: open ? `Columns of ${name} are open` : `Columns of ${name} are closed` })
  }

  filter(dimension: views.Dimension, value: string): void {
    this.change(views.toggleFilter(this.view, dimension, value))
  }

  unfilter(): void {
    this.change({ ...this.view, filters: {} }, { said: 'No filters' })
  }

  /** Changes the arrangement of the shown graph. */
  arrange(next: Partial<Pick<View, 'jobs' | 'apart' | 'groupBy' | 'ungrouped' | 'taken' | 'touching' | 'wide'>>, said?: string): void {
    this.change({ ...this.view, ...next }, { ...(said === undefined ? {} : { said }), passing: 'wide' in next })
  }

  select(selection: views.Selection | undefined): void {
    if (views.sameSelection(selection, this.view.selection)) return
    this.change({ ...this.view, selection }, { passing: true, ...(selection && 'node' in selection ? { anchor: this.all.long(selection.node) ?? '' } : {}) })
  }

  selectNode(urn: string): void {
    this.select({ kind: 'node', node: short(urn) })
  }

  selectColumn(urn: string, column: string): void {
    this.select({ kind: 'column', node: short(urn), column })
  }

  showMore(): void {
    this.change({ ...this.view, limit: this.view.limit + views.shownAtOnce }, { said: 'More is shown' })
  }

  /** The path of the column that is pointed at. */
  get hovered(): ColumnPath | undefined {
    return this.#paths.hovered
  }

  /** Lights the path of a column while it is pointed at. */
  hover(urn: string, column: string | null): void {
    this.#paths.point(column === null ? undefined : columnUrn(urn, column), this.view.asOf, this.#control.signal)
  }

  retry(): void {
    this.#forget()
    this.#read()
  }

  /** Repeats the reads that failed after the start. */
  retryFailed(): void {
    const elsewhere = this.failures.some(({ at }) => at === changedElsewhere)
    for (const { at } of this.failures) this.#forgetFailure(at)
    if (elsewhere) void this.#elsewhere.read()
    this.#read()
  }

  dismiss(): void {
    this.#lost = 0
    this.#invalid = []
    this.failures = []
  }

  // ---- reading ----

  #forget(): void {
    this.#control.abort()
    this.error = undefined
    this.loaded = false
    this.failures = []
    this.#control = new AbortController()
    this.#elsewhere.follow(this.#control.signal)
    this.#graph = { known: new Known() }
    this.#done.clear()
    this.#paths.forget()
    this.#paths.close()
    this.#pending = new Map()
    this.#partial = new Map()
    this.columns = new Map()
    this.siblings = new Map()
    this.#places = new Map()
    this.path = undefined
    this.#note = ''
  }

  // Reads the parts that the view needs and lacks; again after each answer, because an answer may
  // show to which nodes later parts of the view belong.
  #read(): void {
    for (const request of wanted(this.all, this.root, this.view)) {
      if (this.#done.has(request.key)) continue
      this.#run(request.key, request.urn, async (signal) => {
        const answer = await around(request, this.view.asOf, signal)
        return () => this.#take(request, answer)
      })
    }
    for (const one of this.view.opened) {
      const urn = this.all.long(one)
      if (urn === undefined || this.#done.has(keyColumns(urn))) continue
      this.#run(keyColumns(urn), urn, async (signal) => {
        const columns = await readColumns(urn, this.view.asOf, signal)
        return () => (this.columns = new Map([...this.columns, [urn, columns]]))
      })
    }
    this.#readPath()
    if (this.#pending.size === 0) this.#settled()
  }

  #run(key: string, urn: string, read: (signal: AbortSignal) => Promise<() => void>): void {
    const { signal } = this.#control
    this.#done.add(key)
    this.#pending = new Map([...this.#pending, [key, urn]])
    const end = () => {
      const pending = new Map(this.#pending)
      pending.delete(key)
      this.#pending = pending
    }
    read(signal).then(
      (take) => {
        if (signal.aborted) return
        take()
        end()
        this.#read()
      },
      (error: unknown) => {
        if (signal.aborted || aborted(error)) return
        end()
        if (!this.loaded) this.error = error
        else this.failures = [...this.failures.filter(({ at }) => at !== key), { at: key, text: `${this.#name(urn)}: ${messageOf(error)}` }]
        this.#settled()
      },
    )
  }

  #learn(add: (known: Known) => void): void {
    add(this.all)
    this.#graph = { known: this.all }
  }

  // A failed read is repeated when the view wants the part again.
  #forgetFailure(key: string): void {
    if (!this.failures.some(({ at }) => at === key)) return
    this.#done.delete(key)
    this.failures = this.failures.filter(({ at }) => at !== key)
  }

  #take(request: Request, answer: Answer): void {
    const { urn, direction, hops } = request
    this.#learn((known) => known.add(answer, urn, direction ? [direction] : ['up', 'down'], hops))
    if (answer.partial) {
      const missing = Math.max(0, answer.total - answer.nodes.length)
      this.#partial = new Map([...this.#partial, [request.key, { urn, reason: answer.reason ?? 'the answer was cut', missing }]])
    }
    if (urn === this.root) {
      if (!this.all.nodes.has(urn)) this.error = new RequestError(`Nothing is known of ${urn}.`, 404)
      else this.loaded = true
      if (answer.note) this.#note = answer.note
    }
  }

  #settled(): void {
    if (!this.loaded || this.#pending.size > 0) return
    this.ready = true
    this.#elsewhere.settled()
    void this.#readBetween()
    void this.#readSiblings()
    if (this.#seenWanted || this.view.filters.seen) this.readSeen()
    if (this.view.groupBy === 'container' || this.view.groupBy === 'product') void this.#readPlaces()
    this.#lost = unresolved(this.all, this.view)
    const saying = this.#saying
    this.#saying = undefined
    if (!saying) return
    const now = this.shown.nodes.size
    const more = now - saying.before
    const change = more > 0 && saying.before > 0 ? `, ${number(more)} more` : ''
    this.said = `${saying.text}. ${number(now)} shown${change}.`
  }

  async #readBetween(): Promise<void> {
    const { signal } = this.#control
    const found = await readBetween(this.all, this.shown, this.#done, this.view.asOf, signal)
    if (!signal.aborted && found) this.#learn(() => {})
  }

  #readSiblings(): Promise<void> {
    return this.#readAbout(siblingKey, ({ type }) => type === 'dataset', readSiblings, (found) => (this.siblings = new Map([...this.siblings, ...found])))
  }

  #readPlaces(): Promise<void> {
    return this.#readAbout(placeKey, () => true, readPlaces, (found) => (this.#places = new Map([...this.#places, ...found])))
  }

  /** Reads when runs have written the shown entities last. A past moment has no such time. */
  readSeen(): void {
    this.#seenWanted = true
    if (!this.loaded || this.reading || this.view.asOf !== undefined) return
    void this.#readAbout(seenKey, () => true, readSeen, (found) => this.#learn((known) => known.addSeen(found)))
  }

  // The failure is shown beside the graph: nodes whose read fails are drawn one by one, as they are stored.
  async #readAbout<T>(key: string, of: (node: LineageNode) => boolean, read: (urns: readonly string[], signal: AbortSignal) => Promise<Map<string, T>>, learn: (found: Map<string, T>) => void): Promise<void> {
    const wanted = (urn: string) => {
      const node = this.all.nodes.get(urn)
      return node !== undefined && of(node) && !this.#done.has(key + urn)
    }
    const asked = [...this.shown.nodes.keys()].filter(wanted).slice(0, aboutMost)
    for (const urn of asked) this.#done.add(key + urn)
    await readInParts(asked, read, learn, this.#control.signal)
  }

  // ---- the path of the selected column ----

  #readPath(): void {
    const { selection } = this.view
    const urn = selection?.kind === 'column' ? this.all.long(selection.node) : undefined
    if (selection?.kind !== 'column' || urn === undefined) {
      if (selection?.kind !== 'edge') this.path = undefined
      return
    }
    const column = columnUrn(urn, selection.column)
    if (this.path?.start === column) return
    const key = `path ${column}`
    if (this.#pending.has(key)) return
    this.#run(key, urn, async () => {
      const path = await this.#paths.of(column, this.view.asOf, this.#control.signal)
      const surroundings = await readSurroundings(this.all, urn, path, this.view.asOf, this.#control.signal)
      return () => {
        this.#learn((known) => learnPath(known, urn, path, surroundings))
        const now = this.view.selection
        if (now?.kind === 'column' && now.node === selection.node && now.column === selection.column) this.path = path
      }
    })
  }

  // The view with the entities of the selected column's path.
  #withPath(path = this.path, all = this.all): View {
    return path ? viewWith(path, this.view, all) : this.view
  }

  #name(urn: string): string {
    const column = columnOf(urn)
    return column?.path ?? (this.all.nodes.get(urn)?.name || urn)
  }
}
