// The page with a catalog of the size that companies have. The test compares the numbers on the page with the
// generated ones. Times are measured by make bench-web, not here.
import type { Page } from '@playwright/test'
import { expect, settled, test } from '../support/harness'
import { at, user } from '../support/names'
import { datasetAt, datasets, hub, hubColumn, landingsUsed, load, neighbours, owners, runAt, runs } from './generate'

const words = (n: number) => n.toLocaleString('en')
/** The first number in a text. */
const numberIn = (text: string | null) => Number(/[\d,]+/.exec(text ?? '')?.[0].replaceAll(',', ''))

test('the catalog is loaded', async ({ rest }) => {
  // On Neo4j, this flow takes an hour.
  test.setTimeout(3 * 3_600_000)
  await load(rest)
  // The index follows the store: searches soon find everything.
  await expect
    .poll(async () => (await rest.graphql<{ searchAcrossEntities: { total: number } }>('{ searchAcrossEntities(input: {types: [DATASET], query: "*", start: 0, count: 0}) { total } }')).searchAcrossEntities.total, { timeout: 1_800_000, intervals: [1000] })
    .toBe(datasets + 1)
  expect((await rest.aspect(hub, 'datasetProperties'))?.name).toBe('everything')
})

test('home: how many there are', async ({ page }) => {
  await page.goto('/')
  await settled(page)
  const main = page.getByRole('main')
  expect(numberIn(await main.getByRole('heading', { level: 1 }).textContent())).toBeGreaterThan(datasets)
  await expect(main.getByRole('link', { name: new RegExp(`Datasets\\s*${words(datasets + 1)}`) })).toBeVisible()
})

test('suggestions while typing: datasets, columns, people, tags and terms', async ({ page }) => {
  await page.goto('/')
  await settled(page)
  const input = page.getByRole('combobox', { name: 'Search the catalog' }).last()
  const { name } = datasetAt(datasets - 1)
  for (const [typed, option] of [
    ['everything', /everything.*Dataset · Snowflake/],
    ['shipments_dai', /shipments_daily_\d+.*Dataset/],
    [name, new RegExp(`${name}.*Dataset`)],
    ['region_id', /region_id.*column of/],
    ['Person 17', /Person 17.*Person/],
    ['Group 1', /Group 1[05].*Tag/],
    ['Meaning of invo', /Meaning of invoices.*[Tt]erm/],
  ] as const) {
    await input.fill('')
    // Types as people do: each key asks again, and only the last answer is shown.
    await input.pressSequentially(typed)
    await expect(page.getByRole('option', { name: option }).first(), typed).toBeVisible()
    expect(await page.getByRole('option').count()).toBeLessThanOrEqual(10)
  }
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Meaning of invoices')
})

test('results: facets narrow by as many as they say, pages go to the end', async ({ page }) => {
  await page.goto('/ui/search?q=shipments')
  await settled(page)
  const heading = page.getByRole('heading', { level: 1 })
  const results = page.getByRole('main').getByRole('article')
  const all = numberIn(await heading.textContent())
  expect(all).toBeGreaterThan(4000)
  expect(all).toBeLessThan(datasets / 2)
  await expect(results).toHaveCount(100)
  for (const text of await results.allTextContents()) expect(text).toMatch(/shipments/i)

  for (const [facet, value] of [
    ['Platform', /^Snowflake/],
    ['Owner', /^Person \d+/],
  ] as const) {
    const choice = page.getByRole('group', { name: facet, exact: true }).getByRole('checkbox', { name: value }).first()
    const label = await choice.locator('xpath=..').locator('.count').textContent()
    await choice.check()
    await settled(page)
    await expect(heading).toHaveText(new RegExp(`^\\s*${label} results?`))
  }
  await expect(page).toHaveURL(/platform=.*owners=/)
  const both = numberIn(await heading.textContent())
  expect(both).toBeLessThan(all)
  await page.getByRole('button', { name: 'Clear all' }).click()
  await settled(page)
  await expect(heading).toHaveText(new RegExp(`^\\s*${words(all)} results`))

  const pages = page.getByRole('navigation', { name: 'Pages of results' })
  await expect(pages).toContainText(`1 to 100 of ${words(all)}`)
  const first = (await results.first().textContent()) ?? ''
  await pages.getByRole('button', { name: '100 more' }).click()
  await settled(page)
  await expect(pages).toContainText(`1 to 200 of ${words(all)}`)
  await expect(results).toHaveCount(200)
  await expect(results.first()).toHaveText(first)
  // At most 1,000 results are shown at once; the next results take their place.
  await page.goto('/ui/search?q=shipments&shown=1000')
  await settled(page)
  await expect(results).toHaveCount(1000)
  await pages.getByRole('button', { name: 'Go on from 1,001' }).click()
  await settled(page)
  await expect(pages).toContainText(`1,001 to 1,100 of ${words(all)}`)
  await expect(results.first()).not.toHaveText(first)
  await page.goto(`/ui/search?q=shipments&start=${all - 3}`)
  await settled(page)
  await expect(results).toHaveCount(3)
  await expect(pages.getByRole('button', { name: / more$/ })).toHaveCount(0)
})

