// Pictures of every screen in both themes and widths, for people to look at: web/screenshots.
import { mkdir } from 'node:fs/promises'
import { settled, test, withTheme, type Theme } from '../support/harness'
import { at } from '../support/names'
import { accessScreens, screens, sizes, tabsOf, visit } from '../support/screens'

const folder = 'screenshots'

test.beforeAll(async () => {
  await mkdir(folder, { recursive: true })
})

for (const theme of ['light', 'dark'] as Theme[]) {
  for (const [width, size] of Object.entries(sizes)) {
    test(`${theme}, ${width}`, async ({ page, problems }) => {
      problems.expect(/status of 404/)
      await withTheme(page, theme)
      await page.setViewportSize(size)
      const draw = async (name: string, fullPage = false) => {
        await settled(page)
        await page.screenshot({ path: `${folder}/${name}-${theme}-${width}.png`, fullPage })
      }
      for (const screen of screens) {
        const { name } = screen
        await visit(page, screen)
        await draw(name, name.startsWith('entity') || name === 'impact' || name === 'run')
      }
      for (const { name, urn } of tabsOf) {
        await page.goto(at.entity(urn))
        await settled(page)
        const tabs = page.getByRole('main').getByRole('tab')
        for (let i = 1; i < (await tabs.count()); i++) {
          await tabs.nth(i).click()
          const label = ((await tabs.nth(i).textContent()) ?? String(i)).toLowerCase().replaceAll(/[^a-z]+/g, '')
          await draw(`tab-${name}-${label}`, true)
        }
      }
      const empty = process.env.HEADWATER_SCREENS_EMPTY_URL
      if (empty) {
        problems.expect(/another origin/)
        await page.goto(empty)
        await draw('home-empty')
      }
    })
  }
}

// A server with authentication, before its first administrator: HEADWATER_SCREENS_AUTH_FIRST is the
// link for the first one. The first test uses it.
const auth = process.env.HEADWATER_SCREENS_AUTH_URL
test.describe('with authentication', () => {
  test.skip(!auth, 'needs HEADWATER_SCREENS_AUTH_URL')
  test.describe.configure({ mode: 'serial' })
  test.use(auth ? { baseURL: auth } : {})
  const ada = { name: 'Ada Wren', email: 'ada@example.com', password: 'correct horse' }

  test('sign-in and first start', async ({ page, problems }) => {
    problems.expect(/status of (400|401)/)
    const first = new URL(process.env.HEADWATER_SCREENS_AUTH_FIRST ?? '')
    for (const theme of ['light', 'dark'] as Theme[]) {
      await withTheme(page, theme)
      for (const [width, size] of Object.entries(sizes)) {
        await page.setViewportSize(size)
        for (const [name, address] of [
          ['signin', '/ui/login'],
          ['first', first.pathname + first.search],
          ['signup', '/ui/signup?invite_token=x'],
          ['reset', '/ui/reset?reset_token=x'],
        ] as const) {
          await page.goto(address)
          await settled(page)
          await page.screenshot({ path: `${folder}/${name}-${theme}-${width}.png` })
        }
      }
    }
    const answer = await page.request.post('/auth/first', { data: { token: first.searchParams.get('token'), fullName: ada.name, email: ada.email, password: ada.password } })
    if (!answer.ok()) throw new Error(`there is no first administrator: ${await answer.text()}`)
    const made = async (mutation: string) => {
      const answer = await page.request.post('/api/graphql', { data: { query: `mutation { ${mutation} }` } })
      const { errors } = (await answer.json()) as { errors?: unknown }
      if (errors) throw new Error(`${mutation}: ${JSON.stringify(errors)}`)
    }
    await made('createGroup(input: {id: "stewards", name: "Stewards"})')
    await made('createServiceAccount(input: {displayName: "Loader"}) { urn }')
    await made(`createAccessToken(input: {type: PERSONAL, actorUrn: "urn:li:corpuser:${ada.email}", duration: ONE_MONTH, name: "nightly job"}) { accessToken }`)
  })

  for (const theme of ['light', 'dark'] as Theme[]) {
    test(`${theme}: the screens of an administrator`, async ({ page }) => {
      await withTheme(page, theme)
      const answer = await page.request.post('/logIn', { data: { username: ada.email, password: ada.password } })
      if (!answer.ok()) throw new Error(await answer.text())
      for (const [width, size] of Object.entries(sizes)) {
        await page.setViewportSize(size)
        for (const { name, address } of accessScreens) {
          await page.goto(address)
          await settled(page)
          await page.screenshot({ path: `${folder}/${name}-${theme}-${width}.png`, fullPage: name === 'audit' })
        }
      }
    })
  }
})
