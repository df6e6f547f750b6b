import { expect, settled, test } from '../support/harness'
import { at, board, column, customers, oneOfEach, orders, refundRate, removedEmployees, user } from '../support/names'

// A column has a page without tabs; the page of its entity has the rest.
for (const { type, urn, name } of oneOfEach.filter((one) => one.type !== 'schemaField')) {
  test(`a page for a ${type}, with every tab`, async ({ page }) => {
    await page.goto(at.entity(urn))
    await settled(page)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
    const tabs = page.getByRole('main').getByRole('tab')
    const labels = await tabs.allTextContents()
    expect(labels.some((label) => label.startsWith('History')), labels.join(', ')).toBe(true)
    for (let i = 0; i < labels.length; i++) {
      await tabs.nth(i).click()
      await settled(page)
      await expect(tabs.nth(i)).toHaveAttribute('aria-selected', 'true')
      const panel = page.getByRole('tabpanel')
      expect((await panel.innerText()).trim().length, `${labels[i]} says something`).toBeGreaterThan(3)
      await expect(panel.getByRole('alert').filter({ hasText: /\S/ })).toHaveCount(0)
    }
  })
}

test('the header of a dataset @stores', async ({ page }) => {
  await page.goto(at.entity(orders))
  await settled(page)
  const main = page.getByRole('main')
  for (const name of ['Snowflake', 'Sales', 'Certified', 'Finance', 'NetRevenue']) await expect(main.getByRole('link', { name }).first(), name).toBeVisible()
  for (const name of ['Bela Norris', 'Mira Castel', 'Data Platform']) await expect(main.getByText(name).first(), name).toBeVisible()
  await expect(main.getByRole('navigation', { name: 'Where it is' })).toContainText(/analytics.*marts/s)
  await page.getByRole('button', { name: 'Copy URN' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(orders)
})

test('documentation is shown as markdown', async ({ page }) => {
  await page.goto(at.entity(orders, { tab: 'documentation' }))
  await settled(page)
  await expect(page.getByRole('main').locator('strong', { hasText: 'Net revenue' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'How orders become revenue' })).toHaveAttribute('href', 'https://wiki.larkspur.example/orders')
})

test('columns: search, type, description, tags, terms, what feeds them and depends on them @stores', async ({ page }) => {
  await page.goto(at.entity(orders))
  await settled(page)
  const table = page.getByRole('table', { name: 'Columns' })
  const row = table.getByRole('row', { name: /net_revenue/ })
  await expect(row).toContainText('Order value less discounts and refunds.')
  await expect(row.getByRole('link', { name: 'Finance' })).toBeVisible()
  await expect(row.getByRole('link', { name: 'NetRevenue' })).toBeVisible()
  await expect(row.getByRole('link', { name: /is fed by 1/ })).toBeVisible()
  await expect(row.getByRole('link', { name: /feeds 2/ })).toBeVisible()
  await page.getByRole('main').getByRole('searchbox').first().fill('refunds')
  await expect(table.getByRole('row')).toHaveCount(2)
  await page.getByRole('main').getByRole('searchbox').first().fill('')
  await expect(table.getByRole('row')).toHaveCount(6)
  await row.getByRole('link', { name: /feeds 2/ }).click()
  await expect(page).toHaveURL(/\/ui\/impact\//)
  await expect(page.getByRole('heading', { level: 2 }).first()).toContainText(/breaks 16 for certain/)
})

test('deprecated, removed, certified: what one must know before using it', async ({ page }) => {
  await page.goto(at.entity(refundRate))
  await expect(page.getByText('Use margin_by_product, which has refunds in it.')).toBeVisible()
  await page.goto(at.entity(removedEmployees))
  await expect(page.getByText(/Removed: searches hide it/)).toBeVisible()
  await page.goto(at.entity(user('noor.valdez')))
  await expect(page.getByText('Not active')).toBeVisible()
})

test('the history of an aspect, with a readable difference @stores', async ({ page }) => {
  await page.goto(at.entity(orders, { tab: 'history' }))
  await settled(page)
  const panel = page.getByRole('tabpanel')
  await panel.getByLabel('Versions of').first().selectOption('schemaMetadata')
  await settled(page)
  // The run of 2026-10-20 renamed a column.
  await expect(panel).toContainText('net_amount')
  await expect(panel).toContainText('net_revenue')
  await expect(panel.getByRole('link', { name: 'larkspur-nightly-2026-10-20' }).first()).toBeVisible()
})

test('the history beyond a hundred versions, to the oldest', async ({ page, rest }) => {
  // The server answers at most a hundred versions at once; it is started to keep more.
  const urn = 'urn:li:dataset:(urn:li:dataPlatform:hive,web_test.versions,PROD)'
  const total = 130
  for (let i = 1; i <= total; i++) await rest.write([{ urn, aspect: 'datasetProperties', value: { name: 'versions', description: `The text number ${i}` } }])
  await page.goto(at.entity(urn, { tab: 'history', aspect: 'datasetProperties' }))
  await settled(page)
  const panel = page.getByRole('tabpanel')
  // All rows except the headings.
  const rows = panel.getByRole('table', { name: 'Versions of Properties' }).getByRole('row')
  await expect(rows).toHaveCount(1 + 20)
  await panel.getByRole('button', { name: `Show older (${total - 20})` }).click()
  await expect(rows).toHaveCount(1 + 120)
  await panel.getByRole('button', { name: 'Show older (10)' }).click()
  await expect(rows).toHaveCount(1 + total)
  await expect(panel.getByRole('button', { name: /^Show older/ })).toHaveCount(0)
  await panel.getByRole('radio', { name: 'From version 1', exact: true }).check()
  const difference = panel.getByRole('region', { name: 'Difference' })
  await expect(difference).toContainText('From version 1 (')
  await expect(difference.locator('del')).toHaveText('1')
  await expect(difference.locator('ins')).toHaveText(String(total))
  // The address names a version on a page that was not read yet.
  await page.reload()
  await expect(difference).toContainText('From version 1 (')
  await expect(rows).toHaveCount(1 + total)
  await rest.remove(urn)
})

test('the timeline of an entity', async ({ page }) => {
  await page.goto(at.entity(orders, { tab: 'timeline' }))
  await settled(page)
  const panel = page.getByRole('tabpanel')
  await expect(panel).toContainText(/net_revenue/)
  await expect(panel).toContainText(/Bela Norris/)
})

test('usage, profile, queries, quality, raw aspects', async ({ page, rest }) => {
  await page.goto(at.entity(orders))
  await settled(page)
  await page.getByRole('tab', { name: 'Usage and profile' }).click()
  await settled(page)
  for (const name of ['Profile', 'Usage', 'Operations']) await expect(page.getByRole('tabpanel').getByRole('region', { name, exact: true }), name).toBeVisible()
  for (const name of ['Rows', 'Queries']) await expect(page.getByRole('tabpanel').getByRole('figure', { name, exact: true }).first(), name).toContainText(/latest\s*[\d,]+/)
  await expect(page.getByRole('tabpanel').locator('canvas, svg').first()).toBeVisible()
  await page.getByRole('tab', { name: 'Queries' }).click()
  await expect(page.getByRole('tabpanel').getByText('Orders that were refunded')).toBeVisible()
  await page.getByRole('tab', { name: 'Quality' }).click()
  await settled(page)
  await expect(page.getByRole('tabpanel').getByRole('article')).toContainText(/passed\s*Row count is greater than 0/)
  await page.getByRole('tab', { name: 'Raw' }).click()
  await settled(page)
  for (const aspect of await rest.aspects(orders)) await expect(page.getByRole('tabpanel').getByText(aspect, { exact: true }).first(), aspect).toBeVisible()
})

test('members, contents, charts, jobs: what an entity holds', async ({ page }) => {
  for (const [urn, names] of [
    ['urn:li:corpGroup:data-platform', ['Omar Reyes', 'Ines Falk', 'Tessa Quill']],
    ['urn:li:container:larkspur-marts', ['orders', 'customers']],
    ['urn:li:dataFlow:(airflow,build_marts,prod)', ['build_orders']],
    ['urn:li:domain:finance', ['revenue_daily']],
    ['urn:li:dataProduct:revenue', ['orders', 'revenue_daily']],
    ['urn:li:tag:PII', ['customers']],
    [user('bela.norris'), ['orders', 'loyalty']],
    [board, ['Net revenue by month', 'Margin']],
  ] as const) {
    await page.goto(at.entity(urn))
    await settled(page)
    const contents = page.getByRole('tab', { name: /^(Contents|Members|Owns|Used by|Jobs|Charts)/ })
    await contents.first().click()
    await settled(page)
    for (const name of names) await expect(page.getByRole('tabpanel').getByRole('link', { name, exact: true }).first(), `${urn}: ${name}`).toBeVisible()
  }
})

test('tabs by keys, and the tab in the address', async ({ page }) => {
  await page.goto(at.entity(customers))
  await settled(page)
  const first = page.getByRole('main').getByRole('tab').first()
  await first.focus()
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(/tab=/)
  await expect(page.getByRole('tab', { selected: true })).toBeFocused()
  const address = page.url()
  await page.keyboard.press('End')
  await page.goBack()
  expect(page.url()).toBe(address)
})

test('from a column to its entity', async ({ page }) => {
  await page.goto(at.entity(column(orders, 'net_revenue')))
  await settled(page)
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 1 })).toHaveText('net_revenue')
  for (const name of ['Lineage', 'Impact', 'Time']) await expect(main.getByRole('link', { name, exact: true }).first(), name).toBeVisible()
  await main.getByRole('link', { name: /orders$/ }).first().click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('orders')
})
