// Impact: the answers equal those of `headwater impact marts.orders.net_revenue`.
import { readFile } from 'node:fs/promises'
import { expect, settled, test } from '../support/harness'
import { at, board, column, orders } from '../support/names'

const certain = [
  'campaign_results', 'revenue_daily', 'Orders that were refunded', 'Return on spend', 'Revenue by day', 'executive_summary', 'Net revenue by month', 'row_count revenue_daily > 0',
  'Figures of the close', 'row_count executive_summary > 0', 'Margin', 'Campaigns', 'Monthly close', 'export', 'board_pack', 'Board overview',
]
const possible = ['Value of a basket', 'Orders today', 'loyalty', 'Loyal customers', 'Sales today']

test('a column from the list, and a change: what breaks, by owner, with paths @stores', async ({ page }) => {
  await page.goto(at.impact(orders))
  await settled(page)
  await page.getByRole('combobox', { name: 'Column' }).fill('net_rev')
  await page.keyboard.press('Enter')
  await page.getByRole('radio', { name: /rename/i }).check({ force: true })
  await expect(page).toHaveURL(/column=net_revenue&change=rename/)
  await settled(page)
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 2 }).first()).toContainText(/breaks 16 for certain, may break 5/)
  for (const name of certain) await expect(main.getByRole('link', { name }).first(), name).toBeVisible()
  // Possible rows are folded by their reason, with their distance, and each row states its reason.
  for (const name of possible) await expect(main.getByRole('link', { name }).first(), name).toBeHidden()
  const fold = main.locator('details', { hasText: 'may join or filter on this one' }).filter({ has: page.locator('a', { hasText: 'Orders today' }) }).first()
  await expect(fold.locator('summary')).toContainText(/one\s+2 at 1 hop/)
  await fold.locator('summary').click()
  await expect(fold.getByText(/^Because it may join or filter on net_revenue/).first()).toBeVisible()
  await expect(main.getByText(/^They state other columns, and may join or filter on this one: 3$/)).toBeVisible()
  // The owners to tell, with their addresses.
  await expect(main.getByText('Mira Castel').first()).toBeVisible()
  await expect(main.getByRole('link', { name: /mira\.castel@larkspur\.example/ }).first()).toHaveAttribute('href', /^mailto:mira\.castel@larkspur\.example/)
  await expect(main.getByRole('list', { name: 'Path to Board overview' }).first()).toContainText(/net_revenue/)

  await main.getByLabel('Effect').selectOption('possible')
  await expect(page).toHaveURL(/effect=possible/)
  for (const name of possible) await expect(main.getByRole('link', { name }).first(), name).toBeVisible()
  await expect(main.getByRole('link', { name: 'Return on spend' })).toHaveCount(0)
  await main.getByLabel('Effect').selectOption('certain')
  await expect(main.getByRole('link', { name: 'Orders that were refunded' }).first()).toBeVisible()
  await expect(main.getByRole('link', { name: 'Orders today' })).toHaveCount(0)
  await page.goBack()
})

test('the table and the message hold the same answer @chromium', async ({ page }) => {
  await page.goto(at.impact(orders, { column: 'net_revenue', change: 'rename' }))
  await settled(page)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const file = await (await download).path()
  const lines = (await readFile(file, 'utf8')).trim().split(/\r?\n/)
  expect((await download).suggestedFilename()).toMatch(/\.csv$/)
  expect(lines).toHaveLength(1 + certain.length + possible.length)
  for (const name of [...certain, ...possible]) expect(lines.some((line) => line.includes(name)), name).toBe(true)
  expect(lines.filter((line) => line.includes('possible'))).toHaveLength(possible.length)

  await page.getByRole('button', { name: 'Copy as message' }).click()
  const message = await page.evaluate(() => navigator.clipboard.readText())
  expect(message).toContain('net_revenue')
  expect(message).toContain('Mira Castel <mira.castel@larkspur.example>')
  expect(message).toMatch(/breaks: Board overview/)
  expect(message).toContain(page.url())
  const basis = await page.getByText(/^This rests on .*larkspur-nightly \(\d+ entities, seen .* ago\)/).innerText()
  expect(message).toContain(basis)
})

test('nothing is said together with what that rests on, and with a run that failed', async ({ page }) => {
  await page.goto(at.impact(orders, { column: 'net_revenue' }))
  await settled(page)
  const basis = page.getByText(/^This rests on .*Looker \(.*last run failed/)
  await basis.click()
  await expect(page.getByRole('row', { name: /^Looker .*failed .* larkspur-looker-2026-11-18/ })).toBeVisible()
  await page.goto(at.impact(board))
  await settled(page)
  const empty = page.getByRole('main').locator('section, div').filter({ has: page.getByText('Nothing that is known depends on it') }).last()
  await expect(page.getByText('Nothing that is known depends on it')).toBeVisible()
  await expect(empty.getByText(/^This rests on .*last run failed/)).toBeVisible()
})

test('columns that lead to nothing, and columns that there are not', async ({ page }) => {
  await page.goto(at.impact(orders, { column: 'customer_id' }))
  await settled(page)
  await expect(page.getByRole('main')).toContainText(/breaks nothing that is known|for certain/)
  await page.goto(at.impact(orders, { column: 'net_revenu' }))
  await settled(page)
  await page.getByRole('main').getByRole('link', { name: 'net_revenue', exact: true }).click()
  await expect(page.getByRole('heading', { level: 2 }).first()).toContainText(/breaks 16 for certain/)
})

test('the address of a column, and the back button', async ({ page }) => {
  await page.goto(at.impact(column(orders, 'net_revenue')))
  await settled(page)
  await expect(page.getByRole('heading', { level: 2 }).first()).toContainText(/breaks 16 for certain/)
  await page.getByRole('option', { name: /gross_revenue/ }).click()
  await expect(page).toHaveURL(/column=gross_revenue/)
  await page.goBack()
  await expect(page.getByRole('heading', { level: 2 }).first()).toContainText(/breaks 16 for certain/)
})

test('the whole of an entity', async ({ page }) => {
  await page.goto(at.impact(orders))
  await settled(page)
  await expect(page.getByRole('heading', { level: 2 }).first()).toContainText(/affects \d+ entities/)
  await expect(page.getByRole('radio', { name: /rename/i })).toBeDisabled()
})

test('the way to the lineage and over time keeps the column and the moment', async ({ page }) => {
  await page.goto(at.impact(orders))
  await settled(page)
  const asOf = String(Date.now() - 60_000)
  await page.goto(`${at.impact(orders)}?column=net_revenue&asOf=${asOf}`)
  await settled(page)
  const header = page.getByRole('main')
  await expect(header.getByRole('link', { name: 'Changes over time' })).toHaveAttribute('href', new RegExp(`[?&]asOf=${asOf}`))
  await header.getByRole('link', { name: 'Lineage', exact: true }).first().click()
  await settled(page)
  await expect(page).toHaveURL(new RegExp(`/ui/lineage/${encodeURIComponent(encodeURIComponent(column(orders, 'net_revenue'))).replaceAll('%25', '%').replace(/[()]/g, '.')}.*asOf=${asOf}`))
  await expect(page.getByRole('tabpanel').getByRole('link', { name: 'What breaks if it changes' })).toHaveAttribute('href', new RegExp(`asOf=${asOf}`))
})
