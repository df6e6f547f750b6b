// A server that is away or fails: each screen says so and can try again.
import { accessible, expect, settled, test } from '../support/harness'
import { orders, at } from '../support/names'
import { screens, visit } from '../support/screens'

const asking = screens.filter(({ name }) => !['no-such-page', 'entity-missing', 'search-nothing'].includes(name) && !name.startsWith('entity-') || name === 'entity-dataset')

for (const screen of asking) {
  const { name } = screen
  test(`${name}: says that the server is away, and goes on when it is back`, async ({ page, problems }) => {
    problems.expect(/Failed to load resource|ERR_/)
    await page.route('**/api/graphql', (route) => route.abort('connectionrefused'))
    await visit(page, screen)
    await expect(page.getByRole('alert').first()).toContainText(/could not be reached/)
    await accessible(page, `${name} without a server`)
    await page.unroute('**/api/graphql')
    // Parts of a screen that were read on their own are read again on their own.
    const again = page.getByRole('main').getByRole('button', { name: /try again|retry/i })
    await again.first().click()
    await expect
      .poll(async () => {
        await settled(page)
        const left = await again.count()
        // The button may vanish while it is clicked, because another button has already read its part.
        if (left > 0) await again.first().click({ timeout: 500 }).catch(() => undefined)
        return left
      })
      .toBe(0)
    await settled(page)
    await expect(page.getByRole('alert').filter({ hasText: /could not be reached/ })).toHaveCount(0)
  })

  test(`${name}: says what the server says when it fails`, async ({ page, problems }) => {
    problems.expect(/Failed to load resource/)
    await page.route('**/api/graphql', (route) => route.fulfill({ status: 500, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }))
    await visit(page, screen)
    await expect(page.getByRole('alert').first()).toContainText(/500/)
  })
}

test('an error of the contract is shown in its words', async ({ page }) => {
  await page.route('**/api/graphql', (route) => route.fulfill({ json: { data: null, errors: [{ message: 'The walk took too long', extensions: { code: 503 } }] } }))
  await page.goto(at.impact(orders))
  await expect(page.getByRole('alert').first()).toContainText('The walk took too long')
})

test('an answer that a screen cannot show leaves a page that can try again', async ({ page, problems }) => {
  problems.expect(/runId/, /^console: Error/) // Firefox prints only the kind of the error
  await page.route('**/api/graphql', (route) => route.fulfill({ json: { data: { listRuns: { start: 0, total: 1, runs: [null] } } } }))
  await page.goto('/ui/runs')
  await expect(page.getByRole('main').getByRole('alert')).toContainText('cannot be shown')
  await page.unroute('**/api/graphql')
  await page.getByRole('main').getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Runs')
  await settled(page)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('an entity of which nothing is stored', async ({ page }) => {
  await page.goto(at.entity('urn:li:dataset:(urn:li:dataPlatform:hive,there.is.none,PROD)'))
  await expect(page.getByRole('main')).toContainText('Nothing is stored about it')
  await expect(page.getByRole('main').getByRole('link').first()).toBeVisible()
})

for (const [address, words] of [
  ['/ui/entity/not-a-urn', /There is no such entity/],
  ['/ui/lineage/urn%3Ali%3Adataset%3A(', /invalid urn.*parentheses/],
  ['/ui/lineage/' + 'x'.repeat(3000), /invalid urn/],
  ['/ui/impact/x', /invalid urn "x"/],
  ['/ui/time/x', /invalid urn "x"/],
  ['/ui/runs/%00', /No run has this id/],
  ['/ui/nothing', /There is no such page/],
] as const) {
  test(`a broken address shows an error, not an empty page: ${address.slice(0, 40)}`, async ({ page, problems }) => {
    problems.expect(/status of (400|404)/)
    await page.goto(address)
    await settled(page)
    await expect(page.getByRole('main').getByText(words).first()).toBeVisible()
    await expect(page.getByRole('banner').getByRole('link').first()).toBeVisible()
  })
}

// The server refuses these addresses, without the page.
for (const [address, words] of [
  ['/ui/entity/%ZZ', /400 Bad Request/],
  ['/ui/search?start=-1&q=%F0%9F', /not valid UTF-8/],
] as const) {
  test(`an address that is no text is refused in words: ${address}`, async ({ page, problems }) => {
    // The answer is not the page, and so has no icon.
    problems.expect(/status of 400|favicon/)
    const answer = await page.goto(address)
    expect(answer?.status()).toBe(400)
    await expect(page.locator('body')).toContainText(words)
  })
}

test('a slow server shows that something is loading', async ({ page }) => {
  let go = () => {}
  const gate = new Promise<void>((resolve) => (go = resolve))
  await page.route('**/api/graphql', async (route) => {
    await gate
    await route.continue()
  })
  await page.goto(at.entity(orders))
  await expect(page.getByRole('main').getByRole('status').or(page.locator('[aria-busy=true]')).first()).toBeVisible()
  go()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/orders/)
})

test('a part of the page that does not come offers to reload, and comes then', async ({ page, problems }) => {
  problems.expect(/Failed to (load resource|fetch dynamically)|ERR_/)
  await page.goto('/')
  await settled(page)
  await page.route('**/ui/assets/**', (route) => route.abort('connectionrefused'))
  await page.getByRole('banner').getByRole('link', { name: 'Browse' }).click()
  await expect(page.getByRole('main').getByRole('alert')).toContainText('could not be loaded')
  await accessible(page, 'a part that was not loaded')
  await page.unroute('**/ui/assets/**')
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Browse')
  await expect(page).toHaveURL(/\/ui\/browse/)
})

test('a moment that cannot be read can be tried again, and left', async ({ page, problems }) => {
  problems.expect(/Failed to load resource|ERR_/)
  await page.goto(at.lineage(orders))
  await settled(page)
  await page.route('**/api/graphql', (route) => route.abort('connectionrefused'))
  await page.getByRole('button', { name: 'As of' }).click()
  await page.getByRole('menuitem', { name: 'Another moment…' }).click()
  await page.getByRole('dialog').getByLabel('As of').fill('2026-10-01T10:00')
  await page.getByRole('dialog').getByRole('button', { name: 'Go' }).click()
  await expect(page.getByRole('main').getByRole('alert')).toContainText(/could not be reached/)
  await page.unroute('**/api/graphql')
  await page.getByRole('main').getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('application')).toBeVisible()
  await expect(page).toHaveURL(/asOf=/)
  await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0)
})

test('a message is seen and can be closed while a dialog is open', async ({ page }) => {
  await page.goto('/')
  await settled(page)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Say who you are…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Who are you?' })
  await dialog.getByRole('combobox').fill('Data Platform')
  await dialog.getByRole('option', { name: /Data Platform/ }).first().click()
  const message = dialog.getByRole('status').filter({ hasText: 'is not a person' })
  await expect(message).toBeVisible()
  await accessible(page, 'a message over a dialog')
  await message.getByRole('button', { name: 'Close this message' }).click()
  await expect(message).toHaveCount(0)
  await expect(dialog).toBeVisible()
})
