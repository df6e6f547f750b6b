import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, settled, test } from '../support/harness'
import { at, board, column, orders } from '../support/names'

/** A node of the drawing. */
const node = (page: Page, name: string) => page.getByRole('application').locator('[data-urn]').filter({ has: page.getByText(name, { exact: true }) }).first()

async function open(page: Page, urn = orders, params: Record<string, string> = {}): Promise<void> {
  await page.goto(at.lineage(urn, params))
  await settled(page)
  await goNear(page)
}

/** Zooms in until nodes show their owners, tags and buttons. */
async function goNear(page: Page): Promise<void> {
  const part = page.getByRole('application').locator('[data-urn]').first()
  // The drawing is late: zooming in before it is there may move nodes off the screen.
  await expect(async () => {
    if (await part.waitFor({ timeout: 1000 }).then(() => false, () => true)) await page.getByRole('button', { name: 'Zoom in' }).click()
    await expect(part).toBeVisible({ timeout: 1000 })
  }).toPass()
}

async function tab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click()
}

/** The names in the list beside the drawing, which has the same nodes. */
async function listed(page: Page): Promise<string[]> {
  await tab(page, 'List')
  return page.getByRole('tabpanel').getByRole('listitem').getByRole('button').and(page.locator('.name')).allTextContents()
}

test('the graph says what it rests on, and whose last run failed @stores', async ({ page }) => {
  await open(page)
  await page.getByText(/^This rests on larkspur-nightly \(\d+ entities, .*Looker \(.*last run failed .*\d+ of \d+ entities have no column lineage/).click()
  await expect(page.getByRole('row', { name: /^Looker .*failed .* larkspur-looker-2026-11-18/ })).toBeVisible()
})

test('one hop each way at first; the list has the same nodes @stores', async ({ page }) => {
  await open(page)
  const names = await listed(page)
  expect(names.sort()).toEqual(['Orders today', 'Value of a basket', 'build_orders', 'campaign_results', 'loyalty', 'orders', 'revenue_daily', 'stg_order_lines', 'stg_orders', 'stg_refunds'])
  await expect(page.getByText('orders', { exact: true }).first()).toBeVisible()
})

test('the first view shows all that is one hop away, and columns that are opened come near', async ({ page }) => {
  await page.goto(at.lineage(orders))
  await settled(page)
  // The map is idle while the whole drawing is on the screen.
  await expect(page.locator('.map')).toHaveClass(/idle/)
  await page.getByRole('button', { name: 'Open in the graph' }).click()
  await expect(page.getByRole('list', { name: 'Columns of orders' }).getByRole('button', { name: /^net_revenue/ })).toBeInViewport()
})

test('+n expands, and undo takes it back @stores', async ({ page }) => {
  await open(page)
  const before = (await listed(page)).length
  await node(page, 'stg_refunds').getByRole('button', { name: /more upstream of stg_refunds/ }).click()
  await expect(page).toHaveURL(/open=u/)
  await settled(page)
  const after = await listed(page)
  expect(after.length).toBeGreaterThan(before)
  expect(after).toContain('refunds')
  await expect(page.getByRole('region', { name: 'Lineage' }).getByRole('status').filter({ hasText: /stg_refunds/ }).first(), 'a live region says it').toBeAttached()
  await page.getByRole('button', { name: /^Undo/ }).click()
  await expect.poll(async () => (await listed(page)).length).toBe(before)
})

test('all upstream of the board, with owners @stores', async ({ page }) => {
  await open(page, board)
  await page.getByRole('button', { name: 'Expand', exact: true }).click()
  await page.getByRole('menuitem', { name: 'All upstream' }).click()
  await expect(page).toHaveURL(/up=all/)
  await settled(page)
  await tab(page, 'Owners')
  const owners = page.getByRole('tabpanel')
  for (const name of ['Mira Castel', 'Piet Hollis', 'Omar Reyes', 'Ines Falk', 'Data Platform']) await expect(owners.getByText(name, { exact: true }).first(), name).toBeVisible()
  const list = await listed(page)
  expect(list.length).toBeGreaterThan(15)
  expect(list).toEqual(expect.arrayContaining(['executive_summary', 'revenue_daily', 'orders']))
})

test('hubs fold, and what is found within one comes into the middle', async ({ page, rest }) => {
  const hub = 'urn:li:dataset:(urn:li:dataPlatform:hive,web_test.hub,PROD)'
  const spokes = Array.from({ length: 40 }, (_, i) => `urn:li:chart:(looker,web_test_${i})`)
  await rest.write([
    { urn: hub, aspect: 'datasetProperties', value: { name: 'hub' } },
    ...spokes.map((urn, i) => ({ urn, aspect: 'chartInfo', value: { title: `Spoke ${i}`, description: '', inputs: [{ string: hub }], lastModified: { created: { time: 0, actor: 'urn:li:corpuser:a' }, lastModified: { time: 0, actor: 'urn:li:corpuser:a' } } } })),
  ])
  await open(page, hub)
  await tab(page, 'List')
  const fold = page.getByRole('tabpanel').getByRole('button', { name: /^\d+ charts$/ })
  await expect(fold).toHaveText('40 charts')
  await fold.click()
  await tab(page, 'Details')
  await page.getByRole('button', { name: 'Show 12 of them' }).click()
  await expect(page).toHaveURL(/more=d12/)
  await tab(page, 'List')
  await expect(page.getByRole('tabpanel').getByRole('button', { name: /^28 charts$/ })).toBeVisible()
  // A long list scrolls in its panel. If the page scrolled, it would be narrower, and the graph would be fitted again.
  expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight), 'the page is as tall as the window').toBeLessThanOrEqual(0)
  await page.getByRole('textbox', { name: 'Find in the graph' }).or(page.getByRole('searchbox', { name: 'Find in the graph' })).fill('Spoke 33')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/with=/)
  const found = node(page, 'Spoke 33')
  await expect(found).toBeInViewport()
  const middle = async () => {
    const [seen, canvas] = [await found.boundingBox(), await page.getByRole('application').boundingBox()]
    if (!seen || !canvas) return Infinity
    return Math.hypot(seen.x + seen.width / 2 - canvas.x - canvas.width / 2, seen.y + seen.height / 2 - canvas.y - canvas.height / 2)
  }
  await expect.poll(middle).toBeLessThan(200)
  for (const urn of [hub, ...spokes]) await rest.remove(urn)
})

