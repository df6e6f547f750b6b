// The page in German, as the browser asks for it, and the choice of another language, which is kept.
import { accessible, expect, fits, settled, test } from '../support/harness'

test.use({ locale: 'de-DE' })

test('the page is in the language of the browser, until another one is chosen @always', async ({ page }) => {
  await page.goto('/ui/')
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  await settled(page)
  await accessible(page, 'start page in German')
  await page.goto('/ui/search?q=orders')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/\d+ Treffer für orders/)
  await settled(page)
  await accessible(page, 'search in German')
  await page.setViewportSize({ width: 400, height: 800 })
  await fits(page, 'search in German')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('banner').getByRole('button', { name: 'Menü' }).click()
  await page.getByRole('menuitemradio', { name: 'Français' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/\d+ résultats? pour orders/)
})
