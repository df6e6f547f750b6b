// Changes of another client appear by themselves, and the text that somebody reads stays in place.
import type { Page } from '@playwright/test'
import { expect, settled, test } from '../support/harness'
import { at, dataset } from '../support/names'
import type { Rest } from '../support/rest'

const made = (name: string) => dataset('hive', `web_test.${name}`)
const named = (urn: string, name: string) => ({ urn, aspect: 'datasetProperties', value: { name } })
const from = (urn: string, ...upstreams: string[]) => ({
  urn,
  aspect: 'upstreamLineage',
  value: { upstreams: upstreams.map((dataset) => ({ dataset, type: 'TRANSFORMED', auditStamp: { time: 1, actor: 'urn:li:corpuser:other' } })) },
})
const owned = (urn: string, owner: string) => ({ urn, aspect: 'ownership', value: { owners: [{ owner, type: 'DATAOWNER' }], lastModified: { time: 1, actor: 'urn:li:corpuser:other' } } })

/** Changes made elsewhere are shown within this time, on a machine that is not busy in about two seconds. */
const soon = { timeout: 20_000 }
const [brook, river, sea, lake] = ['livebrook', 'liveriver', 'livesea', 'livelake'].map(made) as [string, string, string, string]

async function begin(rest: Rest): Promise<void> {
  await rest.write([...[brook, river].map((urn) => named(urn, urn.includes('brook') ? 'livebrook' : 'liveriver')), from(river, brook), owned(river, 'urn:li:corpuser:bela.norris')], 'web-test-live')
}

async function end(rest: Rest): Promise<void> {
  for (const urn of [brook, river, sea, lake]) await rest.remove(urn)
}

const note = (page: Page) => page.getByRole('main').locator('.changed')
const place = (page: Page, urn: string) => page.locator(`[data-urn="${urn}"]`).boundingBox()

test('the graph, the impact and the search follow what another client writes @always', async ({ page, rest, context }) => {
  await begin(rest)
  try {
    await page.goto(at.lineage(brook))
    await settled(page)
    const impact = await context.newPage()
    await impact.goto(at.impact(brook))
    await settled(impact)
    await expect(impact.getByRole('main').getByRole('link', { name: 'liveriver' }).first()).toBeVisible()
    await page.bringToFront()
    const panel = page.getByRole('tabpanel')
    const before = await place(page, brook)

    // Another owner moves nothing: it appears by itself.
    await rest.write([owned(river, 'urn:li:corpuser:mira.castel')], 'web-test-live')
    await page.getByRole('tab', { name: 'Owners' }).click()
    await panel.getByText('Downstream', { exact: true }).click()
    await expect(panel).toContainText('Mira Castel', soon)
    await expect(note(page)).toBeHidden()

    // Another node would move the drawn nodes, so the page shows it only when somebody asks for it.
    await rest.write([named(sea, 'livesea'), from(sea, river), named(lake, 'livelake'), from(lake, brook)], 'web-test-live')
    await expect(note(page)).toContainText('The lineage has changed: 1 more in the graph.', soon)
    await expect(page.locator(`[data-urn="${lake}"]`)).toHaveCount(0)
    expect(await place(page, brook)).toEqual(before)
    await note(page).getByRole('button', { name: 'Show' }).click()
    await expect(page.locator(`[data-urn="${lake}"]`)).toHaveCount(1)
    await expect(note(page)).toBeHidden()

    await expect(note(impact)).toContainText('What breaks has changed.', soon)
    await expect(impact.getByRole('main').getByRole('link', { name: 'livelake' })).toHaveCount(0)
    await note(impact).getByRole('button', { name: 'Show' }).click()
    await expect(impact.getByRole('main').getByRole('link', { name: 'livelake' }).first()).toBeVisible()
    await impact.close()
  } finally {
    await end(rest)
  }
})

test('what another client writes after the first reads and before the stream is open appears too', async ({ page, rest }) => {
  await begin(rest)
  try {
    let asked = () => {}
    let open = () => {}
    const waits = new Promise<void>((resolve) => (asked = resolve))
    const opened = new Promise<void>((resolve) => (open = resolve))
    await page.route('/events?*', async (route) => {
      asked()
      await opened
      await route.continue()
    })
    await page.goto(at.entity(river))
    await waits
    await expect(page.getByRole('main')).toContainText('Bela Norris')
    await rest.write([owned(river, 'urn:li:corpuser:mira.castel')], 'web-test-live')
    open()
    await expect(page.getByRole('main')).toContainText('Mira Castel', soon)
  } finally {
    await end(rest)
  }
})

test('the results of a search follow what another client writes @always', async ({ page, rest }) => {
  await begin(rest)
  try {
    await page.goto('/ui/search?type=dataset&platform=urn%3Ali%3AdataPlatform%3Ahive')
    await expect.poll(async () => {
      await page.reload()
      await settled(page)
      return page.getByRole('main').getByRole('link', { name: 'liveriver' }).count()
    }).toBeGreaterThan(0)
    const results = page.getByRole('main').getByRole('article')
    const count = await results.count()

    // The text of a result changes in place.
    await rest.write([owned(river, 'urn:li:corpuser:jun.petrov')], 'web-test-live')
    await expect(results.filter({ hasText: 'liveriver' })).toContainText('Jun Petrov', soon)
    await expect(note(page)).toBeHidden()

    await rest.write([named(lake, 'livelake')], 'web-test-live')
    await expect(note(page)).toContainText('The results have changed.', soon)
    await expect(results).toHaveCount(count)
    await note(page).getByRole('button', { name: 'Show' }).click()
    await expect(results).toHaveCount(count + 1)
    await expect(note(page)).toBeHidden()
  } finally {
    await end(rest)
  }
})

test('what changed while the event stream was interrupted appears when the stream is there again', async ({ page, rest }) => {
  await begin(rest)
  try {
    // The first stream ends when the test says so, before it has told any change. The second one begins after another change.
    const [ends, ended] = gate()
    const [begins, begun] = gate()
    let streams = 0
    await page.route('**/events?*', async (route) => {
      if (++streams === 1) {
        await ended
        await route.fulfill({ status: 200, contentType: 'text/event-stream', body: ': stream of changes\n\n' })
        return
      }
      await begun
      await route.continue()
    })
    await page.goto(at.entity(river))
    await settled(page)
    const owners = page.getByRole('main')
    await expect(owners).toContainText('Bela Norris')
    ends()
    await expect.poll(() => streams).toBe(2)
    await rest.write([owned(river, 'urn:li:corpuser:jun.petrov')], 'web-test-live')
    await expect(owners).not.toContainText('Jun Petrov')
    begins()
    await expect(owners).toContainText('Jun Petrov', soon)
    await expect(owners).not.toContainText('Bela Norris')
  } finally {
    await end(rest)
  }
})

/** A promise, and the function that fulfils it. */
function gate(): [open: () => void, opened: Promise<void>] {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return [open, opened]
}