test('everything, by name, from its middle', async ({ page }) => {
  await page.goto('/ui/search?type=dataset&sort=name&start=50000')
  await settled(page)
  await expect(page.getByRole('navigation', { name: 'Pages of results' })).toContainText(`50,001 to 50,100 of ${words(datasets + 1)}`)
  const names = await page.getByRole('main').getByRole('article').getByRole('heading').allTextContents()
  expect(names).toHaveLength(100)
  expect(names).toEqual([...names].sort())
})

test('the tree: a level with thousands of folders says how to go on', async ({ page }) => {
  await page.goto('/ui/browse')
  await settled(page)
  const main = page.getByRole('main')
  for (const step of [/^AWS S3/, /^Datasets/]) {
    await main.getByRole('treeitem', { name: step }).first().click()
    await settled(page)
  }
  const left = landingsUsed() - 500
  expect(left).toBeGreaterThan(1000)
  await expect(main.getByRole('treeitem', { name: /^landing_/ })).toHaveCount(500)
  const more = main.getByRole('treeitem', { name: `${words(left)} more folders: search here` })
  // Moves by keyboard, from the top of the tree to its end and back.
  await main.getByRole('treeitem', { name: /^AWS S3/ }).press('Home')
  await page.keyboard.press('End')
  await expect(main.getByRole('treeitem', { selected: true }).first()).not.toHaveAccessibleName(/^AWS S3/)
  await more.click()
  await settled(page)
  await expect(page).toHaveURL(/\/ui\/search\?.*platform=/)
  expect(numberIn(await page.getByRole('heading', { level: 1 }).textContent())).toBeGreaterThan(10_000)

  // A folder that is not listed can be found by the search, and a listed one can be opened.
  await page.goto('/ui/browse')
  await settled(page)
  for (const step of [/^Snowflake/, /^Datasets/, /^area_7,/]) {
    await main.getByRole('treeitem', { name: step }).first().click()
    await settled(page)
  }
  const folder = main.getByRole('treeitem', { name: /^fct_shipments/ })
  const count = numberIn(await folder.getByRole('link').textContent())
  await folder.getByRole('link').click()
  await settled(page)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(new RegExp(`^\\s*${count} results?`))
})

for (const [what, urn, title] of [
  ['a dataset', datasetAt(4000).urn, datasetAt(4000).name],
  ['the hub', hub, 'everything'],
  ['a person who owns hundreds', user('person17'), 'Person 17'],
  ['a tag that thousands have', 'urn:li:tag:group10', 'Group 10'],
  ['a platform', 'urn:li:dataPlatform:snowflake', 'Snowflake'],
] as const) {
  test(`every tab of ${what}`, async ({ page }) => {
    await page.goto(at.entity(urn))
    await settled(page)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
    const tabs = page.getByRole('main').getByRole('tab')
    const labels = await tabs.allTextContents()
    expect(labels.length).toBeGreaterThan(3)
    for (let i = 0; i < labels.length; i++) {
      await tabs.nth(i).click()
      await settled(page)
      await expect(tabs.nth(i)).toHaveAttribute('aria-selected', 'true')
      const panel = page.getByRole('tabpanel')
      expect((await panel.innerText()).trim().length, `${labels[i]} says something`).toBeGreaterThan(3)
      await expect(panel.getByRole('alert').filter({ hasText: /\S/ }), labels[i]).toHaveCount(0)
      expect(await panel.getByRole('listitem').count(), `${labels[i]} is not drawn whole`).toBeLessThan(1500)
    }
  })
}

test('what a person owns: all of it is counted, a page is listed', async ({ page }) => {
  await page.goto(at.entity(user('person17'), { tab: 'contents' }))
  await settled(page)
  const panel = page.getByRole('tabpanel')
  await expect(panel.getByRole('heading', { name: new RegExp(words(datasets / owners)) })).toBeVisible()
  const rows = panel.getByRole('listitem')
  const before = await rows.count()
  expect(before).toBeLessThanOrEqual(50)
  await panel.getByRole('button', { name: /more/i }).first().click()
  await settled(page)
  await expect.poll(() => rows.count()).toBeGreaterThan(before)
})

