import { expect, remember, settled, test } from '../support/harness'
import { at, mart, user } from '../support/names'

test('runs, with what each wrote and when @stores', async ({ page }) => {
  await page.goto('/ui/runs')
  await settled(page)
  const row = page.getByRole('row').filter({ hasText: 'larkspur-nightly-2026-11-08' })
  await expect(row).toContainText('13 aspects')
  await expect(row).toContainText('Omar Reyes')
  await expect(page.getByRole('row').filter({ hasText: 'larkspur-nightly-2026-11-11' })).toContainText(/Rolled back/)
  await row.getByRole('link', { name: 'larkspur-nightly-2026-11-08' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('larkspur-nightly-2026-11-08')
})

test('one run’s effects as before and after @stores', async ({ page }) => {
  await page.goto(at.run('larkspur-nightly-2026-11-08'))
  await settled(page)
  const main = page.getByRole('main')
  await expect(main.getByText('margin_by_product').first()).toBeVisible()
  await main.getByRole('searchbox', { name: 'Find an entity' }).fill('margin_by_product')
  await main.locator('summary').filter({ hasText: /^Lineage/ }).first().click()
  await settled(page)
  await expect(main).toContainText(/stg_prices/)
})

test('rollback: preview, typed confirmation, the record that stays @stores', async ({ page, rest }) => {
  const run = `web-test-rollback`
  const customers = mart('customers')
  const made = 'urn:li:dataset:(urn:li:dataPlatform:hive,web_test.made,PROD)'
  const before = await rest.aspect(customers, 'globalTags')
  await rest.write(
    [
      { urn: customers, aspect: 'globalTags', value: { tags: [{ tag: 'urn:li:tag:Hourly' }] } },
      { urn: made, aspect: 'datasetProperties', value: { name: 'made_by_the_test' } },
    ],
    run,
  )
  await remember(page, 'headwater.actor', user('ines.falk'))
  await page.goto(at.run(run))
  await settled(page)
  await page.getByRole('button', { name: 'Preview a rollback' }).click()
  await expect(page.getByRole('main')).toContainText(/1\s*entity that the run created is hidden/)
  // Opening the run changes nothing.
  expect((await rest.aspect(customers, 'globalTags'))?.tags).toHaveLength(1)
  const go = page.getByRole('button', { name: 'Roll back', exact: true })
  await expect(go).toBeDisabled()
  const field = page.getByRole('textbox', { name: /type the run's id/ })
  await field.fill(run.slice(0, -1))
  await expect(go).toBeDisabled()
  await field.fill(run)
  await go.click()
  await expect.poll(async () => (await rest.aspect(customers, 'globalTags'))?.tags).toEqual(before?.tags)
  expect((await rest.aspect(made, 'status'))?.removed).toBe(true)
  await settled(page)
  await expect(page.getByRole('note')).toContainText('Rolled back')
  await expect(page.getByRole('note')).toContainText('Ines Falk')
  // The record of the rollback is still there after a reload, and in the list.
  await page.reload()
  await expect(page.getByRole('note')).toContainText('Ines Falk')
  await page.goto('/ui/runs')
  await expect(page.getByRole('row').filter({ hasText: run })).toContainText(/Rolled back/)
  await rest.remove(made)
})

test('a rollback that fails says so, and goes on @chromium', async ({ page, rest, problems }) => {
  problems.expect(/Failed to load resource/)
  const run = 'web-test-failing'
  const made = 'urn:li:dataset:(urn:li:dataPlatform:hive,web_test.failing,PROD)'
  await rest.write([{ urn: made, aspect: 'datasetProperties', value: { name: 'failing' } }], run)
  await page.goto(at.run(run))
  await settled(page)
  await page.getByRole('button', { name: 'Preview a rollback' }).click()
  await page.getByRole('textbox', { name: /type the run's id/ }).fill(run)
  await page.route('**/api/graphql', (route) => (/^\s*mutation/.test((route.request().postDataJSON() as { query: string }).query) ? route.fulfill({ status: 500, body: '' }) : route.continue()))
  await page.getByRole('button', { name: 'Roll back', exact: true }).click()
  await expect(page.getByRole('alert').filter({ hasText: '500' })).toBeVisible()
  expect((await rest.aspect(made, 'status'))?.removed ?? false).toBe(false)
  await page.unroute('**/api/graphql')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect.poll(async () => (await rest.aspect(made, 'status'))?.removed).toBe(true)
  await rest.remove(made)
})

test('a run that there is not', async ({ page }) => {
  await page.goto(at.run('there-is-none'))
  await expect(page.getByRole('main')).toContainText('No run has this id')
})
