import { parse } from 'regexparam'
import type { Component } from 'svelte'
import { entered, leave, newEntry, restore, startScroll } from './scroll'

/** The current address of the page. All members are reactive. */
interface Route {
  readonly path: string
  /** The decoded parameters of the pattern, such as urn. */
  readonly params: Readonly<Record<string, string>>
  readonly search: URLSearchParams
  readonly hash: string
}

/** A screen's component, loaded when it is first shown. */
export type Screen = () => Promise<{ default: Component }>

interface Pattern {
  keys: string[]
  pattern: RegExp
  screen: Screen
}

let patterns: Pattern[] = []
let at = $state.raw(new URL(location.href))
// Set when the path changes only: a change of the query must not load and mount the screen again.
let path = $state.raw(at.pathname)
let found = $state.raw<ReturnType<typeof match>>()
const search = $derived(at.searchParams)

export const route: Route & { readonly screen: Screen | undefined } = {
  get path() {
    return path
  },
  get params() {
    return found?.params ?? {}
  },
  get search() {
    return search
  },
  get hash() {
    return at.hash
  },
  get screen() {
    return found?.screen
  },
}

function match(path: string): { screen: Screen; params: Record<string, string> } | undefined {
  for (const { keys, pattern, screen } of patterns) {
    const matched = pattern.exec(path)
    if (!matched) continue
    const params: Record<string, string> = {}
    for (const [i, key] of keys.entries()) {
      const decoded = decode(matched[i + 1] ?? '')
      if (decoded === undefined) return undefined
      params[key] = decoded
    }
    return { screen, params }
  }
  return undefined
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Goes to an address of the page. With replace, the last address is not kept in the history. */
export function navigate(href: string, options: { replace?: boolean; keepScroll?: boolean } = {}): void {
  const to = new URL(href, location.href)
  if (to.href === at.href) return
  if (options.replace) history.replaceState(history.state, '', to)
  else {
    leave()
    history.pushState(newEntry(), '', to)
    entered()
  }
  const sameScreen = to.pathname === at.pathname
  go(to)
  if (sameScreen) return
  if (!options.keepScroll) window.scrollTo(0, 0)
  // The focus moves as when a document is loaded: keys and screen readers go on at the new screen, not at the
  // link.
  document.getElementById('main')?.focus({ preventScroll: true })
}

function go(to: URL): void {
  at = to
  if (to.pathname === path) return
  path = to.pathname
  found = match(path)
}

/** Changes parameters of the address in place; undefined or '' removes one. */
export function setParams(changes: Record<string, string | undefined>, options: { push?: boolean } = {}): void {
  const to = new URL(location.href)
  for (const [name, value] of Object.entries(changes)) {
    if (value) to.searchParams.set(name, value)
    else to.searchParams.delete(name)
  }
  navigate(to.href, { replace: !options.push, keepScroll: true })
}

/** Starts routing. Links to other addresses of the server are left to the browser. */
export function start(routes: Record<string, Screen>): void {
  patterns = Object.entries(routes).map(([text, screen]) => ({ ...parse(text), screen }))
  at = new URL(location.href)
  path = at.pathname
  found = match(path)
  // The screen is loaded while the server is asked who has signed in. A failure to load is shown in place of
  // the screen.
  void found?.screen().catch(() => undefined)
  startScroll()
  window.addEventListener('popstate', () => {
    leave()
    entered()
    go(new URL(location.href))
    restore()
  })
  document.addEventListener('click', follow)
}

function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const anchor = (event.target as Element | null)?.closest?.('a')
  if (!anchor?.href || anchor.target || anchor.hasAttribute('download')) return
  const to = new URL(anchor.href)
  if (to.origin !== location.origin || !match(to.pathname)) return
  if (to.hash && to.pathname === at.pathname && to.search === at.search) return
  event.preventDefault()
  navigate(to.href)
}
