// The catalog's life (docs/sample.md), on the page of time.
import { expect, settled, test } from '../support/harness'
import { at, orders } from '../support/names'

test('what was added and what ended between two moments, with run and actor @stores', async ({ page }) => {
  // On 2026-10-29 the job export replaced print_pack.
  const pack = 'urn:li:dataset:(urn:li:dataPlatform:s3,larkspur-lake/exports/board_pack,PROD)'
  await page.goto(at.time(pack, { from: '2026-10-20', to: '2026-11-02', direction: 'upstream' }))
  await settled(page)
  const main = page.getByRole('main')
  await expect(main.getByRole('application')).toBeVisible()
  await expect(main.locator('.legend')).toContainText(/[1-9]\d* added/)
  await expect(main.locator('.legend')).toContainText(/[1-9]\d* ended/)
  const changes = main.getByRole('region', { name: 'Changes' })
  await expect(changes.getByRole('link', { name: 'larkspur-nightly-2026-10-29' }).first()).toBeVisible()
  await expect(changes.getByRole('link', { name: 'Omar Reyes' }).first()).toBeVisible()
  await expect(changes).toContainText(/revenue_daily|executive_summary/)
})

test('the handles move by keys, the marks are stepped through, the address holds them', async ({ page }) => {
  await page.goto(at.time(orders))
  await settled(page)
  const until = page.getByRole('slider', { name: 'Until' })
  await expect(until).toHaveAttribute('aria-valuetext', /Now/)
  await until.focus()
  await page.keyboard.press('ArrowLeft')
  await expect(until).not.toHaveAttribute('aria-valuetext', /Now/)
  await expect(page).toHaveURL(/to=/)
  await settled(page)
  const moment = await until.getAttribute('aria-valuenow')
  await page.getByRole('button', { name: 'Previous change' }).click()
  await settled(page)
  expect(Number(await until.getAttribute('aria-valuenow'))).toBeLessThan(Number(moment))
  const address = page.url()
  await page.reload()
  await settled(page)
  expect(page.url()).toBe(address)
})

test('the list is narrowed by category and by name', async ({ page }) => {
  await page.goto(at.time(orders, { from: '2026-10-05' }))
  await settled(page)
  const changes = page.getByRole('region', { name: 'Changes' })
  await changes.getByRole('group', { name: 'Categories' }).getByRole('button', { name: /^Owner/ }).click()
  await expect(page).toHaveURL(/categor/)
  await expect(changes).toContainText('Bela Norris')
  await changes.getByRole('searchbox').fill('stg_refunds')
  await expect(changes.getByText('refund_rate', { exact: true })).toHaveCount(0)
})

test('a period without changes offers to look further', async ({ page }) => {
  // A stretch before the first change of the catalog.
  await page.goto(at.time(orders, { from: '2026-01-01', to: '2026-01-02' }))
  await settled(page)
  const changes = page.getByRole('region', { name: 'Changes' })
  await expect(changes).toContainText('Nothing changed in this period within 2 hops')
  await changes.getByRole('button', { name: 'Look further' }).click()
  await expect(page).toHaveURL(/hops=3/)
  await expect(changes).toContainText('Nothing changed in this period within 3 hops')
  await page.getByRole('combobox', { name: 'Look as far as' }).selectOption('10')
  await expect(changes).toContainText('within 10 hops')
  await expect(changes.getByRole('button', { name: 'Look further' })).toHaveCount(0)
})

test('the bad run and its rollback are told', async ({ page }) => {
  await page.goto(at.time(orders, { from: '2026-11-10', to: '2026-11-12' }))
  await settled(page)
  const changes = page.getByRole('region', { name: 'Changes' })
  await expect(changes).toContainText(/Rolled back since|Rollback of larkspur-nightly-2026-11-11/)
  await expect(changes.getByRole('link', { name: 'Ines Falk' }).first()).toBeVisible()
})

test('a change in the list is shown in the graph', async ({ page }) => {
  await page.goto(at.time(orders, { from: '2026-10-05' }))
  await settled(page)
  const entry = page.getByRole('region', { name: 'Changes' }).getByRole('button', { pressed: false }).and(page.getByTitle('Show it in the graph')).first()
  const name = (await entry.textContent())?.trim() ?? ''
  await entry.click()
  await expect(page.getByRole('complementary', { name: 'Selection' })).toContainText(name)
})
