// Somebody new adds a database on the page of a fresh server. The server runs it itself.
import type { Page } from '@playwright/test'
import { accessible, expect, fits, settled, test } from '../support/harness'
import { sizes } from '../support/screens'

const [host = '', database = ''] = (process.env.HEADWATER_SOURCES_POSTGRES ?? '').split('/')
const password = 'correct horse battery'

test.describe.configure({ mode: 'serial' })

/** Opens a stored source from the list. */
async function open(page: Page, name: string): Promise<void> {
  await page.goto('/ui/sources')
  await settled(page)
  await page.getByRole('link', { name, exact: true }).click()
  await settled(page)
}

test('a database is added, tried and read, and its lineage is there', async ({ page, request }) => {
  await page.goto('/')
  await settled(page)
  await page.getByRole('button', { name: 'Add a source' }).click()
  await settled(page)
  await accessible(page, 'the types of sources')
  await page.getByLabel('Search types').fill('postg')
  await page.getByRole('link', { name: /^PostgreSQL/ }).click()
  await settled(page)
  await page.getByLabel('Name of the source').fill('Shop')
  await page.getByLabel('Host and port').fill(host)
  await page.getByLabel('Database', { exact: true }).fill(database)
  await page.getByLabel('User', { exact: true }).fill('postgres')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await expect(page.getByLabel('Recipe', { exact: true })).toHaveValue(/username: postgres/)
  await expect(page.getByText('No fault was found.')).toBeVisible()
  await accessible(page, 'the form of a source')
  await page.setViewportSize(sizes.narrow)
  await fits(page, 'the form of a source')
  await page.setViewportSize(sizes.wide)

  await page.getByRole('button', { name: 'Test the connection' }).click()
  await expect(page.getByText('The source can be reached.')).toBeVisible({ timeout: 60_000 })
  await expect(page.getByRole('group', { name: 'Password' })).toContainText('SHOP_PASSWORD')
  await page.getByLabel('How often').selectOption('Every day')
  await page.getByLabel('Time', { exact: true }).fill('06:30')
  await page.getByLabel('Time zone').fill('Europe/Zurich')
  await expect(page.getByText('Every day at 06:30 (Europe/Zurich)')).toBeVisible()
  await page.getByRole('button', { name: 'Save and run' }).click()

  // The parser of SQL is compiled when a server first needs it.
  await expect(page.getByRole('row', { name: /Succeeded/ })).toBeVisible({ timeout: 120_000 })
  await settled(page)
  await expect(page.getByLabel('The log of the run')).toContainText('The run succeeded.')
  await expect(page.getByRole('main')).toContainText('next in')
  await accessible(page, 'a source with a run')
  await page.setViewportSize(sizes.narrow)
  await fits(page, 'a source with a run')
  await page.setViewportSize(sizes.wide)

  await page.getByRole('link', { name: 'What it wrote' }).click()
  await settled(page)
  await expect(page.getByRole('main')).toContainText('revenue')

  // Nothing that the server tells has the password.
  const told = await request.post('/api/graphql', { data: { query: '{ listIngestionSources(input: {}) { ingestionSources { config { recipe } executions { executionRequests { input { arguments { key value } } result { report structuredReport { serializedValue } } } } } } listSecrets(input: {}) { secrets { name description } } }' } })
  expect(await told.text()).not.toContain(password)

  const view = `urn:li:dataset:(urn:li:dataPlatform:postgres,${database}.public.revenue,PROD)`
  await page.goto(`/ui/lineage/${encodeURIComponent(view)}`)
  await settled(page)
  for (const table of ['orders', 'customers']) await expect(page.getByRole('main')).toContainText(table)
})

test('the list tells how sources stand, and runs them', async ({ page }) => {
  await page.goto('/ui/sources')
  await settled(page)
  const row = page.getByRole('row', { name: /Shop/ })
  await expect(row).toContainText('Succeeded')
  await expect(row).toContainText('Every day at 06:30 (Europe/Zurich)')
  await accessible(page, 'the sources')
  await row.getByRole('button', { name: 'Run now: Shop' }).click()
  await expect(row).toContainText('just now')
  await expect(row.getByRole('button', { name: 'Run now: Shop' })).toBeEnabled({ timeout: 60_000 })
  await expect(row).toContainText('Succeeded')
})

test('a recipe is checked while it is written', async ({ page }) => {
  await page.goto('/ui/sources/new?type=postgres')
  await settled(page)
  const recipe = page.getByLabel('Recipe', { exact: true })
  await recipe.fill('source:\n  type: postgres\n  config:\n    host_port: db:5432\n    usernam: reader\n    include_views: perhaps\n')
  await expect(page.getByText(/no setting usernam \(did you mean username\?\)/)).toBeVisible()
  await expect(page.getByText('include_views is true or false.').first()).toBeVisible()
  await expect(page.getByLabel('Host and port')).toHaveValue('db:5432')
  await recipe.fill('source: [')
  await expect(page.getByText(/at line 1/)).toBeVisible()
  await recipe.fill('source:\n  type: postgres\n  config:\n    host_port: db:5432\n    password: hunter2\n')
  await expect(page.getByText(/for everybody who may read it/).first()).toBeVisible()
  await page.getByText('more settings').click()
  await page.getByLabel('Search settings').fill('query timeout')
  await page.getByLabel('Profiling: query timeout seconds').fill('5')
  await page.getByLabel('Profiling: query timeout seconds').blur()
  await expect(recipe).toHaveValue(/query_timeout_seconds: 5/)
})

