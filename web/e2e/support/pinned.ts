// Everything that makes a picture of the page the same on each machine: the fonts, the clock and the theme.
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { withTheme, type Theme } from './harness'

/** The moment of all pictures: the sample's last event was ten days before. */
const now = new Date('2026-11-30T12:00:00Z')

const file = (name: string) => readFileSync(new URL(`../../node_modules/@fontsource/${name}.woff2`, import.meta.url)).toString('base64')
const faces = [
  ['Pinned', '400', file('open-sans/files/open-sans-latin-400-normal')],
  ['Pinned', '600', file('open-sans/files/open-sans-latin-600-normal')],
  ['Pinned', '700', file('open-sans/files/open-sans-latin-700-normal')],
  ['Pinned Mono', '400', file('dejavu-mono/files/dejavu-mono-latin-400-normal')],
]
// Chromium has parsed a font that comes as bytes when the constructor returns: no text is drawn in another font first.
const addFonts = `for (const [family, weight, data] of ${JSON.stringify(faces)}) (self.document ?? self).fonts.add(new FontFace(family, Uint8Array.from(atob(data), (c) => c.charCodeAt(0)), { weight }));\n`

/** Pins a page before it is opened. */
export async function pin(page: Page, theme: Theme): Promise<void> {
  await page.clock.setFixedTime(now)
  await withTheme(page, theme)
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: theme })
  await page.addInitScript({ content: addFonts })
  await page.addInitScript(() => {
    const use = () => {
      if (!document.documentElement) return
      document.documentElement.style.setProperty('--font', 'Pinned')
      document.documentElement.style.setProperty('--mono', '"Pinned Mono"')
      watch.disconnect()
    }
    const watch = new MutationObserver(use)
    watch.observe(document, { childList: true })
    use()
  })
  // The graph is drawn by a worker, which has fonts of its own.
  await page.route(/\/paint\.worker-[^/]*\.js$/, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: addFonts + (await answer.text()) })
  })
  // Answers about lineage say in words how long ago their sources were seen, by the clock of the server.
  await page.route('**/api/graphql', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: (await answer.text()).replace(/\b\d+ (second|minute|hour|day|month|year)s? ago\b/g, '30 days ago') })
  })
  // What is viewed is not counted: a picture must not change the next one.
  await page.route('**/track', (route) => route.fulfill({ status: 200, body: '' }))
}
