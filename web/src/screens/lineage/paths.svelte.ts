// The paths of columns that were read, and the path of the column under the pointer.

import { readPath } from './api'
import type { ColumnPath } from './columns'

/** The most paths that are kept. */
const mostPaths = 100
/** For how many milliseconds a column is pointed at before its path is read. */
const hoverDelay = 120

export class Paths {
  /** The path of the column that is pointed at, once it is read. */
  hovered: ColumnPath | undefined = $state.raw(undefined)
  #read = new Map<string, Promise<ColumnPath>>()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The column that is pointed at: an answer for another one comes too late. */
  #pointed: string | undefined

  /** Reads the path of a column, once. */
  of(column: string, asOf: number | undefined, signal: AbortSignal): Promise<ColumnPath> {
    const known = this.#read.get(column)
    if (known) return known
    const read = readPath(column, asOf, signal)
    this.#read.set(column, read)
    read.catch(() => this.#read.delete(column))
    if (this.#read.size > mostPaths) this.#read.delete(this.#read.keys().next().value ?? '')
    return read
  }

  /** Lights the path of a column while it is pointed at; undefined: none is. */
  point(column: string | undefined, asOf: number | undefined, signal: AbortSignal): void {
    clearTimeout(this.#timer)
    this.#pointed = column
    if (column === undefined) {
      this.hovered = undefined
      return
    }
    const light = (path: ColumnPath | undefined) => {
      if (this.#pointed === column) this.hovered = path
    }
    this.#timer = setTimeout(() => {
      this.of(column, asOf, signal).then(light, () => light(undefined))
    }, hoverDelay)
  }

  /** Forgets the paths that were read, which may be old by now. */
  forget(): void {
    this.#read.clear()
  }

  /** Points at nothing any more. */
  close(): void {
    clearTimeout(this.#timer)
    this.hovered = undefined
    this.#pointed = undefined
  }
}
