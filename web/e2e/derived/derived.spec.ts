// Lineage that the server reads from SQL, on a server that does: how it is drawn, the SQL of an edge, and two readings.
import type { Page } from '@playwright/test'
import { short } from '../../src/screens/lineage/known'
import { accessible, expect, fits, settled, test } from '../support/harness'
import type { Rest } from '../support/rest'

const table = (name: string, schema = 'public') => `urn:li:dataset:(urn:li:dataPlatform:postgres,shop.${schema}.${name},PROD)`
const column = (of: string, path: string) => `urn:li:schemaField:(${of},${path})`
const [orders, paid, view, ghost] = [table('orders'), table('paid'), table('revenue', 'reports'), table('orders', 'reports')]

const schema = (columns: string[]) => ({
  schemaName: 's',
  platform: 'urn:li:dataPlatform:postgres',
  version: 0,
  hash: '',
  platformSchema: { 'com.linkedin.schema.OtherSchema': { rawSchema: '' } },
  fields: columns.map((name) => ({ fieldPath: name, nativeDataType: 'int', type: { type: { 'com.linkedin.schema.NumberType': {} } } })),
})

async function load(rest: Rest) {
  const sql = (text: string) => ({ materialized: false, viewLogic: text, viewLanguage: 'SQL' })
  await rest.write([
    { urn: orders, aspect: 'schemaMetadata', value: schema(['id', 'amount', 'state']) },
    { urn: paid, aspect: 'viewProperties', value: sql("select o.id,\n  o.amount\nfrom orders o\nwhere o.state = 'paid'") },
    // A client that does not find the tables of a view in another schema names some that do not exist.
    { urn: view, aspect: 'viewProperties', value: sql('select id, amount from orders') },
    {
      urn: view,
      aspect: 'upstreamLineage',
      value: {
        upstreams: [{ dataset: ghost, type: 'VIEW', auditStamp: { time: 0, actor: 'urn:li:corpuser:ada' } }],
        fineGrainedLineages: [
          { upstreamType: 'FIELD_SET', upstreams: [column(ghost, 'amount')], downstreamType: 'FIELD', downstreams: [column(view, 'amount')], confidenceScore: 0.2 },
        ],
      },
    },
    {
      urn: 'urn:li:query:paid',
      aspect: 'queryProperties',
      value: {
        statement: { value: 'select sum(amount) from orders', language: 'SQL' },
        source: 'MANUAL',
        created: { time: 0, actor: 'urn:li:corpuser:ada' },
        lastModified: { time: 0, actor: 'urn:li:corpuser:ada' },
      },
    },
    { urn: 'urn:li:query:paid', aspect: 'querySubjects', value: { subjects: [{ entity: orders }] } },
  ])
  const ask = 'query q($urn: String!) { lineageGraph(input: { urn: $urn, direction: UPSTREAM, hops: 1 }) { edges { upstream provenance { derived } } } }'
  for (const urn of [paid, view])
    await expect
      .poll(async () => (await rest.graphql<{ lineageGraph: { edges: { upstream: string }[] } }>(ask, { urn })).lineageGraph.edges.map((edge) => edge.upstream), { timeout: 120_000 })
      .toContain(orders)
}

/** Opens the lineage of an entity, with an edge to it selected. */
async function open(page: Page, up: string, down: string, columns: string[] = []) {
  const at = [short(up), short(down), ...columns].map(encodeURIComponent).join(':')
  await page.goto(`/ui/lineage/${encodeURIComponent(down)}?${new URLSearchParams({ at })}`)
  await settled(page)
}

test('a derived edge is drawn as one, and its SQL has the clause marked', async ({ page, rest }) => {
  await load(rest)
  await open(page, orders, paid)
  const main = page.getByRole('main')
  await main.getByText('Legend').click()
  await expect(main.getByText('Derived from SQL, and stated by no source')).toBeVisible()
  await expect(main.getByText('Derived from SQL', { exact: true })).toBeVisible()
  const sql = page.getByRole('region', { name: 'The SQL' })
  await expect(sql.locator('.lit')).toHaveCount(3, { timeout: 60_000 })
  await main.getByRole('button', { name: 'filter, line 4' }).click()
  await expect(sql.locator('.lit')).toHaveText(/where o\.state/)
  await accessible(page, 'the SQL of an edge')

  // An edge between columns has only the lines of its column.
  await open(page, orders, paid, ['amount', 'amount'])
  await expect(sql.locator('.lit')).toHaveText(/o\.amount/)
  await expect(sql.locator('mark')).toHaveText(['amount'])

  // The statement goes to the screen of SQL.
  await main.getByRole('link', { name: 'What does this SQL read?' }).click()
  await settled(page)
  await expect(page.getByLabel('Dialect')).toHaveValue('postgres')
  await expect(page.getByLabel('Schema, if left out')).toHaveValue('public')
  await expect(page.getByLabel('SQL', { exact: true })).toHaveValue(/where o\.state/)
  await expect(page.getByText('Runs', { exact: true }).first()).toBeVisible({ timeout: 60_000 })
})

test('two readings of the same SQL are side by side', async ({ page }) => {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await open(page, orders, view)
    if (width === 390) await page.getByRole('tab', { name: 'Details' }).click()
    const readings = page.getByRole('region', { name: 'Two readings of the SQL' })
    await expect(readings.first()).toBeVisible()
    const amount = readings.filter({ hasText: 'shop.reports.revenue.amount' })
    await expect(amount).toContainText('shop.reports.orders.amount')
    await expect(amount).toContainText('shop.public.orders.amount')
    await expect(amount).toContainText('20 %')
    await expect(amount).toContainText('Lineage follows both.')
    await accessible(page, `two readings at ${width}`)
    await fits(page, `two readings at ${width}`)
  }
})

test('code and saved queries lead to the screen of SQL', async ({ page }) => {
  await page.goto(`/ui/entity/${encodeURIComponent(view)}?tab=code`)
  await settled(page)
  const link = page.getByRole('link', { name: 'What does this SQL read?' })
  await expect(link).toHaveAttribute('href', /dialect=postgres&database=shop&schema=reports#select%20id/)
  await page.goto(`/ui/entity/${encodeURIComponent(orders)}?tab=queries`)
  await settled(page)
  await page.getByRole('article').getByRole('link', { name: 'What does this SQL read?' }).click()
  await settled(page)
  await expect(page.getByLabel('SQL', { exact: true })).toHaveValue('select sum(amount) from orders')
  await expect(page.getByLabel('Database, if left out')).toHaveValue('shop')
})