test('the drawing stays in its place when the browser scrolls to a node', async ({ page }) => {
  await open(page)
  const place = await node(page, 'stg_refunds').boundingBox()
  await node(page, 'stg_refunds').evaluate((card) => card.scrollIntoView({ block: 'start', inline: 'start' }))
  expect(await node(page, 'stg_refunds').boundingBox()).toEqual(place)
})

test('filters dim instead of delete', async ({ page }) => {
  await open(page)
  const before = await listed(page)
  await tab(page, 'Filters')
  await page.getByRole('tabpanel').getByRole('checkbox', { name: /Looker/ }).check()
  await expect(page).toHaveURL(/platform=/)
  await expect(page.getByRole('tabpanel')).toContainText('2 of 10 shown nodes match')
  expect(await listed(page)).toEqual(before)
  await expect(page.getByRole('tabpanel').locator('li.dim')).toHaveCount(8)
})

test('what a run has not written for long is hidden', async ({ page, rest }) => {
  const name = (of: string) => `urn:li:dataset:(urn:li:dataPlatform:hive,web_test.${of},PROD)`
  const properties = (of: string) => ({ urn: name(of), aspect: 'datasetProperties', value: { name: of } })
  const upstream = { urn: name('seen_now'), aspect: 'upstreamLineage', value: { upstreams: [{ dataset: name('seen_never'), type: 'TRANSFORMED', auditStamp: { time: 1, actor: 'urn:li:corpuser:other' } }] } }
  await rest.write([properties('seen_now'), upstream])
  await rest.write([properties('seen_never')], 'no-run-id-provided')
  try {
    await open(page, name('seen_now'))
    await tab(page, 'Filters')
    const group = page.getByRole('tabpanel').getByRole('group', { name: 'Last written by a run' })
    await group.getByRole('checkbox', { name: 'Within a day' }).check()
    await expect(page).toHaveURL(/seen=day/)
    await expect(page.getByRole('tabpanel')).toContainText('1 of 2 shown nodes match')
    await page.getByRole('tabpanel').getByRole('checkbox', { name: 'Hide what does not match' }).check()
    await expect(node(page, 'seen_now')).toBeVisible()
    await expect(node(page, 'seen_never')).toHaveCount(0)
    // The address alone is enough.
    await page.reload()
    await settled(page)
    await expect(node(page, 'seen_now')).toBeVisible()
    await expect(node(page, 'seen_never')).toHaveCount(0)
  } finally {
    for (const of of ['seen_now', 'seen_never']) await rest.remove(name(of))
  }
})