async function openLineage(page: Page, params: Record<string, string> = {}): Promise<void> {
  await page.goto(at.lineage(hub, params))
  await settled(page)
  await expect(page.getByRole('application').locator('[data-urn]').first()).toBeVisible()
  await page.getByRole('tab', { name: 'List' }).click()
}

test('the explorer at the hub: folded, unfolded in steps, found within the fold', async ({ page }) => {
  await openLineage(page)
  const panel = page.getByRole('tabpanel')
  const list = page.getByRole('tab', { name: /^List/ })
  const fold = panel.getByRole('button', { name: /^[\d,]+ datasets$/ })
  await expect(fold).toHaveText(`${words(neighbours)} datasets`)
  await expect(list).toHaveText('List 1')
  // The fold shows twelve more neighbours at a time.
  await panel.getByRole('button', { name: 'Show 12', exact: true }).click()
  await expect(fold).toHaveText(`${words(neighbours - 12)} datasets`)
  await expect(list).toHaveText('List 13')
  await expect(page).toHaveURL(/more=d12/)

  // Finds one neighbour by its name.
  const { name, urn } = datasetAt(1234)
  await fold.click()
  await page.getByRole('tab', { name: 'Details' }).click()
  await panel.getByRole('searchbox', { name: 'Search these' }).fill(name)
  await panel.getByRole('button', { name: `Show ${name} in the graph` }).click()
  await expect(page.getByRole('application').locator(`[data-urn="${urn}"]`)).toBeVisible()

  // Shows all neighbours: the first part at once, and more on request.
  await list.click()
  await fold.click()
  await page.getByRole('tab', { name: 'Details' }).click()
  await panel.getByRole('button', { name: /^Show all 1,987/ }).click()
  await settled(page)
  const notices = page.getByRole('list', { name: 'Notices' })
  await expect(notices).toContainText(`300 nodes are shown; ${words(neighbours + 1 - 300)} more were reached.`)
  await notices.getByRole('button', { name: 'Show 300 more' }).click()
  await expect(notices).toContainText(`600 nodes are shown; ${words(neighbours + 1 - 600)} more were reached.`)
  await usable(page)
})

/** Checks that the list beside the graph can still choose and expand, and can show more rows. */
async function usable(page: Page): Promise<void> {
  const panel = page.getByRole('tabpanel')
  const list = page.getByRole('tab', { name: /^List/ })
  await list.click()
  const items = panel.getByRole('listitem')
  const before = await items.count()
  expect(before, 'the list is not drawn whole').toBeLessThan(600)
  await panel.getByRole('button', { name: /^List \d+ more$/ }).first().click()
  await expect.poll(() => items.count()).toBeGreaterThan(before)
  const one = panel.locator('button.name').nth(20)
  const name = (await one.textContent()) ?? ''
  await one.click()
  await page.getByRole('tab', { name: 'Details' }).click()
  await expect(panel.getByRole('heading', { level: 2 })).toContainText(name)
  const shown = page.getByRole('application').locator('[data-urn]')
  await expect(shown.first()).toBeVisible()
  expect(await shown.count(), 'what is far or outside is not among the elements').toBeLessThan(400)
}

test('all downstream of the hub: stops at its bound, says so, and stays usable', async ({ page }) => {
  await openLineage(page)
  await page.getByRole('button', { name: 'Expand', exact: true }).click()
  await page.getByRole('menuitem', { name: 'All downstream' }).click()
  await expect(page).toHaveURL(/down=all/)
  await settled(page)
  const notices = page.getByRole('list', { name: 'Notices' })
  await expect(notices).toContainText(/Not all around everything was read: .*[\d,]+ are missing\./)
  await expect(notices).not.toContainText('the answer has more than')
  const missing = numberIn(/([\d,]+) are missing/.exec((await notices.textContent()) ?? '')?.[1] ?? '')
  expect(missing).toBeGreaterThan(10_000)
  const fold = page.getByRole('tabpanel').getByRole('button', { name: /^[\d,]+ datasets$/ }).first()
  await expect(fold).toHaveText(`${words(neighbours)} datasets`)
  await page.getByRole('tabpanel').getByRole('button', { name: 'Show 12', exact: true }).first().click()
  await expect(page).toHaveURL(/more=d12/)
  await settled(page)
  // The link shows the same graph.
  await page.reload()
  await settled(page)
  await expect(notices).toContainText('are missing')
})

test('a dataset at the end: everything upstream of it leads to the hub', async ({ page }) => {
  await page.goto(at.lineage(datasetAt(datasets - 1).urn, { up: 'all' }))
  await settled(page)
  await page.getByRole('tab', { name: 'List' }).click()
  await expect(page.getByRole('tabpanel').getByRole('button', { name: 'everything', exact: true })).toBeVisible()
})

