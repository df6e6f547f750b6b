import { aborted, messageOf } from './graphql'

/** A value that is read from the server again whenever the values that it depends on change. */
export interface Loaded<T> {
  /** The last answer; kept until the next one comes. */
  readonly value: T | undefined
  readonly error: string | undefined
  /** The HTTP status of the error. */
  readonly code: number | undefined
  readonly loading: boolean
  reload(): void
  /** Shows another value until the next answer, for example after an edit. */
  set(value: T): void
}

/**
 * Reads while a component is shown. It reads again when a value that `from` uses changes; the request before
 * is then cancelled.
 */
export function load<K, T>(from: () => K, read: (key: K, signal: AbortSignal) => Promise<T>): Loaded<T> {
  let value = $state.raw<T>()
  let error = $state.raw<unknown>()
  let loading = $state(true)
  let again = $state(0)

  $effect(() => {
    void again
    const key = from()
    const control = new AbortController()
    loading = true
    read(key, control.signal).then(
      (answer) => {
        if (control.signal.aborted) return
        value = answer
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
    reload: () => again++,
    set: (next) => (value = next),
  }
}