test('columns open inside nodes; one lights its path and says where it comes from and goes @stores', async ({ page }) => {
  await open(page)
  await page.getByRole('button', { name: /5 columns.* of orders/ }).click()
  await expect(page).toHaveURL(/columns=/)
  const cell = page.getByRole('list', { name: 'Columns of orders' }).getByRole('button', { name: /^net_revenue/ })
  await cell.hover()
  await cell.click()
  await settled(page)
  const panel = page.getByRole('tabpanel')
  await expect(panel.getByRole('heading', { name: 'net_revenue' })).toBeVisible()
  for (const name of ['stg_refunds', 'revenue_daily', 'campaign_results']) await expect(panel.getByText(name, { exact: true }).first(), name).toBeVisible()
  await expect(page).toHaveURL(/at=.*net_revenue/)
})

test('the lineage of a column begins at the column', async ({ page }) => {
  await page.goto(at.lineage(column(orders, 'net_revenue')))
  await settled(page)
  await expect(page.getByRole('main')).toContainText('net_revenue')
  await expect(page.getByRole('main')).toContainText('orders')
})

test('a click on a line: how, who stated it, which run, since when @stores', async ({ page }) => {
  await open(page)
  const to = await node(page, 'loyalty').boundingBox()
  if (!to) throw new Error('the node is not drawn')
  // The line ends at the left side of the node.
  const panel = page.getByRole('tabpanel')
  const heading = panel.getByRole('heading', { name: /^Edge/ })
  for (let dy = 0; dy < to.height && !(await heading.isVisible()); dy += 4) await page.mouse.click(to.x - 10, to.y + dy)
  await expect(heading).toBeVisible()
  await expect(panel).toContainText('Stated by')
  await expect(panel.getByRole('link', { name: /larkspur-nightly/ }).first()).toBeVisible()
  await expect(panel.getByText(/Omar Reyes/).first()).toBeVisible()
  await expect(panel.locator('time').first()).toBeVisible()
})

test('find in the graph', async ({ page }) => {
  await open(page)
  await page.locator('body').press('f')
  const find = page.getByRole('textbox', { name: 'Find in the graph' }).or(page.getByRole('searchbox', { name: 'Find in the graph' })).or(page.getByRole('combobox', { name: 'Find in the graph' }))
  await expect(find).toBeFocused()
  await find.fill('stg')
  await expect(page.getByRole('search', { name: 'In this graph' })).toContainText('3')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/at=/)
  await expect(page.getByRole('tabpanel').getByRole('heading', { level: 2 })).toContainText('stg_')
})

test('keys: go along edges, expand, open columns, hide, undo, zoom', async ({ page }) => {
  await open(page)
  await page.getByRole('application').focus()
  await page.keyboard.press('Enter')
  const focused = () => page.evaluate(() => document.activeElement?.closest('[data-urn]')?.getAttribute('data-urn') ?? '')
  await expect.poll(focused).not.toBe('')
  await node(page, 'orders').getByRole('button').first().focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(focused).not.toBe(orders)
  await page.keyboard.press('ArrowLeft')
  await expect.poll(focused).toBe(orders)
  await page.keyboard.press('c')
  await expect(page).toHaveURL(/columns=/)
  await page.keyboard.press('u')
  await expect(page).not.toHaveURL(/columns=/)
  await page.keyboard.press('ArrowLeft')
  await expect.poll(focused).not.toBe(orders)
  await page.keyboard.press('h')
  await expect(page).toHaveURL(/without=/)
  await page.keyboard.press('u')
  await expect(page).not.toHaveURL(/without=/)
  const place = page.url()
  await page.keyboard.press('+')
  await expect.poll(() => page.url()).not.toBe(place)
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keys of the lineage graph' })).toBeVisible()
})