test('a source that cannot be reached says so, and is mended', async ({ page }) => {
  await open(page, 'Shop')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await settled(page)
  await expect(page.getByText('Stored as the secret SHOP_PASSWORD')).toBeVisible()
  await page.getByLabel('Host and port').fill('127.0.0.1:1')
  await page.getByRole('button', { name: 'Test the connection' }).click()
  await expect(page.getByText(/The source cannot be reached/)).toBeVisible({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Save and run' }).click()
  await expect(page.getByRole('row', { name: /Failed/ })).toBeVisible({ timeout: 60_000 })
  await settled(page)
  await expect(page.getByLabel('The log of the run')).toContainText('127.0.0.1:1')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await settled(page)
  await page.getByLabel('Host and port').fill(host)
  await page.getByLabel('How often').selectOption('Only when somebody starts it')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Runs when somebody starts it')).toBeVisible()
})

test('the page of a source tells what its last good run did not see', async ({ page }) => {
  await open(page, 'Shop')
  await page.getByText('What the last good run did not see any more').click()
  await expect(page.getByText(/has seen everything that this source ever wrote/)).toBeVisible()
  await accessible(page, 'what a run did not see')
})

test('a source that another program wrote and that cannot run says why', async ({ page, request }) => {
  const urn = 'urn:li:dataHubIngestionSource:written'
  const aspect = { value: JSON.stringify({ name: 'Written', type: 'hive', config: { recipe: 'source: {}' } }), contentType: 'application/json' }
  const answer = await request.post('/aspects?action=ingestProposal', { headers: { 'X-RestLi-Protocol-Version': '2.0.0' }, data: { proposal: { entityType: 'dataHubIngestionSource', entityUrn: urn, changeType: 'UPSERT', aspectName: 'dataHubIngestionSourceInfo', aspect }, async: 'false' } })
  expect(answer.status()).toBe(200)
  await page.goto('/ui/sources')
  await settled(page)
  await expect(page.getByRole('row', { name: /Written/ })).toContainText('It cannot run: The recipe must be a JSON object')
  await accessible(page, 'a source that cannot run')
  await open(page, 'Written')
  await expect(page.getByText(/It cannot run: The recipe must be a JSON object/)).toBeVisible()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete the source' }).click()
})

test('secrets are made, changed and deleted without showing their values', async ({ page, request }) => {
  await page.goto('/ui/sources')
  await settled(page)
  await page.getByRole('link', { name: 'Secrets', exact: true }).click()
  await settled(page)
  const shop = page.getByRole('row', { name: /SHOP_PASSWORD/ })
  await expect(shop.getByRole('link', { name: 'Shop', exact: true })).toBeVisible()
  await accessible(page, 'the secrets')

  // Everything works by the keyboard.
  await page.getByRole('button', { name: 'New secret' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Name', { exact: true }).fill('API_TOKEN')
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('Value', { exact: true })).toBeFocused()
  await page.getByLabel('Value', { exact: true }).fill(password)
  await page.getByLabel('Description', { exact: true }).fill('Of the API')
  await accessible(page, 'a new secret')
  await page.getByLabel('Description', { exact: true }).press('Enter')
  const row = page.getByRole('row', { name: /API_TOKEN/ })
  await expect(row).toContainText('Of the API')
  await expect(row).toContainText('No source')

  await row.getByRole('button', { name: 'Change: API_TOKEN' }).click()
  await expect(page.getByLabel('New value', { exact: true })).toHaveValue('')
  await page.getByLabel('New value', { exact: true }).fill('another value')
  await page.getByLabel('Description', { exact: true }).fill('Of the new API')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(row).toContainText('Of the new API')
  const value = await request.post('/api/graphql', { data: { query: '{ getSecretValues(input: {secrets: ["API_TOKEN"]}) { value } }' } })
  expect(await value.text()).toContain('another value')
  expect(await page.content()).not.toContain('another value')

  await shop.getByRole('button', { name: 'Delete: SHOP_PASSWORD' }).click()
  await expect(page.getByRole('dialog')).toContainText('their next runs will fail without it')
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await row.getByRole('button', { name: 'Delete: API_TOKEN' }).click()
  await page.getByRole('button', { name: 'Delete the secret' }).click()
  await expect(row).toHaveCount(0)
  await page.setViewportSize(sizes.narrow)
  await fits(page, 'the secrets')
  await page.setViewportSize(sizes.wide)
})

test('a source is deleted, and what it wrote stays', async ({ page }) => {
  await open(page, 'Shop')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete the source' }).click()
  await expect(page.getByText('No source has been added yet')).toBeVisible()
  await page.goto('/ui/search?q=revenue')
  await settled(page)
  await expect(page.getByRole('main').getByRole('link', { name: 'revenue' }).first()).toBeVisible()
})
