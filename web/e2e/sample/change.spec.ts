// A change that is not merged, drawn beside the catalog: from the address that a comment on a pull request has, and from a file.
import { deflateRawSync } from 'node:zlib'
import { accessible, expect, settled, test } from '../support/harness'
import { mart, orders } from '../support/names'

const columns = (paths: string[]) => ({
  schemaName: 'orders',
  platform: 'urn:li:dataPlatform:snowflake',
  version: 0,
  hash: '',
  platformSchema: { 'com.linkedin.schema.OtherSchema': { rawSchema: '' } },
  fields: paths.map((fieldPath) => ({ fieldPath, nativeDataType: 'number', nullable: false, type: { type: { 'com.linkedin.schema.NumberType': {} } } })),
})
const said = (entityUrn: string, aspectName: string, value: unknown) => ({ entityType: 'dataset', entityUrn, changeType: 'UPSERT', aspectName, aspect: { value: JSON.stringify(value), contentType: 'application/json' } })

// orders keeps one of its columns, and a new table derives from it.
const fresh = mart('orders_by_week')
const change = JSON.stringify({
  overlay: [
    said(orders, 'schemaMetadata', columns(['order_id', 'week'])),
    said(fresh, 'schemaMetadata', columns(['order_id'])),
    said(fresh, 'upstreamLineage', { upstreams: [{ dataset: orders, type: 'TRANSFORMED', auditStamp: { time: 0, actor: 'urn:li:corpuser:ci' } }] }),
  ],
})

test('a change in an address is drawn beside what is @stores', async ({ page, rest }) => {
  await page.goto(`/ui/change#${deflateRawSync(Buffer.from(change)).toString('base64url')}`)
  await settled(page)
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { name: '2 tables would differ' })).toBeVisible()
  // Words, and not colour alone, tell new, changed and removed columns apart.
  const columnsOf = (name: string) => main.getByRole('region', { name: '2 tables would differ' }).getByRole('list', { name: `Columns of ${name}`, exact: true })
  await expect(columnsOf('orders').getByRole('listitem').filter({ hasText: 'net_revenue' })).toContainText('gone')
  await expect(columnsOf('orders').getByRole('listitem').filter({ hasText: 'week' })).toContainText('new')
  await expect(columnsOf('analytics.marts.orders_by_week').getByRole('listitem').filter({ hasText: 'order_id' })).toContainText('new')
  await expect(main.getByRole('list', { name: 'Legend' })).toContainText('gone: a red dashed line')
  // Each failing entity is listed with its reason and its owners.
  const certain = main.getByRole('region', { name: /Fails for certain/ })
  await expect(certain.getByRole('listitem').filter({ hasText: 'Net revenue by month' })).toContainText('Because')
  await expect(certain.getByText('Owned by').first()).toBeVisible()
  await expect(main.getByRole('region', { name: /May be affected/ })).toBeVisible()
  await accessible(page, 'a change that is not merged')
  // The graph around one table of the change, further out; the change stays in the address.
  await main.getByRole('button', { name: /Draw around it.*: orders$/ }).click()
  await main.getByLabel(/as far as/).selectOption('2')
  await settled(page)
  await expect(page).toHaveURL(/around=.*hops=2.*#/)
  // Nothing was written.
  const { entityRefs } = await rest.graphql<{ entityRefs: { exists: boolean }[] }>('query now($urn: String!) { entityRefs(urns: [$urn]) { exists } }', { urn: fresh })
  expect(entityRefs[0]?.exists).toBe(false)
})

test('a change in a file is drawn, and what is no change says so', async ({ page }) => {
  await page.goto('/ui/change')
  await settled(page)
  const main = page.getByRole('main')
  await expect(main.getByText('No change is chosen')).toBeVisible()
  await accessible(page, 'no change')
  const file = main.getByLabel('Open a change from a file')
  await file.setInputFiles({ name: 'no.json', mimeType: 'application/json', buffer: Buffer.from('[]') })
  await expect(main.getByText('This is no change')).toBeVisible()
  await file.setInputFiles({ name: 'change.json', mimeType: 'application/json', buffer: Buffer.from(change) })
  await expect(main.getByRole('heading', { name: '2 tables would differ' })).toBeVisible()
})

test('an address that was cut off says so', async ({ page }) => {
  await page.goto(`/ui/change#${deflateRawSync(Buffer.from(change)).toString('base64url').slice(0, 60)}`)
  await settled(page)
  await expect(page.getByRole('main').getByText('The address has no change that can be read')).toBeVisible()
})

test('the link that headwater check writes into its comment opens the change @stores', async ({ page }) => {
  const link = process.env.HEADWATER_CHECK_LINK
  test.skip(!link, 'HEADWATER_CHECK_LINK has no link of a comment: go test writes one')
  await page.goto(link ?? '')
  await settled(page)
  const main = page.getByRole('main')
  const differing = main.getByRole('region', { name: '1 table would differ' })
  await expect(differing.getByRole('list', { name: /^Columns of .*orders$/ }).getByRole('listitem').filter({ hasText: 'net_revenue' })).toContainText('gone')
  const certain = main.getByRole('region', { name: /Fails for certain/ })
  await expect(certain.getByRole('listitem').filter({ hasText: 'Net revenue by month' })).toContainText('Because')
  await expect(certain.getByText('Owned by').first()).toBeVisible()
})
