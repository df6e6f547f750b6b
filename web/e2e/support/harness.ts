// The setup of every test of the page: a browser that fails the test when the page has an error, and the
// server's REST interface to read back the values that the page has written.
import AxeBuilder from '@axe-core/playwright'
import { expect, test as base, type Page, type Request } from '@playwright/test'
import { Rest } from './rest'

/** Collects the errors of the page: messages on its console, refused content, requests to other servers. */
class Problems {
  private readonly found: string[] = []
  private readonly expected: RegExp[] = []

  /** States that the test causes problems of this kind. */
  expect(...kinds: RegExp[]): void {
    this.expected.push(...kinds)
  }

  note(problem: string): void {
    this.found.push(problem)
  }

  get unexpected(): string[] {
    return this.found.filter((problem) => !this.expected.some((kind) => kind.test(problem)))
  }
}

interface Fixtures {
  problems: Problems
  rest: Rest
}

export const test = base.extend<Fixtures>({
  // Playwright reads the names of the first argument: none is used here.
  // eslint-disable-next-line no-empty-pattern
  problems: async ({}, use) => {
    await use(new Problems())
  },

  context: async ({ context, problems, baseURL }, use) => {
    const origin = new URL(baseURL ?? '').origin
    context.on('console', (message) => {
      if (message.type() === 'error') problems.note(`console: ${message.text()} (${message.location().url})`)
    })
    context.on('weberror', (error) => problems.note(`page error: ${error.error().stack ?? error.error().message}`))
    context.on('request', (request) => {
      const url = new URL(request.url())
      if (url.origin !== origin && !['data:', 'blob:', 'about:'].includes(url.protocol)) problems.note(`request to another origin: ${request.url().slice(0, 200)}`)
    })
    context.on('dialog', (dialog) => {
      // No screen opens such a dialog, so metadata must have opened it.
      problems.note(`a dialog of the browser: ${dialog.message()}`)
      void dialog.dismiss()
    })
    context.on('page', count)
    await context.addInitScript(() => {
      // Changes are made without a name; one flow answers the question who makes them. The blank page
      // that a browser opens first has no storage.
      if (window.origin !== 'null' && !location.search.includes('ask-who')) sessionStorage.setItem('headwater.unnamed', '1')
      document.addEventListener('securitypolicyviolation', (event) => {
        console.error(`content security policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`)
      })
    })
    await use(context)
    expect(problems.unexpected, 'what the page did wrong').toEqual([])
  },

  rest: async ({ request, baseURL }, use) => {
    await use(new Rest(request, baseURL ?? ''))
  },
})

export { expect }

/** Stores a value for the page before it opens, as an earlier visit would have. */
export async function remember(page: Page, name: string, value: string): Promise<void> {
  await page.addInitScript(([key, stored]) => {
    // The blank page that a browser opens first has no storage.
    if (window.origin !== 'null') localStorage.setItem(key ?? '', stored ?? '')
  }, [name, value])
}

/** The requests of each page that are not answered yet. */
const pending = new WeakMap<Page, Set<Request>>()

function count(page: Page): void {
  const open = new Set<Request>()
  pending.set(page, open)
  // Only requests by fetch are counted: workers and downloads send no event when they end. A new document ends the requests of
  // the former one, some of them without an event.
  page.on('response', (response) => {
    if (response.request().isNavigationRequest() && response.frame() === page.mainFrame()) open.clear()
  })
  page.on('request', (request) => request.resourceType() === 'fetch' && open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
}

/** Waits until the page is complete: no request is open, and no part of the page says that it loads. */
export async function settled(page: Page, timeout = 60_000): Promise<void> {
  await page.waitForLoadState('load')
  const busy = page.locator('[aria-busy="true"]:visible')
  let quiet = 0
  // Checks twice in a row, because an answer may lead to the next request.
  await expect
    .poll(
      async () => {
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 40))))
        quiet = (pending.get(page)?.size ?? 0) === 0 && (await busy.count()) === 0 ? quiet + 1 : 0
        return quiet
      },
      { message: 'the page settles', intervals: [0], timeout },
    )
    .toBeGreaterThanOrEqual(2)
}

/** Fails if axe finds a problem on the page in its present state. */
export async function accessible(page: Page, what: string): Promise<void> {
  // Colours are different while an animation runs.
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))))
  const { violations } = await new AxeBuilder({ page }).analyze()
  const told = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => `${node.html.slice(0, 200)} (${node.any.map((check) => check.message).join('; ')})`).join(' | ')}`)
  expect.soft(told, `axe: ${what}`).toEqual([])
}

export type Theme = 'light' | 'dark'

/** Chooses the theme before the page is loaded. */
export async function withTheme(page: Page, theme: Theme): Promise<void> {
  await remember(page, 'headwater.theme', theme)
}

/** Fails if the page is wider than the screen. */
export async function fits(page: Page, what: string): Promise<void> {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect.soft(over, `${what} is wider than the screen by so many pixels`).toBeLessThanOrEqual(0)
}
