// A view as the query of an address, and back. Parts that cannot be read get their default and are counted,
// so that the page can report them.

import { momentOf } from '../../lib/times'
import type { Direction } from './known'
import { allHops, defaultView, dimensions, type Dimension, type Grouping, groupings, type Selection, shownAtOnce, type View } from './view'

export type Query = Record<string, string | readonly string[] | undefined>

/** The middle of the view: a point beside a node, because layouts differ, and the scale. */
export interface Place {
  node: string
  x: number
  y: number
  zoom: number
}

/** A list in an address has at most this many entries: servers and mail programs cut long addresses. */
const most = 150
const mostShown = 10_000

const node = '[A-Za-z0-9_-]{6}'
const at = new RegExp(`^([ud])(\\d{0,4})(${node})$`)

const letter = (direction: Direction) => (direction === 'up' ? 'u' : 'd')
const hops = (count: number) => (count >= allHops ? 'all' : String(count))

/** The parts of a list that an address holds, the newest. */
const last = <T>(list: readonly T[]): readonly T[] => list.slice(-most)

/** Whether an address would leave parts of the view out. */
export function tooLong(view: View): boolean {
  return [view.expanded, view.closed, view.unfolded, view.picked, view.hidden, view.opened, view.ungrouped].some((list) => list.length > most)
}

export function toQuery(view: View, place?: Place): Query {
  const filters: Query = {}
  for (const dimension of dimensions) filters[dimension] = view.filters[dimension]
  return {
    up: view.up === defaultView.up ? undefined : hops(view.up),
    down: view.down === defaultView.down ? undefined : hops(view.down),
    // The oldest expansions are kept: later ones begin at the nodes that they showed.
    open: view.expanded
      .slice(0, most)
      .map(({ node, direction, hops }) => letter(direction) + (hops === 1 ? '' : hops) + node)
      .join('.'),
    shut: last(view.closed)
      .map(({ node, direction }) => letter(direction) + node)
      .join('.'),
    more: last(view.unfolded)
      .map(({ node, direction, count }) => letter(direction) + Math.min(count, 9999) + node)
      .join('.'),
    with: last(view.picked).join('.'),
    without: last(view.hidden).join('.'),
    columns: last(view.opened).join('.'),
    ...filters,
    max: view.limit === shownAtOnce ? undefined : String(view.limit),
    asOf: view.asOf === undefined ? undefined : String(view.asOf),
    jobs: view.jobs ? 'nodes' : undefined,
    siblings: view.apart ? 'apart' : undefined,
    group: view.groupBy,
    ungrouped: last(view.ungrouped).join('.'),
    unmatched: view.taken ? 'hidden' : undefined,
    only: view.touching ? 'column' : undefined,
    panel: view.wide ? 'closed' : undefined,
    at: selectionText(view.selection),
    view: place ? [place.node, Math.round(place.x), Math.round(place.y), Number(place.zoom.toPrecision(3))].join('_') : undefined,
  }
}

function selectionText(selection: Selection | undefined): string | undefined {
  switch (selection?.kind) {
    case 'node':
      return selection.node
    case 'edge':
      return [selection.up, selection.down, ...(selection.fromColumn === undefined ? [] : [selection.fromColumn, selection.toColumn ?? ''])]
        .map(encodeURIComponent)
        .join(':')
    case 'column':
      return `${selection.node}/${selection.column}`
    case 'fold':
      return `${letter(selection.direction)}.${selection.node}`
  }
  return undefined
}

export interface Read {
  view: View
  place: Place | undefined
  /** Parameters of the address that could not be read. */
  invalid: string[]
}