test('a link restores the view', async ({ page, context }) => {
  await open(page)
  await node(page, 'stg_refunds').getByRole('button', { name: /more upstream of stg_refunds/ }).click()
  await settled(page)
  await page.getByRole('button', { name: /5 columns.* of orders/ }).click()
  await tab(page, 'Filters')
  await page.getByRole('tabpanel').getByRole('checkbox', { name: /Snowflake/ }).check()
  const names = (await listed(page)).sort()
  await page.getByRole('button', { name: 'Copy link to this view' }).click()
  const address = await page.evaluate(() => navigator.clipboard.readText())
  const other = await context.newPage()
  await other.goto(address)
  await settled(other)
  await expect(other.getByRole('list', { name: 'Columns of orders' })).toBeVisible()
  expect((await listed(other)).sort()).toEqual(names)
  await tab(other, 'Filters')
  await expect(other.getByRole('tabpanel').getByRole('checkbox', { name: /Snowflake/ })).toBeChecked()
})

test('as of a past moment', async ({ page }) => {
  // On 2026-10-15 the board pack was made from the revenue by day.
  const pack = 'urn:li:dataset:(urn:li:dataPlatform:s3,larkspur-lake/exports/board_pack,PROD)'
  await open(page, pack, { asOf: '2026-10-15' })
  expect(await listed(page)).toContain('revenue_daily')
  await page.getByRole('button', { name: 'Back to today' }).click()
  await expect.poll(() => listed(page)).not.toContain('revenue_daily')
  expect(await listed(page)).toContain('executive_summary')
})

test('exports: SVG, PNG, mermaid, CSV @chromium', async ({ page }) => {
  await open(page)
  const save = async (name: string) => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name }).click()
    const done = await download
    return { name: done.suggestedFilename(), content: await readFile(await done.path()) }
  }
  const svg = await save('Picture (SVG)')
  expect(svg.name).toMatch(/\.svg$/)
  const parsed = await page.evaluate((text) => {
    const read = new DOMParser().parseFromString(text, 'image/svg+xml')
    return { root: read.documentElement.nodeName, error: read.querySelector('parsererror')?.textContent ?? '', text: read.documentElement.textContent ?? '', scripts: read.querySelectorAll('script,foreignObject').length }
  }, svg.content.toString('utf8'))
  expect(parsed).toMatchObject({ root: 'svg', error: '', scripts: 0 })
  for (const name of ['orders', 'revenue_daily', 'stg_refunds']) expect(parsed.text).toContain(name)

  const png = await save('Picture (PNG)')
  expect([...png.content.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  expect(png.content.readUInt32BE(16)).toBeGreaterThan(300)

  const mermaid = (await save('Mermaid')).content.toString('utf8')
  expect(mermaid).toMatch(/^flowchart LR\n/)
  expect(mermaid).toContain('stg_refunds')
  expect(mermaid.match(/-->/g)?.length).toBeGreaterThan(8)

  const nodes = (await save('Nodes (CSV)')).content.toString('utf8').trim().split('\r\n')
  expect(nodes[0]).toMatch(/^\uFEFF?urn,name,type/)
  expect(nodes).toHaveLength(11)
  const edges = (await save('Edges (CSV)')).content.toString('utf8')
  expect(edges).toContain('larkspur-nightly-2026-10-06')
})

test('the back button leads to where one came from', async ({ page }) => {
  await page.goto(at.entity(orders))
  await settled(page)
  await page.getByRole('main').getByRole('link', { name: 'Lineage', exact: true }).first().click()
  await settled(page)
  await page.getByRole('navigation', { name: 'More about orders' }).getByRole('link', { name: 'Impact' }).click()
  await expect(page).toHaveURL(/\/ui\/impact\//)
  await page.goBack()
  await expect(page).toHaveURL(/\/ui\/lineage\//)
  await page.goBack()
  await expect(page).toHaveURL(/\/ui\/entity\//)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('orders')
})

test('on a narrow screen the list comes first, with the same actions', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(at.lineage(orders))
  await settled(page)
  await page.getByRole('button', { name: 'List and details' }).click()
  await tab(page, 'List')
  await page.getByRole('tabpanel').getByRole('button', { name: /more downstream of revenue_daily/ }).click()
  await expect(page).toHaveURL(/open=d/)
  await page.getByRole('button', { name: 'Graph', exact: true }).click()
  await expect(page.getByRole('application')).toBeVisible()
})
