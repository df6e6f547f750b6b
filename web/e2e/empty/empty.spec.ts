// A server without the sample: what somebody sees in the first minute.
import { accessible, expect, fits, settled, test } from '../support/harness'
import { screens, sizes } from '../support/screens'

test('the start page says how to ingest the first metadata @always', async ({ page, rest }) => {
  await page.goto('/')
  await settled(page)
  await expect(page.getByRole('main')).toContainText(/empty|no metadata|nothing/i)
  for (const line of ['datahub ingest', 'curl ']) await expect(page.getByRole('main').locator('pre').filter({ hasText: line })).toBeVisible()
  await accessible(page, 'the empty start page')
  await page.setViewportSize(sizes.narrow)
  await fits(page, 'the empty start page')
  // As soon as there is something, it is a catalog.
  const urn = 'urn:li:dataset:(urn:li:dataPlatform:hive,first.table,PROD)'
  await rest.write([{ urn, aspect: 'datasetProperties', value: { name: 'first_table' } }], 'first-run')
  await page.reload()
  await settled(page)
  await expect(page.getByRole('main')).toContainText('first_table')
  await rest.remove(urn)
})

for (const { name, address } of screens) {
  test(`${name} without metadata says so`, async ({ page, problems }) => {
    if (name === 'no-such-page') problems.expect(/status of 404/)
    await page.goto(address)
    await settled(page)
    expect((await page.getByRole('main').innerText()).trim().length).toBeGreaterThan(20)
    await accessible(page, `${name} without metadata`)
    await fits(page, `${name} without metadata`)
  })
}
