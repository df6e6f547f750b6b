// Search, entity, lineage, expanding and impact with the keyboard only.
import { expect, settled, test } from '../support/harness'
import { at, orders } from '../support/names'

test('from the search to the impact by keys alone @always', async ({ page }) => {
  await page.goto('/ui/runs')
  await settled(page)
  /** Presses Tab until the element with the focus has the name. */
  const reach = async (name: RegExp, key = 'Tab', most = 80) => {
    for (let i = 0; i < most; i++) {
      await page.keyboard.press(key)
      const label = await page.evaluate(() => {
        const focused = document.activeElement as HTMLElement | null
        return focused?.getAttribute('aria-label') ?? focused?.innerText ?? ''
      })
      if (name.test(label.trim())) {
        const outlined = await page.evaluate(() => {
          const focused = document.activeElement as HTMLElement
          const seen = (element: Element) => getComputedStyle(element).outlineStyle !== 'none' || getComputedStyle(element).boxShadow !== 'none'
          return focused.matches(':focus-visible') && (seen(focused) || (focused.parentElement !== null && seen(focused.parentElement)))
        })
        expect(outlined, `the focus on ${label} is visible`).toBe(true)
        return
      }
    }
    throw new Error(`${name.source} is not reached by ${key}`)
  }
  await page.keyboard.press('/')
  await page.keyboard.type('analytics.marts.orders')
  await expect(page.getByRole('option').first()).toBeVisible()
  await page.keyboard.press('Enter')
  await settled(page)
  await reach(/^orders$/)
  // The first element may be one with the same name elsewhere.
  while (!(await page.evaluate(() => (document.activeElement as HTMLAnchorElement).href)).includes(encodeURIComponent(orders))) await reach(/^orders$/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('orders')
  await settled(page)
  await reach(/^Lineage$/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/ui\/lineage\//)
  await settled(page)
  await page.getByRole('application').waitFor()
  await reach(/^Lineage of orders/)
  // The view moves to the node; once the node has the focus, the arrow keys follow its edges.
  const node = () => page.evaluate(() => document.activeElement?.closest('[data-urn]')?.getAttribute('data-urn') ?? '')
  await page.keyboard.press('Enter')
  await expect.poll(node).toBe(orders)
  await page.keyboard.press('ArrowLeft')
  await expect.poll(node).not.toBe(orders)
  await page.keyboard.press('e')
  await expect(page).toHaveURL(/open=d/)
  await settled(page)
  await reach(/^Impact$/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/ui\/impact\//)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('a link to another screen leads the keys there, the first screen begins at the top', async ({ page }) => {
  await page.goto('/ui/runs')
  await settled(page)
  await expect(page.getByRole('main')).not.toBeFocused()
  await page.getByRole('banner').getByRole('link', { name: 'Browse' }).click()
  await expect(page).toHaveURL(/\/ui\/browse/)
  await expect(page.getByRole('main')).toBeFocused()
})

test('the link past the header goes to what matters', async ({ page }) => {
  await page.goto('/ui/runs')
  await settled(page)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
})

test('dialogs and menus keep the focus and give it back', async ({ page }) => {
  await page.goto('/')
  await settled(page)
  const question = page.getByRole('button', { name: 'Who owns what feeds this dashboard?' })
  await question.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  for (let i = 0; i < 20; i++) {
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement === document.body || !!document.activeElement?.closest('[role=dialog]'))).toBe(true)
  }
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(question).toBeFocused()
})

test('letters act on the graph, but not from a menu, a field, the header or with Ctrl', async ({ page }) => {
  await page.goto(at.lineage(orders))
  await settled(page)
  const changed = /open=|without=|columns=/
  await page.getByRole('button', { name: 'Export' }).click()
  await page.keyboard.press('c')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'As of' }).focus()
  await page.keyboard.press('c')
  await page.getByRole('banner').getByRole('link', { name: 'Browse' }).focus()
  await page.keyboard.press('c')
  await page.getByRole('application').focus()
  await page.keyboard.press('Alt+c')
  await settled(page)
  await expect(page).not.toHaveURL(changed)
  await page.keyboard.press('c')
  await expect(page).toHaveURL(/columns=/)
})
