import { accessible, expect, fits, settled, test, withTheme, type Theme } from '../support/harness'
import { at, orders } from '../support/names'
import { screens, sizes, visit } from '../support/screens'

// "make test-web" checks every screen in each theme and each width; "make test" checks every third screen in
// one theme and width.
const looks: { theme: Theme; width: keyof typeof sizes }[] = [
  { theme: 'light', width: 'wide' },
  { theme: 'dark', width: 'narrow' },
  { theme: 'dark', width: 'wide' },
  { theme: 'light', width: 'narrow' },
]

for (const [place, screen] of screens.entries()) {
  const { name } = screen
  const taken = process.env.HEADWATER_TEST_WEB === 'all' ? looks : looks.slice(place % looks.length, (place % looks.length) + 1)
  for (const { theme, width } of taken) {
    test(`${name}: axe finds nothing, ${theme} and ${width}${place % 3 === 0 ? ' @always' : ''}`, async ({ page, problems }) => {
      if (name === 'no-such-page') problems.expect(/status of 404/)
      await page.setViewportSize(sizes[width])
      await withTheme(page, theme)
      await visit(page, screen)
      await settled(page)
      await accessible(page, `${name}, ${theme}, ${width}`)
      await fits(page, `${name}, ${theme}, ${width}`)
    })
  }
}

test('each screen has one heading of the first level, a title of its own and a main region', async ({ page, problems }) => {
  problems.expect(/status of 404.*there-is-none/)
  const titles = new Set<string>()
  for (const screen of screens) {
    const { name } = screen
    await visit(page, screen)
    await settled(page)
    await expect(page.getByRole('main'), name).toHaveCount(1)
    await expect(page.getByRole('heading', { level: 1 }), name).toHaveCount(1)
    titles.add(await page.title())
  }
  expect(titles.size, [...titles].join('\n')).toBe(screens.length)
})

test('with reduced motion nothing moves', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const address of ['/', '/ui/search?q=orders', at.entity(orders), at.lineage(orders), at.time(orders)]) {
    await page.goto(address)
    await settled(page)
    const moving = await page.evaluate(() =>
      document
        .getAnimations()
        .filter((animation) => animation.playState === 'running' && Number(animation.effect?.getComputedTiming().duration) > 1)
        .map((animation) => `${(animation as CSSAnimation).animationName} of ${((animation.effect as KeyframeEffect).target as Element).outerHTML.slice(0, 100)}`),
    )
    expect(moving, address).toEqual([])
  }
})

test('every control has a name, in the order that people see', async ({ page, problems }) => {
  problems.expect(/status of 404.*there-is-none/)
  for (const screen of screens) {
    const { name } = screen
    await visit(page, screen)
    await settled(page)
    const nameless = await page.getByRole('main').locator('button, a[href], input, select, textarea, [role=button], [role=tab], [role=option], [role=treeitem]').evaluateAll((controls) =>
      controls
        // A control that is only for pointers is hidden from assistive tools, which have keys for its action.
        .filter((control) => control.checkVisibility() && !control.closest('[aria-hidden=true]'))
        .filter((control) => {
          const labels = (control as HTMLInputElement).labels
          const text = [control.getAttribute('aria-label'), control.textContent, control.getAttribute('title'), ...(labels ? [...labels].map((label) => label.textContent) : [])]
          for (const id of (control.getAttribute('aria-labelledby') ?? '').split(' ').filter(Boolean)) text.push(document.getElementById(id)?.textContent ?? '')
          return !text.some((one) => one?.trim())
        })
        .map((control) => control.outerHTML.slice(0, 150)),
    )
    expect(nameless, name).toEqual([])
    const outOfOrder = await page.locator('[tabindex]').evaluateAll((elements) => elements.filter((element) => (element as HTMLElement).tabIndex > 0).length)
    expect(outOfOrder, `${name}: positive tabindex`).toBe(0)
  }
})

test('the theme follows the system until somebody chooses @chromium', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await withTheme(page, 'dark')
  await page.goto('/ui/runs')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
})
