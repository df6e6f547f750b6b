// A server with authentication, from its first start on: HEADWATER_AUTH_FIRST is the link that
// the server has printed for the first administrator. The flows build on each other.
import { type Browser, type Page } from '@playwright/test'
import { accessible, expect, fits, settled, test, withTheme } from '../support/harness'

const ada = { name: 'Ada Wren', email: 'ada@example.com', password: 'correct horse' }
const bela = { name: 'Bela Stone', email: 'bela@example.com', password: 'battery staple' }

test.describe.configure({ mode: 'serial' })

async function signIn(page: Page, who: { email: string; password: string }): Promise<void> {
  await page.getByLabel('User name or e-mail address').fill(who.email)
  await page.getByLabel('Password', { exact: true }).fill(who.password)
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click()
}

async function introduce(page: Page, who: typeof ada, submit: string): Promise<void> {
  await page.getByLabel('Full name').fill(who.name)
  await page.getByLabel('E-mail address').fill(who.email)
  await page.getByLabel('Password', { exact: true }).fill(who.password)
  await page.getByLabel('Password again').fill(`${who.password}!`)
  await page.getByRole('button', { name: submit }).click()
  await expect(page.getByRole('alert')).toContainText('The two passwords are not the same')
  await page.getByLabel('Password again').fill(who.password)
  await page.getByRole('button', { name: submit }).click()
}

async function choose(page: Page, item: string | RegExp): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

/** Opens a browser of another person. */
async function another(browser: Browser, baseURL: string | undefined): Promise<Page> {
  const context = await browser.newContext({ ...(baseURL ? { baseURL } : {}), permissions: ['clipboard-read', 'clipboard-write'] })
  return context.newPage()
}

