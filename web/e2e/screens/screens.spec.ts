// Pictures of every screen in both themes and widths, for people to look at: web/screenshots.
import { mkdir } from 'node:fs/promises'
import { settled, test, withTheme, type Theme } from '../support/harness'
import { at } from '../support/names'
import { screens, sizes, tabsOf } from '../support/screens'

const folder = 'screenshots'

test.beforeAll(async () => {
  await mkdir(folder, { recursive: true })
})

for (const theme of ['light', 'dark'] as Theme[]) {
  for (const [width, size] of Object.entries(sizes)) {
    test(`${theme}, ${width}`, async ({ page, problems }) => {
      problems.expect(/status of 404/)
      await withTheme(page, theme)
      await page.setViewportSize(size)
      const draw = async (name: string, fullPage = false) => {
        await settled(page)
        await page.screenshot({ path: `${folder}/${name}-${theme}-${width}.png`, fullPage })
      }
      for (const { name, address } of screens) {
        await page.goto(address)
        await draw(name, name.startsWith('entity') || name === 'impact' || name === 'run')
      }
      for (const { name, urn } of tabsOf) {
        await page.goto(at.entity(urn))
        await settled(page)
        const tabs = page.getByRole('main').getByRole('tab')
        for (let i = 1; i < (await tabs.count()); i++) {
          await tabs.nth(i).click()
          const label = ((await tabs.nth(i).textContent()) ?? String(i)).toLowerCase().replaceAll(/[^a-z]+/g, '')
          await draw(`tab-${name}-${label}`, true)
        }
      }
      const empty = process.env.HEADWATER_SCREENS_EMPTY_URL
      if (empty) {
        problems.expect(/another origin/)
        await page.goto(empty)
        await draw('home-empty')
      }
    })
  }
}
