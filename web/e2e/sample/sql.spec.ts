// The screen that tells the tables and columns that a pasted text of SQL reads.
import { expect, settled, test } from '../support/harness'

test('whose data does this query read, which is personal, does it still run? @stores', async ({ page }) => {
  await page.goto('/')
  await settled(page)
  await page.getByRole('link', { name: /^What does this SQL read/ }).click()
  await settled(page)
  // The platform with the most tables is chosen already.
  await expect(page.getByLabel('Dialect')).toHaveValue('snowflake')
  await page.getByLabel('SQL', { exact: true }).fill("select c.email, c.shoe_size\nfrom customers c\nwhere c.city = 'Bern'")
  await page.getByLabel('Database, if left out').fill('analytics')
  await page.getByLabel('Schema, if left out').fill('marts')
  await page.getByRole('button', { name: 'Read it' }).click()
  await expect(page.getByText('No longer runs')).toBeVisible({ timeout: 60_000 })
  await settled(page)
  await expect(page.getByRole('main')).toContainText('analytics.marts.customers.shoe_size')
  const email = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'email', exact: true }) })
  await expect(email).toContainText('Personal data')
  await expect(page.getByRole('main').getByRole('link', { name: 'Bela Norris' })).toBeVisible()

  // A column that is only read has its clause, whose line is marked in the text.
  const city = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'city', exact: true }) })
  await expect(city).toContainText('filter, line 3')
  await city.getByRole('button', { name: 'city' }).click()
  const text = page.getByRole('region', { name: 'The SQL' })
  await expect(text.locator('.lit')).toHaveText(/where c\.city/)
  await expect(text.locator('mark')).toHaveText(['city'])

  // The address is the question; another dialect asks again.
  await page.reload()
  await expect(page.getByText('No longer runs')).toBeVisible({ timeout: 60_000 })
  await page.getByLabel('Dialect').selectOption('postgres')
  await page.getByRole('button', { name: 'Read it' }).click()
  await expect(page.getByText('Not in the catalog').first()).toBeVisible({ timeout: 60_000 })
})

test('SQL that is not understood is told with its line', async ({ page }) => {
  await page.goto(`/ui/sql?dialect=snowflake#${encodeURIComponent('select 1;\nselec 2')}`)
  await expect(page.getByText('Not known whether it runs')).toBeVisible({ timeout: 60_000 })
  await expect(page.getByText('Not understood:')).toBeVisible()
  await page.getByRole('main').getByRole('button', { name: 'line 2', exact: true }).click()
  await expect(page.getByRole('region', { name: 'The SQL' }).locator('.lit')).toHaveText(/selec 2/)
})
