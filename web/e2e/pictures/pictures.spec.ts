// The main screens, in both themes and widths, compared with the pictures in the folder beside this file ("make pictures" makes
// them anew, with HEADWATER_PICTURES_UPDATE). A picture is as large as the window: what is further down is in the pictures of "make screenshots", which are
// for people.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Browser } from '@playwright/test'
import { expect, settled, test, type Theme } from '../support/harness'
import { pin } from '../support/pinned'
import { screens, sizes, visit } from '../support/screens'

const names = ['home', 'search', 'search-columns', 'glossary', 'domains', 'entity-dataset', 'entity-person', 'entity-past', 'lineage', 'lineage-column', 'impact', 'sql', 'time', 'run']

// The browser draws the texts of a graph in one of two ways, by when it has put the nodes on a layer of their own. That is up to 12 of
// 10,000 points.
const graphs = ['lineage', 'lineage-column', 'time']

/** The browser that has made the pictures. */
const maker = new URL('browser.txt', import.meta.url)

/** A browser as pictures tell it: another program or another version draws the edges of letters otherwise. */
const named = (browser: Browser, program = '') => `${basename(program)} ${browser.version().split('.')[0]}`

for (const theme of ['light', 'dark'] as Theme[]) {
  for (const [width, size] of Object.entries(sizes)) {
    test(`${theme}, ${width}`, async ({ page, browser, launchOptions }) => {
      const here = named(browser, launchOptions.executablePath)
      const made = existsSync(maker) ? readFileSync(maker, 'utf8').trim() : ''
      const makes = Boolean(process.env.HEADWATER_PICTURES_UPDATE)
      if (makes) writeFileSync(maker, `${here}\n`)
      // The same browser draws the same points, up to the colours that the pictures were reduced to (web/shrink). Another one draws
      // up to 3 of 1,000 otherwise. A panel that has moved by 4 points makes 4 to 13 of 1,000.
      const same = makes || made === here
      if (!same) console.log(`the pictures were made by ${made}, and this is ${here}: up to 4 of 1,000 points may differ`)
      await pin(page, theme)
      await page.setViewportSize(size)
      for (const screen of screens.filter(({ name }) => names.includes(name))) {
        await visit(page, screen)
        await settled(page)
        await expect.soft(page, `${screen.name}, ${theme}, ${width}`).toHaveScreenshot(`${screen.name}-${theme}-${width}.png`, {
          maxDiffPixelRatio: same && !graphs.includes(screen.name) ? 0.0002 : 0.004,
          // The map rounds the place of its frame by when the line above the graph came.
          mask: [page.locator('.map')],
        })
      }
    })
  }
}
