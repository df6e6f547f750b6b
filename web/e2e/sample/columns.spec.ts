// Columns as results, and a search that reads words as people type them.
import { readFile } from 'node:fs/promises'
import { expect, settled, test } from '../support/harness'

test('which columns hold personal data, who owns them, where do they end up? @stores', async ({ page }) => {
  await page.goto('/')
  await settled(page)
  await page.getByRole('link', { name: /^Which columns hold personal data/ }).click()
  await settled(page)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('4 columns in 4 tables')
  const staging = page.getByRole('row').filter({ hasText: 'analytics.staging.stg_customers' })
  await expect(staging).toContainText('VARCHAR')
  for (const name of ['PII', 'EmailAddress', 'Data Platform', 'Ines Falk']) await expect(staging.getByRole('link', { name, exact: true })).toBeVisible()

  const [table] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export as CSV' }).click()])
  const lines = (await readFile(await table.path(), 'utf8')).trim().split('\n')
  expect(lines).toHaveLength(5)
  expect(lines[0]).toContain('column,path,type,table')

  await page.getByRole('checkbox', { name: /PostgreSQL/ }).filter({ visible: true }).check()
  await settled(page)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('1 column in 1 table')
  await page.goBack()
  await settled(page)
  await page.getByRole('link', { name: '1 downstream of email of stg_customers' }).click()
  await settled(page)
  await expect(page.getByRole('heading', { level: 2 }).first()).toContainText('breaks')
  await expect(page.getByRole('main').getByRole('link', { name: 'customers' }).first()).toBeVisible()
})

test('a search counts words for types, and says which words a result lacks', async ({ page }) => {
  await page.goto('/ui/search?q=board+dashboard')
  await settled(page)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('1 result')
  await expect(page.getByRole('article').getByRole('link', { name: 'Board overview', exact: true })).toBeVisible()
  await page.goto('/ui/search?q=revenue+board+report')
  await settled(page)
  await expect(page.getByText('Nothing matches all 3 words. These match most of them')).toBeVisible()
  await expect(page.getByRole('article').first()).toContainText('Without revenue')
  await page.goto('/ui/search?q=customers')
  await settled(page)
  await expect(page.getByRole('article').first()).toContainText('analytics.marts.customers')
  await expect(page.getByRole('article').nth(1)).toContainText('dbt')
})

test('the page of a tag lists tagged columns apart from what has the tag itself', async ({ page }) => {
  await page.goto('/ui/entity/urn%3Ali%3Atag%3APII')
  await settled(page)
  await expect(page.getByRole('heading', { name: /^Tagged 1/ }).or(page.getByRole('heading', { name: 'Tagged1' }))).toBeVisible()
  const columns = page.getByRole('region', { name: 'Columns', exact: true })
  await expect(columns.getByRole('row')).toHaveCount(5)
  await page.getByRole('link', { name: 'Search and export these columns' }).click()
  await settled(page)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('4 columns in 4 tables')
})
