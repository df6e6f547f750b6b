import type { Page } from '@playwright/test'
import { accessible, expect, fits, settled, test } from '../support/harness'
import { at } from '../support/names'
import * as hostile from './metadata'

test.beforeAll(async ({ rest }) => {
  for (const proposals of hostile.metadata()) await rest.write(proposals, 'web-test-hostile')
})

/** Checks that no text of the metadata ran as a script. */
async function harmless(page: Page): Promise<void> {
  const found = await page.evaluate(() => {
    const safe = ['http:', 'https:', 'mailto:']
    return {
      ran: (window as unknown as { pwned?: string }).pwned,
      addresses: [...document.querySelectorAll('[href],[src],[action],[formaction],[data],[srcset],[ping]')]
        .flatMap((element) => ['href', 'src', 'action', 'formaction', 'data', 'srcset', 'ping'].map((name) => element.getAttribute(name) ?? ''))
        .filter((address) => address && !safe.includes(new URL(address, document.baseURI).protocol) && !/^(data:image\/(png|gif|jpeg|webp)|blob:)/.test(address)),
      elements: [...document.querySelectorAll('main script, main iframe, main object, main embed, main video, main audio, main form[action^=http], main style, main link, main meta, main base, main math')].map((element) => element.outerHTML.slice(0, 200)),
      handlers: [...document.querySelectorAll('*')].flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith('on')).map((name) => `${element.tagName} ${name}`)),
      foreign: [...document.querySelectorAll('a[href^="http"]')].filter((link) => new URL((link as HTMLAnchorElement).href).origin !== location.origin && !/noopener|noreferrer/.test((link as HTMLAnchorElement).rel)).map((link) => link.outerHTML.slice(0, 200)),
      sent: performance.getEntriesByType('resource').map((entry) => entry.name).filter((name) => !name.startsWith(location.origin) && !name.startsWith('blob:') && !name.startsWith('data:')),
    }
  })
  expect.soft(found).toEqual({ ran: undefined, addresses: [], elements: [], handlers: [], foreign: [], sent: [] })
}

/** Checks that the page still answers: the next action works. */
async function responsive(page: Page): Promise<void> {
  await page.locator('body').press('/')
  await expect(page.getByRole('combobox').first()).toBeFocused()
  await page.keyboard.press('Escape')
}

for (const urn of hostile.everything) {
  test(`every tab of ${urn}`, async ({ page }) => {
    await page.goto(at.entity(urn))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await settled(page)
    await harmless(page)
    await fits(page, 'the entity page')
    const tabs = page.getByRole('main').getByRole('tab')
    for (let i = 0; i < (await tabs.count()); i++) {
      await tabs.nth(i).click()
      await settled(page)
      await harmless(page)
    }
    await responsive(page)
  })
}

test('markdown is shown as text and safe elements @always', async ({ page }) => {
  await page.goto(at.entity(hostile.markedUp, { tab: 'documentation' }))
  await settled(page)
  await expect(page.getByRole('heading', { level: 1 })).toContainText(hostile.markup)
  await expect(page.getByText('covers the page').first()).toBeVisible()
  // A style in metadata covers nothing: the header can be clicked.
  await page.getByRole('banner').getByRole('link').first().click()
  await expect(page).toHaveURL('/')
})

test('links that would run scripts are no links: their source is shown @always', async ({ page }) => {
  await page.goto(at.entity(hostile.markedUp, { tab: 'documentation' }))
  await settled(page)
  const main = page.getByRole('main')
  for (const [name, source] of [
    ['a script', '[a script](javascript:'],
    ['spaced', '[spaced]( JaVaScRiPt:'],
    ['entity', '[entity](javascript:'],
    ['data', '[data](data:text/html'],
    ['vb', '[vb](vbscript:'],
    ['file', '[file](file:'],
    ['reference', '[reference][one]'],
    ['raw link', '<a href="javascript:'],
  ] as const) {
    await expect(main.getByText(source).first(), source).toBeVisible()
    await expect(main.getByRole('link', { name, exact: true }), name).toHaveCount(0)
  }
  await harmless(page)
})

test('what metadata states twice leaves a live screen', async ({ page }) => {
  for (const [address, shown] of [
    [at.entity(hostile.doubled), 'twice'],
    [at.lineage(hostile.doubled), 'Everything twice'],
    ['/ui/search?q=twice', 'Everything twice'],
  ] as const) {
    await page.goto(address)
    await settled(page)
    await expect(page.getByRole('main').getByText(shown).first()).toBeVisible()
    await responsive(page)
  }
  await page.goto(at.entity(hostile.doubled))
  await settled(page)
  await expect(page.getByRole('button', { name: 'twice', exact: true })).toHaveCount(1)
})

test('ten thousand columns are searched and opened', async ({ page }) => {
  await page.goto(at.entity(hostile.wide))
  await settled(page)
  const rows = await page.getByRole('main').locator('tr, [role=row]').count()
  expect(rows, 'rows in the document').toBeLessThan(1000)
  const search = page.getByRole('main').getByRole('searchbox')
  await search.first().fill('column_09999')
  await expect(page.getByText('column_09999').first()).toBeVisible()
  await expect(page.getByText('column_00001')).toHaveCount(0)
})

for (const [name, address] of Object.entries({
  lineage: at.lineage(hostile.turned),
  'lineage of what is stated twice': at.lineage(hostile.doubled),
  'lineage of a column': at.lineage(`urn:li:schemaField:(${hostile.markedUp},plain)`),
  'lineage of many columns': at.lineage(hostile.wide),
  impact: at.impact(hostile.markedUp, { column: 'plain' }),
  time: at.time(hostile.turned),
  'the start page': '/',
  search: '/ui/search?q=hostile',
  'search for markup': `/ui/search?q=${encodeURIComponent(hostile.markup)}`,
  'search for 4,000 characters': `/ui/search?q=${encodeURIComponent(hostile.long)}`,
  browse: '/ui/browse',
  runs: '/ui/runs',
  run: at.run('web-test-hostile'),
  'a run of a hostile name': at.run(hostile.markup),
})) {
  test(`${name} shows hostile metadata safely @always`, async ({ page }) => {
    await page.goto(address)
    await settled(page)
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeAttached()
    await harmless(page)
    await fits(page, name)
    await accessible(page, name)
    await responsive(page)
  })
}

test('suggestions of hostile names', async ({ page }) => {
  await page.goto('/')
  await settled(page)
  await page.getByRole('combobox').first().fill('hostile')
  await expect(page.getByRole('option').first()).toBeVisible()
  await harmless(page)
  await fits(page, 'suggestions')
})

test('hostile metadata on a narrow screen', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  for (const address of ['/', '/ui/search?q=hostile', at.entity(hostile.markedUp), at.entity(hostile.named), at.entity(hostile.turned), at.lineage(hostile.turned), at.impact(hostile.markedUp), at.impact(hostile.markedUp, { column: 'plain' }), at.impact(hostile.named), at.impact(hostile.named, { column: 'c'.repeat(300) }), at.time(hostile.turned), '/ui/runs']) {
    await page.goto(address)
    await settled(page)
    await harmless(page)
    await fits(page, address.slice(0, 60))
  }
})
