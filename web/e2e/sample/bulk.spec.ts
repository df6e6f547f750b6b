// One change of several results: the preview lists the changed, equal and refused results, and one undo takes
// back all changes.
import { expect, settled, test } from '../support/harness'
import { dataset } from '../support/names'

const refunds = [dataset('postgres', 'shop.public.refunds'), dataset('snowflake', 'analytics.raw.refunds')]
const tag = 'urn:li:tag:refunds'

test('a change of several entities, with preview, refusal and one undo @stores', async ({ page, rest }) => {
  const domains = async () => Promise.all(refunds.map(async (urn) => (await rest.aspect(urn, 'domains'))?.domains ?? null))
  await rest.write([{ urn: tag, aspect: 'tagProperties', value: { name: 'refunds' } }])
  const before = await domains()
  await page.goto('/ui/search?q=refunds')
  await settled(page)
  for (const box of await page.getByRole('checkbox', { name: 'Select refunds', exact: true }).all()) await box.check()
  await page.getByRole('button', { name: 'Change…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('What to do').selectOption('Set the domain')
  await dialog.getByRole('combobox', { name: 'Domain' }).fill('Sales')
  await dialog.getByRole('option', { name: 'Sales' }).first().click()
  // The same name on two platforms, and a tag, which cannot be in a domain.
  await expect(dialog.getByText('PostgreSQL · shop.public.refunds')).toBeVisible()
  await expect(dialog.getByText('Snowflake · analytics.raw.refunds')).toBeVisible()
  await expect(dialog.getByText(/1 cannot be changed/)).toBeVisible()
  await dialog.getByRole('button', { name: /^Change 2 entities/ }).click()
  await expect.poll(domains).toEqual([['urn:li:domain:sales'], ['urn:li:domain:sales']])
  await expect(page.getByText(/Set the domain: 2 entities changed, 1 refused/)).toBeVisible()

  await page.getByRole('status').getByRole('button', { name: 'Undo' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(domains).toEqual(before)
  // The focus is not lost with the message.
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
  await rest.remove(tag)
})
