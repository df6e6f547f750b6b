import { SvelteMap } from 'svelte/reactivity'
import { aborted, messageOf } from '../../lib/graphql'
import { amount } from '../../lib/words'
import { linesOf, type Line, type Opened, type TreeNode } from '../browse/tree'
import { holds, type Hierarchy } from './kinds'
import { idIn, lineOf, parentOf, urnOf } from './moves'
import { childrenOf, placeOf, type Node } from './reads'

/** The last part of the id of the line that offers to read more children. */
const rest = 'rest'

/** A tree whose nodes are read when they are opened. */
export class Growth {
  readonly opened = new SvelteMap<string, Opened>()
  #roots = $state.raw<TreeNode[]>()
  error = $state('')
  busy = $state(false)
  #control = new AbortController()

  readonly lines: Line[] = $derived(linesOf(this.#roots ?? [], this.opened))

  constructor(readonly tree: Hierarchy) {}

  get known(): boolean {
    return this.#roots !== undefined
  }

  /** Reads the tree again; open nodes stay open. */
  async read(open: readonly string[] = [...this.opened.keys()]): Promise<void> {
    this.#control.abort()
    const control = new AbortController()
    this.#control = control
    this.busy = true
    try {
      const roots = await this.#children('', 0)
      const found = new Map<string, Opened>()
      // Level by level from the top, so that no children of a deleted node are read.
      let level = roots
      while (level.length > 0) {
        const wanted = level.filter((node) => node.read && open.includes(node.id))
        const read = await Promise.all(wanted.map(async (node) => [node.id, await this.#children(node.id, 0)] as const))
        for (const [id, children] of read) found.set(id, { children, error: '' })
        level = read.flatMap(([, children]) => children)
      }
      if (control.signal.aborted) return
      this.#roots = roots
      this.opened.clear()
      for (const [id, state] of found) this.opened.set(id, state)
      this.error = ''
    } catch (failure) {
      if (control.signal.aborted || aborted(failure)) return
      this.error = messageOf(failure)
    }
    this.busy = false
  }

  /** Opens the nodes above a node, so that the node is seen; without a node, only reads the tree. */
  async reveal(urn: string): Promise<void> {
    if (!this.known) await this.read([])
    if (!urn || lineOf(this.lines, urn) >= 0) return
    try {
      const place = await placeOf(urn, this.#control.signal)
      const ids: string[] = []
      for (const one of place?.above ?? []) ids.push(idIn(ids.at(-1) ?? '', one.urn))
      if (ids.length > 0) await this.read([...this.opened.keys(), ...ids])
    } catch {
      // The pane beside the tree says that the node cannot be read.
    }
  }

  stop(): void {
    this.#control.abort()
  }

  async open(id: string): Promise<void> {
    this.opened.set(id, { children: undefined, error: '' })
    try {
      const children = await this.#children(id, 0)
      // The node may have been closed meanwhile.
      if (this.opened.has(id)) this.opened.set(id, { children, error: '' })
    } catch (failure) {
      if (aborted(failure) || !this.opened.has(id)) return
      this.opened.set(id, { children: undefined, error: messageOf(failure) })
    }
  }

  close(id: string): void {
    for (const one of [...this.opened.keys()]) if (one === id || one.startsWith(`${id}␟`)) this.opened.delete(one)
  }

  /** Whether a line only offers to read more children. */
  offers(id: string): boolean {
    return urnOf(id) === rest
  }

  /** Reads the children that a line offers. */
  async more(id: string): Promise<void> {
    const parent = parentOf(id)
    const known = (parent ? this.opened.get(parent)?.children : this.#roots) ?? []
    const shown = known.filter((node) => node.id !== id)
    try {
      const all = [...shown, ...(await this.#children(parent, shown.length))]
      if (parent) this.opened.set(parent, { children: all, error: '' })
      else this.#roots = all
    } catch (failure) {
      if (aborted(failure)) return
      this.error = messageOf(failure)
    }
  }

  async #children(parent: string, start: number): Promise<TreeNode[]> {
    const page = await childrenOf(this.tree, parent ? urnOf(parent) : undefined, start, this.#control.signal)
    const nodes = page.nodes.map((node) => this.#node(parent, node))
    const left = page.total - start - page.nodes.length
    if (left > 0 && page.nodes.length > 0) nodes.push({ id: idIn(parent, rest), label: `Show ${amount(left, 'more', 'more')}`, count: left, href: this.tree.address() })
    return nodes
  }

  #node(parent: string, node: Node): TreeNode {
    const id = idIn(parent, node.urn)
    return {
      id,
      label: node.name,
      count: node.held,
      href: this.tree.address({ at: node.urn }),
      type: node.type,
      ...(holds(this.tree, node.type) ? { read: () => this.#children(id, 0) } : {}),
    }
  }
}
