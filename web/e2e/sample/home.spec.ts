import { expect, remember, settled, test } from '../support/harness'
import { user } from '../support/names'

const box = { name: 'Search the catalog' }

test('counts, recent changes and questions @stores', async ({ page }) => {
  await page.goto('/')
  await settled(page)
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 1 })).toContainText(/\d+ entities in the catalog/)
  await expect(main.getByRole('link', { name: /Datasets\s*94/ })).toBeVisible()
  await expect(main.getByRole('link', { name: /Snowflake\s*49/ })).toBeVisible()
  await expect(main.getByRole('heading', { name: 'Recent changes' })).toBeVisible()
  await main.getByRole('link', { name: /Dashboards\s*5/ }).click()
  await expect(page).toHaveURL(/\/ui\/search\?/)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('5 results')
})

test('what I own is shown to whoever says who they are', async ({ page }) => {
  await remember(page, 'headwater.actor', user('ada.wren'))
  await page.goto('/')
  await settled(page)
  await expect(page.getByRole('main')).toContainText('What you own')
  await expect(page.getByRole('main').getByRole('link', { name: 'Campaigns' }).first()).toBeVisible()
})

test('what is viewed and searched for most is counted and shown @stores @chromium', async ({ page }) => {
  await page.goto('/ui/search?q=Margin%20by%20product')
  await settled(page)
  const counted = page.waitForRequest((request) => request.url().endsWith('/track') && (request.postData() ?? '').includes('EntityViewEvent'))
  await page.getByRole('main').getByRole('link', { name: 'margin_by_product' }).first().click()
  const view = await counted
  expect((await view.response())?.status()).toBe(200)
  await page.goto('/')
  await settled(page)
  await expect(page.getByRole('region', { name: 'Viewed most this month' }).getByRole('listitem').first()).toContainText(/\d+ views?/)
  const searched = page.getByRole('region', { name: 'Searched most this month' }).getByRole('listitem').first()
  await expect(searched).toContainText(/\d+ search(es)?/)
  await searched.getByRole('link').click()
  await expect(page).toHaveURL(/\/ui\/search\?q=/)
})

test('suggestions over names, columns, people, tags and terms; keys choose @stores', async ({ page }) => {
  await page.goto('/')
  await settled(page)
  const input = page.getByRole('combobox', box).last()
  for (const [typed, option] of [
    ['margin_by', /margin_by_product.*Dataset · Snowflake/],
    ['net_rev', /net_revenue.*column of/],
    ['Bela', /Bela Norris.*Person/],
    ['PII', /PII.*Tag/],
    ['Churn', /Churn.*[Tt]erm/],
  ] as const) {
    await input.fill(typed)
    await expect(page.getByRole('option', { name: option }).first(), typed).toBeVisible()
  }
  await input.fill('Bela')
  await expect(page.getByRole('option', { name: /Bela Norris/ })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('option', { selected: true })).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Bela Norris')
})

test('/ goes to the box from everywhere, but not from fields', async ({ page }) => {
  for (const address of ['/', '/ui/search?q=orders', '/ui/runs', '/ui/browse']) {
    await page.goto(address)
    await settled(page)
    await page.getByRole('main').focus()
    await page.keyboard.press('/')
    await expect(page.getByRole('combobox', box).first()).toBeFocused()
    await page.keyboard.type('a/b')
    await expect(page.getByRole('combobox', box).first()).toHaveValue(/a\/b$/)
  }
})

test('results say type, platform, path, owners, tags and why they matched @stores', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('combobox', box).last().fill('refunded')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/ui\/search\?q=refunded/)
  await settled(page)
  const results = page.getByRole('main').getByRole('article')
  await expect(results.first()).toBeVisible()
  await page.goto('/ui/search?q=net_revenue')
  await settled(page)
  const found = results.filter({ has: page.getByRole('link', { name: 'orders', exact: true }) }).filter({ hasText: 'Snowflake' }).first()
  await expect(found).toContainText('Table')
  await expect(found).toContainText(/analytics.*marts/s)
  await expect(found).toContainText('Bela Norris')
  await expect(found).toContainText('Certified')
  await expect(found.locator('.matches')).toContainText(/[Cc]olumn.*net_revenue/s)
  await expect(found.locator('mark').first()).toBeVisible()
})

test('facets narrow, and stand in the address; back takes them off @stores', async ({ page }) => {
  await page.goto('/ui/search?q=orders')
  await settled(page)
  const heading = page.getByRole('heading', { level: 1 })
  const all = await heading.textContent()
  await page.getByRole('checkbox', { name: /^Looker/ }).check()
  await settled(page)
  await expect(page).toHaveURL(/platform=/)
  await expect(heading).not.toHaveText(all ?? '')
  const address = page.url()
  const narrowed = await heading.textContent()
  await page.goto(address)
  await settled(page)
  await expect(heading).toHaveText(narrowed ?? '')
  await expect(page.getByRole('checkbox', { name: /^Looker/ })).toBeChecked()
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expect(heading).toHaveText(all ?? '')
  await page.goBack()
  await expect(heading).toHaveText(narrowed ?? '')
})

test('nothing found, a wrong query, pages', async ({ page }) => {
  await page.goto('/ui/search?q=zzzzqqqq')
  await expect(page.getByRole('main')).toContainText('Nothing was found')
  await page.goto('/ui/search?q=%2Fq+name%3A(')
  await settled(page)
  await expect(page.getByRole('alert').first()).toBeVisible()
  await page.goto('/ui/search')
  await settled(page)
  const results = page.getByRole('main').getByRole('article')
  await expect(results).toHaveCount(100)
  await page.getByRole('navigation', { name: 'Pages of results' }).getByRole('button', { name: / more$/ }).click()
  await settled(page)
  const all = await results.count()
  expect(all).toBeGreaterThan(100)
  await page.goBack()
  await settled(page)
  await expect(results).toHaveCount(100)
  // The address may name a first result further down the list.
  await page.goto(`/ui/search?start=${all - 3}`)
  await settled(page)
  await expect(results).toHaveCount(3)
  await page.getByRole('button', { name: 'From the first' }).click()
  await settled(page)
  await expect(results).toHaveCount(100)
})

test('removed entities are found only when asked for', async ({ page }) => {
  await page.goto('/ui/search?q=analytics.raw.employees')
  await settled(page)
  await expect(page.getByRole('main').locator('.removed').getByText('employees')).toHaveCount(0)
  await page.getByRole('checkbox', { name: 'Include removed entities' }).check()
  await settled(page)
  await expect(page.getByRole('main').getByText('Removed', { exact: true }).first()).toBeVisible()
})

test('the tree leads to what is in a folder', async ({ page }) => {
  await page.goto('/ui/browse')
  await settled(page)
  const main = page.getByRole('main')
  for (const step of [/^Snowflake/, /^Datasets/, /^analytics/]) {
    await main.getByRole('treeitem', { name: step }).first().click()
    await settled(page)
  }
  await main.getByRole('treeitem', { name: /^marts/ }).getByRole('link').click()
  await settled(page)
  await expect(page).toHaveURL(/\/ui\/search/)
  await expect(main.getByRole('link', { name: 'orders', exact: true }).first()).toBeVisible()
})