test('the whole life of accounts', async ({ page, browser, baseURL, problems }) => {
  test.setTimeout(300_000)
  // The server refuses wrong sign-ins, and requests of people who are not signed in.
  problems.expect(/status of (400|401)/)
  // The stream of changes ends when the rights of its reader change, which may cut its last piece; the page goes on after it.
  problems.expect(/ERR_INCOMPLETE_CHUNKED_ENCODING .*\/events/)
  const second = await another(browser, baseURL)

  await test.step('nobody is signed in: every address leads to the sign-in screen', async () => {
    await page.setViewportSize({ width: 400, height: 800 })
    await withTheme(page, 'dark')
    // The document of the start page has no search box that would be shown before the sign-in screen.
    const start = await page.goto('/')
    expect(await start?.text()).not.toContain('role="search"')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
    await page.goto('/ui/runs')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
    await expect(page).toHaveURL(/\/ui\/login\?redirect_uri=%2Fui%2Fruns$/)
    await expect(page.getByText('Nobody is an administrator yet')).toBeVisible()
    await settled(page)
    await accessible(page, 'sign-in, dark and narrow')
    await fits(page, 'sign-in')
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  await test.step('the link of the first start makes the first administrator', async () => {
    const link = new URL(process.env.HEADWATER_AUTH_FIRST ?? '')
    await page.goto(link.pathname + link.search)
    await accessible(page, 'first start')
    await introduce(page, ada, 'Begin')
    await expect(page).toHaveURL(/\/$/)
    const start = await page.goto('/')
    expect(await start?.text()).toContain('role="search"')
    await settled(page) // the screen takes the focus, which the Escape key needs at the menu
    await page.getByRole('banner').getByRole('button', { name: 'Menu' }).click()
    await expect(page.getByRole('menuitem', { name: `Signed in as ${ada.name}` })).toBeVisible()
    await expect(page.getByRole('menuitem', { name: 'Say who you are…' })).toHaveCount(0)
    await page.keyboard.press('Escape')
  })

  await test.step('sign out, a wrong password, the right one, and back to the same address', async () => {
    await choose(page, 'Sign out')
    await expect(page).toHaveURL(/\/ui\/login$/)
    await page.goto('/ui/runs?start=25')
    await signIn(page, { email: ada.email, password: 'wrong horse' })
    await expect(page.getByRole('alert')).toContainText('Invalid Credentials')
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
    await signIn(page, ada)
    await expect(page).toHaveURL(/\/ui\/runs\?start=25$/)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Runs')
  })

  await test.step('a token is made, shown once, works, and is revoked', async () => {
    await choose(page, 'My tokens')
    await page.getByLabel('Name of the token').fill('nightly job')
    await page.getByLabel('Valid for').selectOption({ label: 'One day' })
    await page.getByRole('button', { name: 'Make a token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your new token' })
    const token = await dialog.getByLabel('The token', { exact: true }).inputValue()
    expect(token.length).toBeGreaterThan(20)
    await accessible(page, 'a new token')
    await dialog.getByRole('button', { name: 'Copy' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token)
    await dialog.getByRole('button', { name: 'Done' }).click()
    const whoHolds = () => fetch(`${baseURL}/auth/session`, { headers: { Authorization: `Bearer ${token}` } }).then((answer) => answer.status)
    expect(await whoHolds()).toBe(200)
    await expect(page.getByRole('list', { name: 'Tokens' })).toContainText('nightly job')
    await accessible(page, 'my tokens')
    await page.getByRole('button', { name: 'Revoke nightly job' }).click()
    await expect(page.getByText('There are no tokens.')).toBeVisible()
    expect(await whoHolds()).toBe(401)
  })

  await test.step('an invited person signs up in another browser', async () => {
    await choose(page, 'People')
    await page.getByRole('button', { name: 'Invite link', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite link' })
    const link = new URL(await dialog.getByLabel('Invite link').inputValue())
    await dialog.getByRole('button', { name: 'Done' }).click()
    await second.goto(link.pathname + link.search)
    await accessible(second, 'sign-up')
    await introduce(second, bela, 'Sign up')
    await expect(second).toHaveURL(/\/$/)
    await settled(second) // the screen takes the focus, which the Escape key needs at the menu
    await second.getByRole('banner').getByRole('button', { name: 'Menu' }).click()
    await expect(second.getByRole('menuitem', { name: `Signed in as ${bela.name}` })).toBeVisible()
    await expect(second.getByRole('menuitem', { name: 'People' })).toHaveCount(0)
    await second.keyboard.press('Escape')
  })

  await test.step('my sessions: this one is marked', async () => {
    await choose(second, 'My sessions')
    await expect(second.getByRole('list', { name: 'Sessions' }).getByRole('listitem')).toHaveCount(1)
    await expect(second.getByText('This session')).toBeVisible()
    await accessible(second, 'my sessions')
  })

  await test.step('a password is changed with the one until now, and reset with a link', async () => {
    await choose(second, 'Change password')
    const fill = async (old: string, password: string) => {
      await second.getByLabel('Password until now').fill(old)
      await second.getByLabel('New password', { exact: true }).fill(password)
      await second.getByLabel('New password again').fill(password)
      await second.getByRole('button', { name: 'Change the password' }).click()
    }
    await accessible(second, 'change password')
    await fill('wrong staple', 'another staple')
    await expect(second.getByRole('alert')).toContainText('The old password is wrong')
    await expect(second.getByRole('heading', { level: 1 })).toHaveText('Change password')
    await fill(bela.password, 'another staple')
    await expect(second).toHaveURL(/\/$/)

    await page.goto('/ui/people')
    await page.getByRole('button', { name: `Reset link for ${bela.name}` }).click()
    const dialog = page.getByRole('dialog', { name: 'Reset link' })
    const link = new URL(await dialog.getByLabel('Reset link').inputValue())
    await dialog.getByRole('button', { name: 'Done' }).click()
    await second.goto(link.pathname + link.search)
    await accessible(second, 'reset')
    await second.getByLabel('E-mail address').fill(bela.email)
    await second.getByLabel('New password', { exact: true }).fill(bela.password)
    await second.getByLabel('New password again').fill(bela.password)
    await second.getByRole('button', { name: 'Set the password' }).click()
    await expect(second).toHaveURL(/\/$/)
    await settled(second)
  })

  await test.step('a suspended person loses the session, and may come back', async () => {
    await page.goto('/ui/people')
    await page.getByRole('button', { name: `Suspend ${bela.name}` }).click()
    await expect(page.getByRole('list', { name: 'People' })).toContainText('Suspended')
    await settled(page)
    await accessible(page, 'people')
    await page.setViewportSize({ width: 400, height: 800 })
    await fits(page, 'people')
    await page.setViewportSize({ width: 1280, height: 800 })
    await second.goto('/ui/runs')
    await expect(second.getByRole('heading', { level: 1 })).toHaveText('Sign in')
    await signIn(second, bela)
    await expect(second.getByRole('alert')).toBeVisible()
    await page.getByRole('button', { name: `Unsuspend ${bela.name}` }).click()
    await expect(page.getByRole('list', { name: 'People' })).not.toContainText('Suspended')
    await signIn(second, bela)
    await expect(second).toHaveURL(/\/ui\/runs$/)
  })

  await test.step('a service account with a token; a group with a member', async () => {
    await page.goto('/ui/services')
    await page.getByLabel('Name of the service account').fill('Loader')
    await page.getByRole('button', { name: 'Make a service account' }).click()
    await page.getByRole('button', { name: 'Tokens of Loader' }).click()
    await page.getByLabel('Name of the token').fill('loads')
    await page.getByRole('button', { name: 'Make a token' }).click()
    await page.getByRole('dialog', { name: 'Your new token' }).getByRole('button', { name: 'Done' }).click()
    await expect(page.getByRole('list', { name: 'Tokens' })).toContainText('loads')
    await accessible(page, 'service accounts')
    await page.getByRole('button', { name: 'Delete Loader' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByText('There are no service accounts.')).toBeVisible()

    await page.goto('/ui/groups')
    await page.getByLabel('Name of the group').fill('Stewards')
    await page.getByRole('button', { name: 'Make a group' }).click()
    await page.getByRole('combobox', { name: 'Add a member' }).fill('Bela')
    await page.getByRole('option', { name: /Bela/ }).first().click()
    await expect(page.getByRole('list', { name: 'Members' })).toContainText(bela.name)
    await accessible(page, 'groups')
    await page.getByRole('button', { name: `Remove ${bela.name}` }).click()
    await expect(page.getByText('The group has no members.')).toBeVisible()
  })

  const entries = page.getByRole('list', { name: 'Entries' }).getByRole('listitem').filter({ has: page.locator('time') })

  await test.step('the audit trail tells who did what, from where, by which session', async () => {
    await choose(page, 'Audit trail')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Audit trail')
    await expect(page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Audit trail' })).toHaveAttribute('aria-current', 'page')
    const changed = entries.filter({ hasText: 'Changed a group' }).first()
    await expect(changed).toContainText('Allowed')
    await expect(changed).toContainText(ada.name)
    await expect(changed).toContainText(/From\s*127\.0\.0\.1, Chrome on /)
    await expect(changed).toContainText(/Shown by\s*Session \S+/)
    await expect(changed).toContainText(/Request\s*\S+/)
    await expect(changed).toContainText(/Door\s*graphql removeGroupMembers/)
    // The browser is in UTC.
    await expect(changed.locator('time')).toHaveText(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC$/)
    await settled(page)
    await accessible(page, 'audit trail')
    await page.setViewportSize({ width: 400, height: 800 })
    await fits(page, 'audit trail')
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  await test.step('the filters of the audit trail are in the address, and work by keyboard', async () => {
    await page.getByLabel('What', { exact: true }).focus()
    await page.keyboard.type('Sign-in')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/ui\/audit\?kind=signInRefused$/)
    await expect(entries.first()).toContainText('Invalid Credentials')
    await expect(entries.first()).toContainText('Refused')
    await expect(page.getByText('Signed out', { exact: true }).and(page.locator('strong'))).toHaveCount(0)
    await page.getByLabel('Outcome').selectOption({ label: 'Allowed' })
    await expect(page).toHaveURL(/kind=signInRefused&outcome=allowed$/)
    await expect(page.getByText('No entry fits.')).toBeVisible()
    await page.getByLabel('What', { exact: true }).selectOption({ label: 'Signed in' })
    await expect(entries.first()).toContainText('Signed in')
    await page.getByRole('combobox', { name: 'Who' }).pressSequentially('Bela')
    await expect(page.getByRole('option', { name: /Bela/ }).first()).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/actor=urn%3Ali%3Acorpuser%3Abela%40example\.com/)
    await expect(entries.first()).toContainText(bela.name)
    await expect(entries.filter({ hasText: ada.name })).toHaveCount(0)
    await accessible(page, 'audit trail of one person')
    await page.getByLabel('Since').fill('2999-01-01T00:00')
    await page.getByLabel('Since').blur()
    await expect(page).toHaveURL(/since=\d+/)
    await expect(page.getByText('No entry fits.')).toBeVisible()
    await page.reload()
    await expect(page.getByLabel('Since')).toHaveValue('2999-01-01T00:00')
    await expect(page.getByLabel('Outcome')).toHaveValue('allowed')
    await page.goBack()
    await expect(entries.first()).toContainText(bela.name)
    await page.getByRole('button', { name: 'Show entries of everybody' }).click()
    await expect(page).not.toHaveURL(/actor=/)
    await page.goto('/ui/audit?entity=urn%3Ali%3Acorpuser%3Abela%40example.com&kind=userSuspended')
    await expect(entries.first()).toContainText(/About\s*Bela Stone/)
    await expect(entries).toHaveCount(1)
  })

  await test.step('the page knows the kinds of the server', async () => {
    await page.goto('/ui/audit')
    await expect(entries.first()).toBeVisible()
    const known = await page.getByLabel('What', { exact: true }).locator('option').evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value).filter(Boolean))
    problems.expect(/audit\?kind=nosuch/, /status of 400/)
    const message = await page.evaluate(async () => ((await (await fetch('/audit?kind=nosuch')).json()) as { message: string }).message)
    expect(known.toSorted()).toEqual((message.split('the kinds are ')[1] ?? '').split(', ').toSorted())
  })

  await test.step('older entries are on further pages', async () => {
    await page.evaluate(async () => {
      for (let n = 0; n < 60; n++) {
        await fetch('/api/graphql', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ query: `mutation { createGroup(input: {id: "page${n}", name: "Page ${n}"}) }` }) })
      }
    })
    await page.goto('/ui/audit?kind=groupChanged')
    await expect(entries).toHaveCount(50)
    const newest = await entries.first().locator('time').textContent()
    await page.getByRole('link', { name: 'Older' }).press('Enter')
    await expect(page).toHaveURL(/kind=groupChanged&cursor=/)
    await expect(entries.last()).toContainText('Stewards')
    await expect(page.getByRole('link', { name: 'Older' })).toHaveCount(0)
    await page.getByRole('button', { name: 'Newest' }).click()
    await expect(page).toHaveURL(/\/ui\/audit\?kind=groupChanged$/)
    await expect(entries.first().locator('time')).toHaveText(newest ?? '')
  })

  await test.step('somebody else sees neither the audit trail nor the way to it', async () => {
    await second.goto('/ui/runs')
    await settled(second)
    await second.getByRole('banner').getByRole('button', { name: 'Menu' }).click()
    await expect(second.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
    await expect(second.getByRole('menuitem', { name: 'Audit trail' })).toHaveCount(0)
    await second.keyboard.press('Escape')
    await second.goto('/ui/audit')
    await expect(second.getByText('Only administrators who have signed in see this page.')).toBeVisible()
    await expect(second.getByRole('list', { name: 'Entries' })).toHaveCount(0)
    expect(await second.evaluate(async () => (await fetch('/audit')).status)).toBe(403)
  })

  await test.step('a person is deleted after a question: the session and the tokens end', async () => {
    const token = await second.evaluate(async (urn) => {
      const body = JSON.stringify({ query: `mutation { createAccessToken(input: {type: PERSONAL, actorUrn: "${urn}", duration: ONE_DAY, name: "mine"}) { accessToken } }` })
      const answer = await fetch('/api/graphql', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
      return ((await answer.json()) as { data: { createAccessToken: { accessToken: string } } }).data.createAccessToken.accessToken
    }, `urn:li:corpuser:${bela.email}`)
    const whoHolds = () => fetch(`${baseURL}/auth/session`, { headers: { Authorization: `Bearer ${token}` } }).then((answer) => answer.status)
    expect(await whoHolds()).toBe(200)
    await page.goto('/ui/people')
    await expect(page.getByRole('button', { name: `Delete ${bela.name}` })).toBeVisible()
    await expect(page.getByRole('button', { name: `Delete ${ada.name}` })).toHaveCount(0)
    await page.getByRole('button', { name: `Delete ${bela.name}` }).click()
    const dialog = page.getByRole('dialog', { name: `Delete ${bela.name}?` })
    await expect(dialog).toContainText('All sessions and tokens of Bela Stone end')
    await expect(dialog).toContainText('has written stays')
    await accessible(page, 'the question before a person is deleted')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await whoHolds()).toBe(200)
    await page.getByRole('button', { name: `Delete ${bela.name}` }).click()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(page.getByText(`${bela.name} is deleted`)).toBeVisible()
    await expect(page.getByRole('list', { name: 'People' })).not.toContainText(bela.name)
    await expect.poll(whoHolds).toBe(401) // a server remembers a caller for half a second
    await second.goto('/ui/runs')
    await expect(second.getByRole('heading', { level: 1 })).toHaveText('Sign in')
    await signIn(second, bela)
    await expect(second.getByRole('alert')).toContainText('Invalid Credentials')
    await page.goto('/ui/audit?kind=userRemoved')
    await expect(entries.first()).toContainText('Removed a user')
  })
  await second.context().close()
})
