// The start page over a slow connection: 50 kB/s, and 600 ms until the answer to each request begins. Two things are useful:
// a search box that takes text, and the questions of the start page. The times are computed from the rounds of requests and
// from the bytes that each needs, so that a busy machine does not matter; the browser's own times are printed beside them.
import type { CDPSession, Page, Route } from '@playwright/test'
import { accessible, expect, settled, test } from '../support/harness'

const latency = 600
const bytesPerSecond = 50_000
const atMost = 3000

const box = { name: 'Search the catalog' }

/** Slows the browser's network down. */
async function slow(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await session.send('Network.emulateNetworkConditions', { offline: false, latency, downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond })
  return session
}

/** How long two rounds of requests take: the document, and then the files that it names, all at once. */
const twoRounds = (bytes: number) => 2 * latency + (bytes / bytesPerSecond) * 1000

/** Counts the bytes of answers with their headers, by the last part of the address. */
function weigh(session: CDPSession): Map<string, number> {
  const urls = new Map<string, string>()
  const sizes = new Map<string, number>()
  session.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, new URL(request.url).pathname))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => sizes.set(urls.get(requestId) ?? '', encodedDataLength))
  return sizes
}

/** The addresses that a document names, which the browser loads in the second round. The browser loads the icon whenever it likes, even later. */
async function named(page: Page): Promise<string[]> {
  const html = await (await page.request.get('/', { headers: { Accept: 'text/html' } })).text()
  return [...html.matchAll(/<(?:script|link)\b[^>]*(?:src|href)="([^"]*)"/g)].filter(([element]) => !element.includes('rel="icon"')).map(([, address]) => address ?? '')
}

/** Answers only what `allowed` says. Everything else waits until the end of the test. */
async function hold(page: Page, allowed: (path: string) => boolean): Promise<() => Promise<void>> {
  const held: Route[] = []
  let open = false
  await page.route('**/*', async (route) => {
    if (open || allowed(new URL(route.request().url()).pathname)) await route.continue()
    else held.push(route)
  })
  return async () => {
    open = true
    await Promise.all(held.map((route) => route.continue()))
  }
}

test('over a slow connection, the search box takes text after two rounds, before the script has come @chromium', async ({ page }) => {
  const session = await slow(page)
  const sizes = weigh(session)
  const styles = (await named(page)).filter((address) => address.endsWith('.css'))
  const release = await hold(page, (path) => path === '/' || styles.includes(path))
  await page.goto('/', { waitUntil: 'commit' })
  const field = page.getByRole('textbox', box)
  await field.fill('net rev')
  // The styles are there: the field has the place that it keeps.
  await expect(field).toHaveCSS('height', '48px')
  const before = await field.boundingBox()
  await field.press('Home')
  await field.press('Shift+ArrowRight')
  await expect.poll(() => sizes.size).toBe(1 + styles.length)
  const bytes = [...sizes.values()].reduce((sum, one) => sum + one, 0)
  // The script and the styles are loaded at the same time, and share the bandwidth: of at most six connections, the styles have one.
  const time = 2 * latency + (6 * bytes * 1000) / bytesPerSecond
  console.log(`search box: ${bytes} bytes, ${Math.round(time)} ms at most`)
  expect(time, [...sizes].join('\n')).toBeLessThanOrEqual(atMost)
  // The script takes the place of the field, with what was typed, where it was.
  await release()
  const after = page.getByRole('combobox', box)
  await expect(after).toHaveValue('net rev')
  await expect(after).toBeFocused()
  expect(await after.evaluate((one: HTMLInputElement) => [one.selectionStart, one.selectionEnd])).toEqual([0, 1])
  expect(await after.boundingBox()).toEqual(before)
  await expect(page.locator('#shell')).toHaveCount(0)
  await settled(page)
})

test('over a slow connection, the questions are there after two rounds, before any answer of the catalog @chromium', async ({ page }) => {
  const session = await slow(page)
  const sizes = weigh(session)
  const files = await named(page)
  const release = await hold(page, (path) => path === '/' || path.endsWith('/icon.svg') || files.includes(path))
  await page.goto('/', { waitUntil: 'commit' })
  const main = page.getByRole('main')
  await expect(main.getByRole('button', { name: 'What breaks if I change this column?' })).toBeVisible()
  await expect(main.getByRole('combobox', box)).toBeVisible()
  await expect(page.getByRole('banner').getByRole('link', { name: 'Glossary' })).toBeVisible()
  await expect.poll(() => files.filter((file) => !sizes.has(file))).toEqual([])
  const bytes = [...sizes.values()].reduce((sum, one) => sum + one, 0)
  console.log(`questions: ${bytes} bytes in ${sizes.size} answers, ${Math.round(twoRounds(bytes))} ms`)
  expect(twoRounds(bytes), [...sizes].join('\n')).toBeLessThanOrEqual(atMost)
  await release()
  await settled(page)
})

test('a search before the script has come goes to its results @chromium', async ({ page, problems }) => {
  problems.expect(/net::ERR_FAILED.*\.js\)/)
  await page.route(/\.js$/, (route) => route.abort())
  await page.goto('/')
  await accessible(page, 'the start page without its script')
  await page.getByRole('textbox', box).fill('orders')
  await page.unroute(/\.js$/)
  await page.getByRole('textbox', box).press('Enter')
  await expect(page).toHaveURL(/\/ui\/search\?q=orders$/)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('results')
  await settled(page)
})

test('the whole start page over a slow connection, with the times of the browser @chromium', async ({ page }) => {
  await slow(page)
  await page.goto('/', { waitUntil: 'commit' })
  const since = () => page.evaluate(() => Math.round(performance.now()))
  await expect(page.getByLabel(box.name)).toHaveCSS('height', '48px')
  const field = await since()
  await expect(page.getByRole('main').getByRole('button', { name: 'What breaks if I change this column?' })).toBeVisible()
  const questions = await since()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('entities in the catalog')
  console.log(`on this machine: search box ${field} ms, questions ${questions} ms, counts ${await since()} ms`)
  await settled(page)
})
