// Many results: a hundred at a time, a selection that stays, and tables of all results.
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, settled, test } from '../support/harness'
import { at, dataset } from '../support/names'
import type { Proposal } from '../support/rest'

const many = 230
const one = (i: number) => dataset('kafka', `web_test.manifold_${String(i).padStart(3, '0')}`)

async function table(page: Page, button: string | RegExp = 'Export as CSV'): Promise<string[]> {
  const saved = page.waitForEvent('download')
  await page.getByRole('main').getByRole('button', { name: button }).first().click()
  const text = await readFile(await (await saved).path(), 'utf8')
  return text.trimEnd().split('\r\n')
}

test('results come by a hundred, keep their selection, and are exported @chromium', async ({ page, rest }) => {
  const proposals = Array.from({ length: many }, (_, i): Proposal[] => [
    { urn: one(i), aspect: 'datasetProperties', value: { name: `manifold ${i}` } },
    { urn: one(i), aspect: 'globalTags', value: { tags: [{ tag: 'urn:li:tag:WebManifold' }] } },
  ]).flat()
  await rest.write([{ urn: 'urn:li:tag:WebManifold', aspect: 'tagProperties', value: { name: 'WebManifold' } }, ...proposals])
  try {
    await page.goto('/ui/search?q=manifold&type=dataset')
    await settled(page)
    const results = page.getByRole('main').getByRole('article')
    const pages = page.getByRole('navigation', { name: 'Pages of results' })
    await expect(results).toHaveCount(100)
    await expect(pages).toContainText('1 to 100 of 230')
    const first = page.getByRole('checkbox', { name: /^Select manifold/ }).first()
    const chosen = await first.getAttribute('aria-label')
    await first.check()
    await pages.getByRole('button', { name: '100 more' }).click()
    await settled(page)
    await expect(results).toHaveCount(200)
    await pages.getByRole('button', { name: '30 more' }).click()
    await settled(page)
    await expect(results).toHaveCount(many)
    await expect(pages).toHaveCount(0)
    await expect(page.getByRole('checkbox', { name: chosen! })).toBeChecked()
    await expect(page.getByRole('group', { name: 'Selection' })).toContainText('1 selected')
    // After going away and back, the page shows as many results as before.
    await results.last().getByRole('link').first().click()
    await settled(page)
    await page.goBack()
    await settled(page)
    await expect(results).toHaveCount(many)

    const lines = await table(page)
    expect(lines[0]).toMatch(/^urn,name,type/)
    expect(lines).toHaveLength(many + 1)
    expect(new Set(lines.slice(1)).size).toBe(many)

    await page.goto(at.entity('urn:li:tag:WebManifold', { tab: 'contents' }))
    await settled(page)
    expect(await table(page)).toHaveLength(many + 1)
  } finally {
    for (let i = 0; i < many; i++) await rest.remove(one(i))
    await rest.remove('urn:li:tag:WebManifold')
  }
})
