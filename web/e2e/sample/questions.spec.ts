// The five questions that a newcomer answers from /, without help. A step is a click or a text that is typed.
// The limits are the steps that the flows take now: more steps are a worse page.
import type { Locator, Page } from '@playwright/test'
import { expect, settled, test } from '../support/harness'
import { at, orders } from '../support/names'

class Visitor {
  steps = 0
  constructor(readonly page: Page) {}

  async begin(): Promise<void> {
    await this.page.goto('/')
    await settled(this.page)
  }
  async click(target: Locator): Promise<void> {
    this.steps++
    await target.first().click()
    await settled(this.page)
  }
  async type(target: Locator, text: string): Promise<void> {
    this.steps++
    await target.first().fill(text)
    await settled(this.page)
  }
  async search(text: string, option: string | RegExp): Promise<void> {
    await this.type(this.page.getByRole('main').getByRole('combobox', { name: 'Search the catalog' }), text)
    await this.click(this.page.getByRole('option', { name: option }))
  }
}

test('who owns what feeds the board’s dashboard? @stores', async ({ page }) => {
  const visitor = new Visitor(page)
  await visitor.begin()
  await visitor.click(page.getByRole('button', { name: 'Who owns what feeds this dashboard?' }))
  await visitor.click(page.getByRole('dialog').getByRole('link', { name: 'Board overview' }))
  await visitor.click(page.getByRole('tab', { name: 'Owners' }))
  const load = page.getByRole('button', { name: 'Load all upstream' })
  if (await load.isVisible()) await visitor.click(load)
  const panel = page.getByRole('tabpanel')
  await expect(panel).toContainText('all of them')
  for (const name of ['Mira Castel', 'Piet Hollis', 'Bela Norris', 'Omar Reyes', 'Ines Falk', 'Data Platform']) await expect(panel.getByText(name, { exact: true }).first(), name).toBeVisible()
  expect(visitor.steps).toBeLessThanOrEqual(4)
})

test('what breaks if orders.net_revenue is renamed? @stores', async ({ page }) => {
  const visitor = new Visitor(page)
  await visitor.begin()
  await visitor.click(page.getByRole('button', { name: 'What breaks if I change this column?' }))
  await visitor.type(page.getByRole('dialog').getByRole('combobox'), 'net_revenue')
  await visitor.click(page.getByRole('option', { name: /net_revenue.*column of orders/ }))
  await visitor.click(page.getByRole('radio', { name: 'Rename' }))
  await expect(page.getByRole('heading', { level: 2 }).first()).toContainText(/breaks 16 for certain, may break 5/)
  await expect(page.getByRole('main').getByRole('link', { name: 'Board overview' }).first()).toBeVisible()
  expect(visitor.steps).toBeLessThanOrEqual(4)
})

test('the same, by the search', async ({ page }) => {
  const visitor = new Visitor(page)
  await visitor.begin()
  await visitor.search('net_revenue', /net_revenue.*column of orders/)
  await visitor.click(page.getByRole('link', { name: 'What breaks if it changes' }))
  await expect(page.getByRole('heading', { level: 2 }).first()).toContainText(/breaks 16 for certain/)
  expect(visitor.steps).toBeLessThanOrEqual(3)
})

test('what changed last month upstream of it? @stores', async ({ page }) => {
  const visitor = new Visitor(page)
  await visitor.begin()
  await visitor.click(page.getByRole('button', { name: /What changed upstream/ }))
  await visitor.click(page.getByRole('dialog').getByRole('link', { name: 'Board overview' }))
  if (!/direction=upstream/.test(page.url())) {
    visitor.steps++
    await page.getByRole('combobox', { name: /^Look/ }).selectOption('upstream')
    await settled(page)
  }
  const changes = page.getByRole('region', { name: 'Changes' })
  // The sample's past ends on 2026-11-16: the texts depend on the day on which the test runs.
  const month = page.getByRole('button', { name: /month|30 days/i })
  await expect(month.first()).toBeVisible()
  await expect(changes).toContainText(/\S/)
  if (Date.now() < Date.UTC(2026, 11, 5)) {
    await expect(changes.getByRole('link', { name: 'larkspur-nightly-2026-11-08' }).first()).toBeVisible()
    await expect(changes).toContainText('margin_by_product')
  }
  expect(visitor.steps).toBeLessThanOrEqual(3)
})

