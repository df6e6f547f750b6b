// A server with the model of docs/custom-models.md: a type of entity and an aspect that the page
// was not built for.
import { expect, settled, test } from '../support/harness'
import { at } from '../support/names'

const floor = 'urn:li:dataset:(urn:li:dataPlatform:hive,acme.floor,PROD)'

test('an entity of a custom model is found and shown @stores', async ({ page }) => {
  await page.goto('/ui/search?q=sweeper')
  await settled(page)
  await page.getByRole('main').getByRole('link', { name: 'Sweeper of the hall' }).first().click()
  await settled(page)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Sweeper of the hall')
})

test('an aspect of a custom model is shown on its entity, with its lineage @stores', async ({ page }) => {
  await page.goto(`${at.entity(floor)}`)
  await settled(page)
  await expect(page.getByRole('main')).toContainText('Hours 7')
  await page.goto(at.lineage(floor))
  await settled(page)
  await expect(page.getByRole('main')).toContainText('Sweeper of the hall')
})
