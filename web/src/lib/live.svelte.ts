import { changed, forgetAll, tellsChanges, type Changed } from './cache'
import { Batch, pauseBefore } from './batch'
import { takeEnd } from './session.svelte'

// The page learns of changes made elsewhere from the event stream of the server, while it is looked at. The stream has the
// caller's session, so it has only changes that the caller may see. The server has a limited number of streams, so a hidden page opens none.

/** How long changes are gathered before the changed entities are read again. */
const gather = 300
/** How much later answers about the whole catalog are read again, because the search index follows the log. */
const indexed = 1200
/** How long a page may be hidden and then ask for the changes it missed; after a longer time it reads everything anew. */
const forgetAfter = 5 * 60_000

let state = $state<'off' | 'connecting' | 'live' | 'lost'>('off')
let source: EventSource | undefined
/** The place in the log after the last change that was told, or before the first reads of the page; '' if it is unknown. */
let cursor = ''
/** Whether a stream has ended or could not be opened, so that changes may have been missed. */
let interrupted = false
let failures = 0
let hiddenAt = 0
let retry: ReturnType<typeof setTimeout> | undefined
let timer: ReturnType<typeof setTimeout> | undefined
let batch = new Batch()

export const live = {
  /** Whether changes made elsewhere appear by themselves; lost: they would, but the stream has ended. */
  get state() {
    return state
  },
  /** Tries at once. */
  retry: () => {
    failures = 0
    open()
  },
}

function open(): void {
  clearTimeout(retry)
  source?.close()
  if (document.hidden) return
  if (state !== 'lost') state = 'connecting'
  const stream = new EventSource(`/events?from=${encodeURIComponent(cursor || 'now')}`)
  source = stream
  const whole = cursor === ''
  stream.onopen = () => {
    state = 'live'
    failures = 0
    tellsChanges(true)
    // Without a place in the log, the changes since the last stream are unknown: all that is shown is read again.
    if (whole && interrupted) apply({ entities: new Set(), related: new Set(), all: true })
    interrupted = false
  }
  stream.addEventListener('change', (event: MessageEvent<string>) => {
    cursor = event.lastEventId || cursor
    batch.add(event.data)
    timer ??= setTimeout(flush, gather)
  })
  // The browser would try again by itself, but not after a refusal, and without longer pauses.
  stream.onerror = () => {
    if (source !== stream) return
    stream.close()
    source = undefined
    interrupted = true
    tellsChanges(false)
    failures++
    if (failures > 2) cursor = ''
    if (failures > 1) state = 'lost'
    retry = setTimeout(open, pauseBefore(failures))
  }
}

function flush(): void {
  timer = undefined
  const what = batch.take()
  batch = new Batch()
  apply(what)
}

function apply(what: Changed): void {
  changed(what)
  setTimeout(() => changed({ entities: new Set(), related: new Set(), all: what.all, catalog: true }), indexed)
}

function visibility(): void {
  if (document.hidden) {
    hiddenAt = Date.now()
    clearTimeout(retry)
    source?.close()
    source = undefined
    interrupted = true
    tellsChanges(false)
  } else {
    if (hiddenAt && Date.now() - hiddenAt > forgetAfter) {
      cursor = ''
      forgetAll()
      apply({ entities: new Set(), related: new Set(), all: true })
    }
    open()
  }
}

/** Follows the changes until the returned function is called, for example when the user signs out. */
export function follow(): () => void {
  document.addEventListener('visibilitychange', visibility)
  cursor = takeEnd() // changes between the first reads and the opening of the stream are told too
  open()
  return () => {
    document.removeEventListener('visibilitychange', visibility)
    clearTimeout(retry)
    source?.close()
    source = undefined
    cursor = ''
    interrupted = false
    state = 'off'
    tellsChanges(false)
    forgetAll()
  }
}