export function fromQuery(search: URLSearchParams): Read {
  const invalid: string[] = []

  const one = <T>(name: string, otherwise: T, read: (text: string) => T | undefined): T => {
    const text = search.get(name)
    if (text === null || text === '') return otherwise
    const value = read(text)
    if (value !== undefined) return value
    invalid.push(name)
    return otherwise
  }
  const list = <T>(name: string, read: (text: string) => T | undefined): T[] =>
    one<T[]>(name, [], (text) => {
      const values: T[] = []
      for (const part of text.split('.').slice(0, 2 * most)) {
        const value = read(part)
        if (value === undefined) return undefined
        values.push(value)
      }
      return values
    })

  const distance = (text: string) => (text === 'all' ? allHops : whole(text, 0, allHops))
  const is = (word: string) => (text: string) => (text === word ? true : undefined)
  const plain = (text: string) => (new RegExp(`^${node}$`).test(text) ? text : undefined)
  const filters: Partial<Record<Dimension, readonly string[]>> = {}
  for (const dimension of dimensions) {
    const values = search.getAll(dimension).filter(Boolean)
    if (values.length > 0) filters[dimension] = values
  }

  const view: View = {
    up: one('up', defaultView.up, distance),
    down: one('down', defaultView.down, distance),
    expanded: list('open', (text) => numbered(text, 1)).map(({ count, ...rest }) => ({ ...rest, hops: Math.min(count, allHops) })),
    closed: list('shut', (text) => numbered(text, 1)).map(({ node, direction }) => ({ node, direction })),
    unfolded: list('more', (text) => numbered(text, 0)),
    picked: list('with', plain),
    hidden: list('without', plain),
    opened: list('columns', plain),
    filters,
    limit: one('max', defaultView.limit, (text) => whole(text, 1, mostShown)),
    asOf: one<number | undefined>('asOf', undefined, momentOf),
    jobs: one('jobs', false, is('nodes')),
    apart: one('siblings', false, is('apart')),
    groupBy: one<Grouping | undefined>('group', undefined, (text) => groupings.find((one) => one === text)),
    ungrouped: list('ungrouped', plain),
    taken: one('unmatched', false, is('hidden')),
    touching: one('only', false, is('column')),
    wide: one('panel', false, is('closed')),
    selection: one<Selection | undefined>('at', undefined, selectionOf),
  }
  return { view, place: one<Place | undefined>('view', undefined, placeOf), invalid }
}

function whole(text: string, least: number, greatest: number): number | undefined {
  if (!/^\d{1,15}$/.test(text)) return undefined
  const value = Number(text)
  return value >= least && value <= greatest ? value : undefined
}

function numbered(text: string, otherwise: number): { node: string; direction: Direction; count: number } | undefined {
  const match = at.exec(text)
  if (!match) return undefined
  return { direction: match[1] === 'u' ? 'up' : 'down', count: match[2] ? Number(match[2]) : otherwise, node: match[3] ?? '' }
}

function selectionOf(text: string): Selection | undefined {
  const column = new RegExp(`^(${node})/(.+)$`, 's').exec(text)
  if (column) return { kind: 'column', node: column[1] ?? '', column: column[2] ?? '' }
  const fold = new RegExp(`^([ud])\\.(${node})$`).exec(text)
  if (fold) return { kind: 'fold', direction: fold[1] === 'u' ? 'up' : 'down', node: fold[2] ?? '' }
  const edge = new RegExp(`^(${node}):(${node})(?::([^:]+):([^:]+))?$`).exec(text)
  if (edge) return edgeOf(edge)
  if (new RegExp(`^${node}$`).test(text)) return { kind: 'node', node: text }
  return undefined
}

function edgeOf([, up = '', down = '', from, to]: readonly (string | undefined)[]): Selection | undefined {
  if (from === undefined || to === undefined) return { kind: 'edge', up, down }
  try {
    return { kind: 'edge', up, down, fromColumn: decodeURIComponent(from), toColumn: decodeURIComponent(to) }
  } catch {
    return undefined
  }
}

function placeOf(text: string): Place | undefined {
  const match = new RegExp(`^(${node})_(-?\\d{1,6})_(-?\\d{1,6})_(\\d*\\.?\\d+)$`).exec(text)
  if (!match) return undefined
  const zoom = Number(match[4])
  return zoom > 0 && zoom <= 20 ? { node: match[1] ?? '', x: Number(match[2]), y: Number(match[3]), zoom } : undefined
}
