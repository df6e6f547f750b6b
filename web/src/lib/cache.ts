import { CancelledError, QueryClient, type Query } from '@tanstack/query-core'
import { urnsOf } from './mentions'

// Answers of the server, kept so that going back shows them at once. An answer is used again until a change concerns
// it: an edit on this page forgets all answers, and the event stream the answers about changed entities.

/** The most answers that are kept. */
export const mostAnswers = 200
/** How long an answer is kept that no component shows. */
const keptFor = 10 * 60_000
/** How old an answer may be while changes made elsewhere are not told (live.svelte.ts). */
const oldest = 30_000

const client = new QueryClient({ defaultOptions: { queries: { retry: false, gcTime: keptFor, networkMode: 'always', structuralSharing: true } } })
const answers = client.getQueryCache()

// Queries that a change overtook while they were on their way. A caller that already waits for such a query gets its
// answer, which may be from before the change; a caller that asks the same question later gets a new query.
const overtaken = new WeakSet<Query>()
/** The number of the newest query. It distinguishes queries of the same question. */
let newest = 0

/** Whether changes made elsewhere are told, so that answers stay true until then. */
let told = false
export function tellsChanges(live: boolean): void {
  told = live
}

/** How many readers wait for each answer. */
const waiting = new Map<string, number>()

// A reader, identified by its signal: the questions whose answers it was given, and its options.
interface Reader {
  asked: Set<string>
  again: () => void
  options: ReadOptions
}
interface ReadOptions {
  /** Wants only new answers. */
  fresh?: boolean
  /** Whether a change concerns the reader for another reason than the answers that it was given. */
  concerned?: (what: Changed) => boolean
}
const readers = new Map<AbortSignal, Reader>()

/** Notes a reader, whose `again` is called when an answer that it was given is no longer true. Ends with its signal. */
export function reads(signal: AbortSignal, again: () => void, options: ReadOptions = {}): void {
  readers.set(signal, { asked: new Set(), again, options })
  signal.addEventListener('abort', () => readers.delete(signal), { once: true })
}

/** Answers a question from the answers that are kept, or asks it. Questions that are asked twice at the same time are asked once. */
export async function kept<T>(key: readonly unknown[], ask: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const hash = JSON.stringify(key)
  const reader = readers.get(signal)
  reader?.asked.add(hash)
  const queryKey = keyOf(hash)
  const place = JSON.stringify(queryKey)
  waiting.set(place, (waiting.get(place) ?? 0) + 1)
  try {
    const answer = client.fetchQuery({ queryKey, queryFn: ({ signal }) => ask(signal), staleTime: reader?.options.fresh ? 0 : told ? Infinity : oldest })
    return await Promise.race([answer, givenUp(signal)])
  } catch (error) {
    if (error instanceof CancelledError) throw new DOMException('The request was given up.', 'AbortError')
    throw error
  } finally {
    const left = (waiting.get(place) ?? 1) - 1
    if (left > 0) waiting.set(place, left)
    else waiting.delete(place)
    if (signal.aborted && left === 0) void client.cancelQueries({ queryKey, exact: true })
    trim()
  }
}

function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))
}

function trim(): void {
  const all = answers.getAll()
  if (all.length <= mostAnswers) return
  const idle = all.filter((one) => one.state.fetchStatus === 'idle').sort((a, b) => a.state.dataUpdatedAt - b.state.dataUpdatedAt)
  for (const one of idle.slice(0, all.length - mostAnswers)) answers.remove(one)
}

/** Forgets every answer, as after an edit or when somebody else has signed in. Readers that show one keep it. */
export function forgetAll(): void {
  for (const one of answers.getAll()) forget(one)
}

function forget(one: Query): void {
  if (one.state.fetchStatus === 'idle') answers.remove(one)
  else overtaken.add(one)
}

const hashOf = (one: Query): string => String(one.queryKey[0])

/** The key of the query that answers a question: a query that is kept or on its way, or else a new query. */
function keyOf(hash: string): readonly unknown[] {
  const kept = answers.getAll().find((one) => hashOf(one) === hash && !overtaken.has(one))
  return kept?.queryKey ?? [hash, ++newest]
}

/** Changes made elsewhere: the changed entities, and the entities that the changed values name. */
export interface Changed {
  entities: ReadonlySet<string>
  related: ReadonlySet<string>
  /** Whether more changed than is named. */
  all: boolean
  /** Whether answers about the whole catalog changed too: searches, counts, lists. */
  catalog?: boolean
}

/** Forgets the answers that a change concerns, lets their readers read again, and returns the number of those answers. */
export function changed(what: Changed): number {
  const gone = new Set<string>()
  const here = new Set<string>()
  for (const one of answers.getAll()) {
    const hash = hashOf(one)
    here.add(hash)
    if (!what.all && !about(hash, one.state.data, what)) continue
    gone.add(hash)
    forget(one)
  }
  // An answer may be shown for longer than it is kept; then only its question names the entities that it is about.
  const untrue = (hash: string) => gone.has(hash) || (!here.has(hash) && (what.all || about(hash, undefined, what)))
  for (const reader of [...readers.values()]) if (reader.options.concerned?.(what) || [...reader.asked].some(untrue)) reader.again()
  return gone.size
}

/** The first and the longest pause before an answer of an index that is behind is asked for again. */
const [soonest, latest] = [1200, 30_000]
/** How often in a row the answer to a question lacked changes. */
const lacking = new Map<string, number>()

/**
 * Notes whether the search index had all changes when it answered a question. If it lacked some, the question is asked again a little later, for
 * those who still show its answer. */
export function indexed(key: readonly unknown[], complete: boolean): void {
  const hash = JSON.stringify(key)
  const times = lacking.get(hash) ?? 0
  lacking.delete(hash)
  if (complete) return
  lacking.set(hash, times + 1)
  setTimeout(() => {
    const concerned = [...readers.values()].filter(({ asked }) => asked.has(hash))
    if (concerned.length === 0) lacking.delete(hash)
    for (const one of answers.getAll()) if (hashOf(one) === hash) forget(one)
    for (const reader of concerned) reader.again()
  }, Math.min(latest, soonest * 2 ** times))
}

// A question that names no entity is about the whole catalog, such as a search, a count or the latest changes.
function about(hash: string, answer: unknown, what: Changed): boolean {
  const asked = urnsOf(JSON.parse(hash))
  if (asked.size === 0) return what.catalog ?? false
  for (const urn of asked) if (what.entities.has(urn) || what.related.has(urn)) return true
  for (const urn of urnsOf(answer)) if (what.entities.has(urn)) return true
  return false
}
