// The menu Arrange: jobs on edges or as nodes, siblings as one node or two, groups that unfold by a click; and the signs of jobs in
// the pictures that are exported.
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, settled, test } from '../support/harness'
import { at, board, orders } from '../support/names'

async function arrange(page: Page, choice: string): Promise<void> {
  await page.getByRole('button', { name: 'Arrange' }).click()
  await page.getByRole('menuitemradio', { name: choice }).or(page.getByRole('menuitem', { name: choice })).or(page.getByRole('menuitemcheckbox', { name: choice })).first().click()
  await settled(page)
}

/** The exported picture, which has the same nodes as the drawing. */
async function picture(page: Page): Promise<string> {
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByText('Picture (SVG)').click()
  return readFile(await (await saved).path(), 'utf8')
}

const titles = (svg: string) => [...svg.matchAll(/font-size="13"[^>]*>([^<]*)</g)].map(([, title]) => title)

test('the graph is arranged as somebody wants it @always @chromium', async ({ page }) => {
  await page.goto(at.lineage(orders))
  await settled(page)

  const onEdges = await picture(page)
  const signed = (svg: string) => /by build_orders<\/title><circle/.test(svg)
  expect(signed(onEdges)).toBe(true)
  expect(titles(onEdges)).not.toContain('build_orders')
  await arrange(page, 'As nodes')
  await expect(page).toHaveURL(/jobs=nodes/)
  const asNodes = await picture(page)
  expect(titles(asNodes)).toContain('build_orders')
  expect(signed(asNodes)).toBe(false)
  await arrange(page, 'On the edges that they make')

  // The table and its dbt model are one node, with both platforms.
  const joined = (svg: string) => svg.includes('Snowflake + dbt')
  expect(joined(onEdges)).toBe(true)
  await arrange(page, 'As two nodes')
  await expect(page).toHaveURL(/siblings=apart/)
  expect(joined(await picture(page))).toBe(false)
  await arrange(page, 'As one node')
  expect(joined(await picture(page))).toBe(true)

  await page.goto(at.lineage(board, { up: '6' }))
  await settled(page)
  const whole = titles(await picture(page)).length
  for (const [choice, group] of [['By container', 'marts'], ['By type', 'Charts'], ['By platform', 'Snowflake']] as const) {
    await arrange(page, choice)
    await expect.poll(async () => titles(await picture(page)), choice).toContain(group)
    expect(titles(await picture(page)).length, choice).toBeLessThan(whole)
  }
  await arrange(page, 'By data product')
  await expect(page).toHaveURL(/group=product/)
  await expect.poll(async () => titles(await picture(page))).toContain('Revenue')
  await arrange(page, 'No groups')
  expect(titles(await picture(page))).toHaveLength(whole)
})
