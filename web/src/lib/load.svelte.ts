import { replaceEqualDeep } from '@tanstack/query-core'
import { untrack } from 'svelte'
import { reads } from './cache'
import { aborted, messageOf } from './graphql'

/** A value that is read from the server again whenever its key changes. */
export interface Loaded<T> {
  /** The last answer; kept while the next one is awaited. */
  readonly value: T | undefined
  readonly error: string | undefined
  /** The HTTP status of the error. */
  readonly code: number | undefined
  readonly loading: boolean
  /** Whether an answer with changes made elsewhere waits, because showing it would move the text that somebody reads. */
  readonly changed: boolean
  /** Shows the waiting answer. */
  show(): void
  reload(): void
  /** Shows another value until the next answer, as after an edit. */
  set(value: T): void
}

/**
 * Reads while a component is shown. The values that `from` reads decide when it is read
 * again; an answer that is no longer wanted is given up. A value is also read again when it changes elsewhere. If
 * the new answer `moves` the content of the screen, it waits for show().
 */
export function load<K, T>(from: () => K, read: (key: K, signal: AbortSignal) => Promise<T>, options: { moves?: (before: T, after: T) => boolean } = {}): Loaded<T> {
  let value = $state.raw<T>()
  let held = $state.raw<T>()
  let error = $state.raw<unknown>()
  let loading = $state(true)
  let again = $state(0)
  let fresh = false
  let quiet = false

  $effect(() => {
    void again
    const key = from()
    const control = new AbortController()
    reads(control.signal, () => {
      quiet = true
      again++
    }, { fresh })
    // A reading because of a change elsewhere shows no sign of waiting.
    const elsewhere = quiet
    if (!elsewhere) loading = true
    fresh = false
    quiet = false
    read(key, control.signal).then(
      (answer) => {
        if (control.signal.aborted) return
        const before = untrack(() => value)
        held = elsewhere && before !== undefined && options.moves?.(before, answer) ? answer : undefined
        // Equal parts keep their identity, so that the screen does not build them again.
        if (held === undefined) value = before === undefined ? answer : replaceEqualDeep(before, answer)
        error = undefined
        loading = false
      },
      (failure: unknown) => {
        if (control.signal.aborted || aborted(failure)) return
        error = failure
        loading = false
      },
    )
    return () => control.abort()
  })

  return {
    get value() {
      return value
    },
    get error() {
      return error === undefined ? undefined : messageOf(error)
    },
    get code() {
      return (error as { code?: number } | undefined)?.code
    },
    get loading() {
      return loading
    },
    get changed() {
      return held !== undefined
    },
    show: () => {
      if (held !== undefined) value = held
      held = undefined
    },
    reload: () => {
      fresh = true
      again++
    },
    set: (next) => (value = next),
  }
}
