// Where the page and its scrolling panels stood, for each entry of the history, so that going back keeps the place.

interface Place {
  x: number
  y: number
  /** Panels that were scrolled, by their place in the document. */
  panels: [path: string, x: number, y: number][]
}

const storage = 'headwater.scroll'
/** The most entries that are kept; the oldest go first. */
const most = 100
/** How long a screen may take to become as long as it was, in milliseconds. */
const patience = 3000

let places = new Map<string, Place>()
const scrolled = new Set<Element>()
let stop = () => {}

/** The key of the entry of the history that is shown. */
function current(): string {
  return ((history.state as { key?: string } | null)?.key ?? '') || 'first'
}

/** A state for a new entry of the history. */
export function newEntry(): { key: string } {
  return { key: Math.random().toString(36).slice(2) }
}

/** The selector of an element: its place below the nearest element with an id that stays. */
export function pathOf(element: Element): string {
  const steps: string[] = []
  for (let at: Element | null = element; at && at !== document.documentElement; at = at.parentElement) {
    if (at.id && /^[a-z]+$/.test(at.id)) return [`#${at.id}`, ...steps].join(' > ')
    const siblings: Element[] = [...(at.parentElement?.children ?? [])]
    steps.unshift(`:nth-child(${siblings.indexOf(at) + 1})`)
  }
  return [':root', ...steps].join(' > ')
}

/** Begins to keep places. The key of the entry that is left is remembered by the caller of `keep`. */
export function startScroll(): void {
  history.scrollRestoration = 'manual'
  try {
    places = new Map(JSON.parse(sessionStorage.getItem(storage) ?? '[]') as [string, Place][])
  } catch {
    // A private window may refuse.
  }
  document.addEventListener('scroll', (event) => event.target instanceof Element && scrolled.add(event.target), { capture: true, passive: true })
  for (const name of ['wheel', 'touchstart', 'keydown', 'pointerdown']) window.addEventListener(name, () => stop(), { capture: true, passive: true })
  window.addEventListener('pagehide', () => {
    keep(current())
    try {
      sessionStorage.setItem(storage, JSON.stringify([...places]))
    } catch {
      // As above.
    }
  })
  shownEntry = current()
  restore()
}

let shownEntry = 'first'

/** Notes the place of the shown entry, before another entry is shown. */
export function leave(): void {
  stop()
  keep(shownEntry)
  scrolled.clear()
}

/** Notes that the entry of the history that is now current is shown. */
export function entered(): void {
  shownEntry = current()
}

function keep(key: string): void {
  const panels: Place['panels'] = []
  for (const element of scrolled) {
    if (element.isConnected && (element.scrollTop > 0 || element.scrollLeft > 0)) panels.push([pathOf(element), element.scrollLeft, element.scrollTop])
  }
  places.delete(key)
  places.set(key, { x: window.scrollX, y: window.scrollY, panels })
  for (const old of places.keys()) {
    if (places.size <= most) break
    places.delete(old)
  }
}

/** Goes to where the current entry was left, as soon as the screen is long enough; gives up when the reader moves or waits too long. */
export function restore(): void {
  stop()
  const place = places.get(current()) ?? { x: 0, y: 0, panels: [] }
  let open = place.panels
  let page = true
  let going = true
  const until = performance.now() + patience
  stop = () => (going = false)
  const step = () => {
    if (!going) return
    if (page && document.documentElement.scrollHeight - window.innerHeight >= place.y) {
      window.scrollTo(place.x, place.y)
      // A screen that is made after this may shrink the page for a moment: the place is kept until the end.
      page = Math.abs(window.scrollY - place.y) > 1
    } else if (Math.abs(window.scrollY - place.y) > 1) page = true
    open = open.filter(([path, x, y]) => {
      const element = document.querySelector(path)
      if (!element || element.scrollHeight - element.clientHeight < y) return true
      element.scrollTo(x, y)
      return false
    })
    if (performance.now() < until) requestAnimationFrame(step)
  }
  step()
}
