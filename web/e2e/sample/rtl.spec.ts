// Every screen in a language from right to left: mirrored, and no wider than the window. The page has no such
// language yet, so the flows turn the direction of the English one.
import type { Page } from '@playwright/test'
import { expect, settled, test } from '../support/harness'
import { at, orders } from '../support/names'
import { screens, visit } from '../support/screens'

test.beforeEach(async ({ page }) => {
  await page.route('**/*', async (route) => {
    if (!route.request().isNavigationRequest()) return route.fallback()
    const response = await route.fetch()
    const body = (await response.text()).replace('dir="ltr"', 'dir="rtl"')
    expect(body).toContain('<html lang="en" dir="rtl">')
    await route.fulfill({ response, body })
  })
})

/** The centre of an element, as a share of the width of the window, counted from the left. */
async function across(page: Page, found: ReturnType<Page['locator']>): Promise<number> {
  const box = await found.boundingBox()
  if (!box) throw new Error('the element is not shown')
  return (box.x + box.width / 2) / (page.viewportSize()?.width ?? 1)
}

for (const width of [1280, 390]) {
  for (const screen of screens) {
    test(`${screen.name} at ${width} pixels`, async ({ page, problems }) => {
      problems.expect(/status of 404/)
      await page.setViewportSize({ width, height: 800 })
      await visit(page, screen)
      await settled(page)
      const header = page.getByRole('banner')
      expect(await across(page, header.getByRole('link', { name: 'Headwater' })), 'the name of the page is at the right').toBeGreaterThan(0.5)
      expect(await across(page, header.getByRole('button', { name: 'Menu', exact: true })), 'the menu is at the left').toBeLessThan(0.5)
      const wide = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement
        if (scrollWidth <= clientWidth) return []
        const outside = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().left < -1 && one.getBoundingClientRect().width > 0)
        return [`${scrollWidth} of ${clientWidth} pixels`, ...outside.slice(0, 5).map((one) => `${one.tagName} ${one.className} ${one.textContent?.slice(0, 40)}`)]
      })
      expect(wide, 'what is wider than the window').toEqual([])
    })
  }
}

test('columns, facets and panels are mirrored, the graph is not', async ({ page }) => {
  await page.goto('/ui/search?q=orders')
  await settled(page)
  const result = page.getByRole('main').getByRole('link', { name: 'orders', exact: true }).first()
  expect(await across(page, page.getByRole('main').getByRole('complementary').first()), 'facets are at the right of the results').toBeGreaterThan(await across(page, result))
  await page.goto(at.lineage(orders))
  await settled(page)
  const graph = page.getByRole('application')
  await expect(graph).toHaveCSS('direction', 'ltr')
  const node = (urn: string) => graph.locator(`[data-urn="${urn}"]`).first()
  const upstream = page.getByRole('application').locator('[data-urn*="stg_orders"]').first()
  await expect(node(orders)).toBeVisible()
  await expect(upstream).toBeVisible()
  expect(await across(page, upstream), 'upstream is at the left').toBeLessThan(await across(page, node(orders)))
})

test('arrow keys go onward to the left in a tree', async ({ page }) => {
  await page.goto('/ui/browse')
  await settled(page)
  const first = page.getByRole('treeitem').first()
  await first.focus()
  await expect(first).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('ArrowLeft')
  await expect(first).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('ArrowRight')
  await expect(first).toHaveAttribute('aria-expanded', 'false')
})