// Impact and time read tens of thousands of entities here: this may take long, but must end.
const long = 180_000

test('the impact of a column of the hub: certain and possible, by owner, and that it is not all', async ({ page }) => {
  await page.goto(at.impact(hub, { column: hubColumn, change: 'rename' }))
  await settled(page, long)
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 2 }).first()).toContainText(new RegExp(`Renaming ${hubColumn} breaks ${words(neighbours / 2)} for certain, may break [\\d,]{5,}`))
  await expect(main).toContainText('This is not all.')
  await expect(main).toContainText(/1,000 of [\d,]+ are shown/)
  // Certain are only the even neighbours of the hub, so these owners must be told first.
  const person = main.getByRole('region', { name: 'Person 16', exact: true })
  await expect(person.getByRole('link', { name: 'person16@large.example' })).toBeVisible()
  await expect(person.getByRole('listitem').first()).toBeVisible()
  expect(await main.getByRole('listitem').count(), 'the list is not drawn whole').toBeLessThan(10_000)
  await main.getByLabel('Effect').selectOption('possible')
  await expect(page).toHaveURL(/effect=possible/)
  await page.getByRole('button', { name: 'Copy as message' }).click()
  const message = await page.evaluate(() => navigator.clipboard.readText())
  expect(message).toContain(hubColumn)
  expect(message).toContain('Person')
  expect(message.length, 'a message, not a catalog').toBeLessThan(200_000)
})

test('time: the hub’s neighbours were added, the list is bounded and narrows', async ({ page }) => {
  await page.goto(at.time(hub, { direction: 'downstream' }))
  await settled(page, long)
  const main = page.getByRole('main')
  await expect(main.getByRole('alert').filter({ hasText: /\S/ })).toHaveCount(0)
  await expect(main.locator('.legend')).toContainText(/[1-9][\d,]* added/)
  await expect(main.getByRole('status').filter({ hasText: /[\d,]+ changes from/ })).toBeVisible()
  const changes = main.getByRole('region', { name: 'Changes' })
  await expect(changes).toContainText(/The newest 1,000 of [\d,]+ are listed/)
  const entries = changes.locator('.entity')
  expect(await entries.count()).toBeLessThan(200)
  await changes.getByRole('button', { name: 'Show older changes' }).click()
  await expect.poll(() => entries.count()).toBeGreaterThan(10)
  const until = page.getByRole('slider', { name: 'Until' })
  await until.focus()
  await page.keyboard.press('ArrowLeft')
  await settled(page, long)
  await expect(page).toHaveURL(/to=/)
  await expect(main.getByRole('alert').filter({ hasText: /\S/ })).toHaveCount(0)
})

test('runs: the newest first, older ones by pages, what one wrote', async ({ page }) => {
  await page.goto('/ui/runs')
  await settled(page)
  const rows = page.getByRole('main').getByRole('row')
  await expect(rows).toHaveCount(1 + 25)
  const pages = page.getByRole('navigation', { name: 'Pages of runs' })
  const total = numberIn(/of ([\d,]+)/.exec((await pages.textContent()) ?? '')?.[1] ?? '')
  expect(total).toBeGreaterThan(runs)
  const first = await rows.nth(1).getByRole('link').first().textContent()
  await pages.getByRole('link', { name: 'Older' }).click()
  await settled(page)
  await expect(page).toHaveURL(/start=25/)
  await expect(pages).toContainText(`26–50 of ${words(total)}`)
  await expect(rows.nth(1).getByRole('link').first()).not.toHaveText(first ?? '')

  await page.goto(at.run(runAt(3)))
  await settled(page)
  const main = page.getByRole('main')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(runAt(3))
  await expect(main.getByText('Entities', { exact: true }).locator('xpath=following-sibling::dd')).toHaveText('400')
  const { name } = datasetAt(3 * 400 + 17)
  await main.getByRole('searchbox', { name: 'Find an entity' }).fill(name)
  // The first rows of the run may belong to other datasets on some stores. The page says that there are more
  // rows, and reads them on request.
  const more = main.getByRole('button', { name: 'Read more' })
  await expect(async () => {
    if ((await main.getByText(name).count()) === 0) await more.click({ timeout: 1000 })
    await expect(main.getByText(name).first()).toBeVisible({ timeout: 3000 })
  }).toPass()
  await page.getByRole('button', { name: 'Preview a rollback' }).click()
  await expect(main).toContainText(/400\s*entities that the run created are hidden/)
})
