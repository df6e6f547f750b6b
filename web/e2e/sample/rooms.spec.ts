// The rooms beside the entities: glossary, domains, documents, saved views, the feed,
// the queries of a column and its impact. The flow deletes all entities that it makes.
import type { Page } from '@playwright/test'
import { accessible, expect, fits, remember, settled, test } from '../support/harness'
import { at, orders, user } from '../support/names'

const label = (name: string) => new RegExp(`^${name}, `)
const inTree = (page: Page, name: string) => page.getByRole('treeitem', { name: label(name) })

async function make(page: Page, button: string, name: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('heading', { name, level: 2 })).toBeVisible()
}

test('the rooms', async ({ page, rest, browserName }) => {
  await remember(page, 'headwater.actor', user('ada.wren'))

  await test.step('everything of a domain is one click from the start page', async () => {
    await page.goto('/')
    await page.getByRole('region', { name: 'Domains' }).getByRole('link', { name: 'Finance', exact: true }).click()
    await expect(page).toHaveURL(/within=urn/)
    await expect(page.getByText('Finance and what is in it')).toBeVisible()
  })

  await test.step('the glossary: make, move, rename, delete', async () => {
    await page.goto('/ui/glossary')
    await expect(page.getByRole('tree')).toBeVisible()
    await settled(page)
    await accessible(page, 'glossary')
    await make(page, 'New group', 'Seasons')
    const group = new URL(page.url()).searchParams.get('at') ?? ''
    await make(page, 'New term in it', 'Harvest')
    const urn = new URL(page.url()).searchParams.get('at') ?? ''
    await expect.poll(async () => (await rest.aspect(urn, 'glossaryTermInfo'))?.parentNode).toBe(group)
    const move = async (label: string) => {
      await page.getByRole('button', { name: 'Move…' }).click()
      await page.getByRole('dialog').getByLabel('Into').selectOption({ label })
      await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click()
    }
    await move('Money')
    await expect.poll(async () => (await rest.aspect(urn, 'glossaryTermInfo'))?.parentNode).toBe('urn:li:glossaryNode:Money')
    await expect(inTree(page, 'Harvest')).toBeVisible()
    // Playwright does not drag in Firefox.
    if (browserName === 'chromium') await inTree(page, 'Harvest').dragTo(inTree(page, 'Seasons'))
    else await move('Seasons')
    await expect.poll(async () => (await rest.aspect(urn, 'glossaryTermInfo'))?.parentNode).toBe(group)
    await settled(page)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Harvest time')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('heading', { name: 'Harvest time' })).toBeVisible()
    for (const name of ['Harvest time', 'Seasons']) {
      await expect(page.getByRole('heading', { name, level: 2 })).toBeVisible()
      await page.getByRole('button', { name: 'Delete…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
      await expect(inTree(page, name)).toHaveCount(0)
    }
  })

  await test.step('the domains, by keyboard', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/ui/domains')
    await settled(page)
    await fits(page, 'domains')
    await page.getByRole('treeitem').first().focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('link', { name: /^Everything/ })).toBeVisible()
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  await test.step('a document', async () => {
    await page.goto('/ui/documents')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await settled(page)
    await accessible(page, 'documents')
    await page.getByRole('button', { name: 'Write a document' }).click()
    await page.getByRole('dialog').getByLabel('Title').fill('How the close works')
    await page.getByRole('dialog').getByLabel(/^Text/).fill('It **ends** on the third day.')
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await expect(page.getByRole('main').locator('strong', { hasText: 'ends' })).toBeVisible()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('dialog').getByRole('combobox').fill('orders')
    await page.getByRole('dialog').getByRole('option').first().click()
    await expect(page.getByRole('button', { name: /^Remove / })).toBeVisible()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(page).toHaveURL(/\/ui\/documents$/)
  })

  await test.step('a saved view', async () => {
    await page.goto('/ui/search?type=dashboard')
    await settled(page)
    await page.getByRole('button', { name: 'Save as view…' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Only dashboards')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await expect(page).toHaveURL(/view=urn/)
    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.getByLabel('View', { exact: true }).selectOption({ label: 'Only dashboards' })
    await settled(page)
    await accessible(page, 'search with a view')
    await page.getByRole('button', { name: 'Delete view…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(page).not.toHaveURL(/view=urn/)
  })

  await test.step('what people are told', async () => {
    await page.goto(at.entity(orders))
    await page.getByRole('button', { name: 'Tell me', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Tell me', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Telling me' })).toBeVisible()
    await page.goto('/ui/feed')
    await settled(page)
    await accessible(page, 'feed')
    await page.getByRole('button', { name: 'Stop telling me about orders' }).click()
    await expect(page.getByText('Nothing yet.')).toBeVisible()
  })
})