test('where does PII end up? @stores', async ({ page }) => {
  const visitor = new Visitor(page)
  await visitor.begin()
  await visitor.click(page.getByRole('button', { name: 'Where does personal data end up?' }))
  await visitor.click(page.getByRole('dialog').getByRole('link', { name: 'PII' }))
  await visitor.click(page.getByRole('main').getByRole('link', { name: /^Impact of customers/ }))
  const main = page.getByRole('main')
  for (const name of ['loyalty', 'churn_features', 'Cities by value', 'Sales today', 'churn_v2']) await expect(main.getByRole('link', { name, exact: true }).first(), name).toBeVisible()
  expect(visitor.steps).toBeLessThanOrEqual(3)
})

test('what did the last run write? @stores', async ({ page, rest }) => {
  const made = 'urn:li:dataset:(urn:li:dataPlatform:hive,web_test.last,PROD)'
  await rest.write([{ urn: made, aspect: 'datasetProperties', value: { name: 'made_last' } }], 'web-test-last')
  const visitor = new Visitor(page)
  await visitor.begin()
  await visitor.click(page.getByRole('link', { name: 'What did the last run write?' }))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('web-test-last')
  await expect(page.getByRole('main').getByText('made_last').first()).toBeVisible()
  expect(visitor.steps).toBe(1)
  await rest.remove(made)
})

test('how were the columns and the lineage, and what changed since?', async ({ page }) => {
  const visitor = new Visitor(page)
  const bar = page.getByRole('region', { name: 'The page shows the past' })
  const columns = page.getByRole('table', { name: 'Columns' })

  // A month before 9 November; net_amount became net_revenue on 20 October.
  await page.clock.setFixedTime('2026-11-09T00:00:00Z')
  await visitor.begin()
  await visitor.click(page.getByRole('button', { name: 'What did the columns look like a month ago?' }))
  await visitor.type(page.getByRole('dialog').getByRole('combobox'), 'marts.orders')
  await visitor.click(page.getByRole('option', { name: /^orders.*Snowflake/ }))
  await expect(page).toHaveURL(new RegExp(`analytics\\.marts\\.orders.*asOf=2026-10-10`))
  await expect(bar).toContainText('10 October 2026')
  await expect(columns.getByRole('button', { name: 'net_amount' })).toBeVisible()
  await expect(columns.getByRole('button', { name: 'net_revenue' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^(Add|Remove|Edit)/ })).toHaveCount(0)
  await visitor.click(bar.getByRole('link', { name: 'What changed since' }))
  const since = page.getByRole('tabpanel', { name: 'Changed since' })
  await expect(since).toContainText('schemaMetadata')
  await expect(since).toContainText(/net_revenue/)
  await expect(since.getByRole('link', { name: 'Bela Norris' }).or(since.getByRole('link', { name: 'Ines Falk' })).first()).toBeVisible()
  expect(visitor.steps).toBeLessThanOrEqual(4)

  // The graph shows the columns of the same moment, and the way to it carries the moment.
  await page.getByRole('main').getByRole('link', { name: 'Lineage', exact: true }).click()
  await settled(page)
  await page.getByRole('application').focus()
  await page.keyboard.press('c')
  const opened = page.getByRole('list', { name: 'Columns of orders' })
  await expect(opened).toContainText('net_amount')
  await expect(opened).not.toContainText('net_revenue')

  // A whole entity is restored after a preview only.
  await page.goto(at.entity(orders, { asOf: '2026-10-10' }))
  await settled(page)
  await page.getByRole('button', { name: 'Restore… all of orders' }).click()
  await expect(page.getByRole('dialog').getByRole('region', { name: 'schemaMetadata', exact: true })).toContainText('net_revenue')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await bar.getByRole('button', { name: 'Back to today' }).click()
  await expect(columns.getByRole('button', { name: 'net_revenue' })).toBeVisible()
  await expect(bar).toHaveCount(0)

  // Two months before 14 December: the board pack was made from the revenue by day.
  visitor.steps = 0
  await page.clock.setFixedTime('2026-12-14T00:00:00Z')
  await visitor.begin()
  await visitor.click(page.getByRole('button', { name: 'What did the lineage look like two months ago?' }))
  await visitor.type(page.getByRole('dialog').getByRole('combobox'), 'board_pack')
  await visitor.click(page.getByRole('option', { name: /board_pack.*S3/ }))
  await expect(bar).toContainText('15 October 2026')
  await page.getByRole('tab', { name: /^List/ }).click()
  await expect(page.getByRole('tabpanel')).toContainText('revenue_daily')
  await visitor.click(bar.getByRole('link', { name: 'What changed since' }))
  const main = page.getByRole('main')
  await expect(main.getByRole('status').first()).toContainText(/changes from 15 October 2026/)
  await expect(main.locator('.legend')).toContainText(/[1-9]\d* ended/)
  await expect(main.getByRole('region', { name: 'Changes' })).toContainText(/executive_summary/)
  expect(visitor.steps).toBeLessThanOrEqual(4)
})
