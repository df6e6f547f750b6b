// The controls that the page offers to people with different rights, and the screens on which rights are
// given: policies, roles, and who may do what. The flows build on each other.
import { type Browser, type Page } from '@playwright/test'
import { accessible, expect, fits, settled, test, withTheme, type Theme } from '../support/harness'
import { at, dataset, user } from '../support/names'

const ada = { name: 'Ada Wren', email: 'ada@example.com', password: 'correct horse' }
const ned = { name: 'Ned Reed', email: 'ned@example.com', password: 'quiet harbour' }
const orders = dataset('hive', 'shop.orders')

test.describe.configure({ mode: 'serial' })

async function signedIn(browser: Browser, baseURL: string | undefined, who: { email: string; password: string }): Promise<Page> {
  const context = await browser.newContext({ ...(baseURL ? { baseURL } : {}), viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  const answer = await page.request.post('/logIn', { data: { username: who.email, password: who.password } })
  expect(answer.ok(), await answer.text()).toBe(true)
  return page
}

async function graphql(page: Page, query: string): Promise<Record<string, unknown>> {
  const answer = await page.request.post('/api/graphql', { data: { query } })
  const { data, errors } = (await answer.json()) as { data: Record<string, unknown>; errors?: unknown }
  expect(errors, query).toBeUndefined()
  return data
}

/** Reads the description of a control, as screen readers do. */
const described = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()

test('controls, policies, roles and explanations', async ({ page, browser, baseURL, problems }) => {
  test.setTimeout(300_000)
  problems.expect(/status of 40[013]/)
  // The stream of changes ends when the rights of its reader change, which may cut its last piece; the page goes on after it.
  problems.expect(/ERR_INCOMPLETE_CHUNKED_ENCODING .*\/events/)

  await test.step('an administrator, a reader and a dataset', async () => {
    let answer = await page.request.post('/logIn', { data: { username: ada.email, password: ada.password } })
    if (!answer.ok()) {
      const token = new URL(process.env.HEADWATER_AUTH_FIRST ?? '').searchParams.get('token')
      answer = await page.request.post('/auth/first', { data: { token, fullName: ada.name, email: ada.email, password: ada.password } })
    }
    expect(answer.ok(), await answer.text()).toBe(true)
    const { getInviteToken } = await graphql(page, '{ getInviteToken(input: {roleUrn: "urn:li:dataHubRole:Reader"}) { inviteToken } }')
    const context = await browser.newContext(baseURL ? { baseURL } : {})
    const { inviteToken } = getInviteToken as { inviteToken: string }
    answer = await context.request.post('/signUp', { data: { userUrn: user(ned.email), fullName: ned.name, email: ned.email, title: '', password: ned.password, inviteToken } })
    expect(answer.ok(), await answer.text()).toBe(true)
    answer = await context.request.post('/api/graphql', { data: { query: `mutation { acceptRole(input: {inviteToken: "${inviteToken}"}) }` } })
    expect(await answer.text()).not.toContain('errors')
    await context.close()
    const write = async (urn: string, entityType: string, aspectName: string, value: object) => {
      const data = { proposal: { entityType, entityUrn: urn, changeType: 'UPSERT', aspectName, aspect: { value: JSON.stringify(value), contentType: 'application/json' } } }
      answer = await page.request.post('/aspects?action=ingestProposal', { headers: { 'X-RestLi-Protocol-Version': '2.0.0' }, data })
      expect(answer.ok(), await answer.text()).toBe(true)
    }
    await write(orders, 'dataset', 'datasetProperties', { name: 'orders', description: 'What customers ordered.' })
    await write(orders, 'dataset', 'globalTags', { tags: [{ tag: 'urn:li:tag:audited' }] })
    await write('urn:li:tag:audited', 'tag', 'tagProperties', { name: 'audited' })
    await write('urn:li:domain:sales', 'domain', 'domainProperties', { name: 'Sales' })
    await write(orders, 'dataset', 'schemaMetadata', {
      schemaName: 'orders', platform: 'urn:li:dataPlatform:hive', version: 0, hash: '', platformSchema: { 'com.linkedin.schema.OtherSchema': { rawSchema: '' } },
      fields: [{ fieldPath: 'id', nullable: false, nativeDataType: 'int', recursive: false, type: { type: { 'com.linkedin.schema.NumberType': {} } } }],
    })
  })

  const second = await signedIn(browser, baseURL, ned)

  await test.step('a reader sees every control of an entity greyed, with the reason', async () => {
    await second.goto(at.entity(orders, { tab: 'documentation' }))
    await settled(second)
    const controls = ['Add an owner', 'Add a tag', 'Add a term', 'Set the domain', 'Remove the tag audited from orders', 'Edit the description', 'Add a link']
    for (const name of controls) {
      const control = second.getByRole('button', { name, exact: true })
      await expect(control, name).toHaveAttribute('aria-disabled', 'true')
      await expect(control, name).not.toHaveAttribute('disabled')
      await expect(control, name).toHaveAccessibleDescription(/^You may not .*: that needs the privilege “.+”\.$/)
    }
    await expect(described(second, 'Add a tag')).toHaveAccessibleDescription('You may not edit the tags: that needs the privilege “Edit tags”.')
    await accessible(second, 'an entity with greyed controls')
    await second.getByRole('button', { name: 'More actions' }).click()
    for (const name of ['Deprecate…', 'Remove…']) await expect(second.getByRole('menuitem', { name })).toHaveAttribute('aria-disabled', 'true')
    await second.keyboard.press('Escape')
    await second.goto(at.entity(orders))
    await settled(second)
    await second.getByRole('button', { name: 'id', exact: true }).click()
    for (const name of ['Edit the description of id', 'Write the description of id', 'Add a tag to column id', 'Add a term to column id'])
      for (const control of await second.getByRole('button', { name, exact: true }).all()) await expect(control, name).toHaveAttribute('aria-disabled', 'true')
    await expect(second.getByRole('button', { name: 'Add a tag to column id' })).toHaveAccessibleDescription(/Edit tags of columns/)
  })

  await test.step('by keyboard: the reason beside the control, and the explanation', async () => {
    const control = described(second, 'Add a tag')
    await described(second, 'Add an owner').focus()
    await second.keyboard.press('Tab')
    await control.focus()
    await second.keyboard.press('Enter')
    const dialog = second.getByRole('dialog', { name: 'You may not edit the tags' })
    await expect(dialog).toContainText('one of these privileges: Edit tags, Edit everything')
    await expect(dialog).toContainText('No policy allows it.')
    await expect(dialog).toContainText('Editors: entities, but it does not concern you.')
    await expect(dialog).toContainText('Somebody who manages policies can change that.')
    await accessible(second, 'why a control is greyed')
    await second.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expect(control).toBeFocused()
    await control.hover()
    await expect(second.locator('[popover]')).toHaveText(/You may not edit the tags/)
  })

  await test.step('what a reader may do, and the screens that are not theirs', async () => {
    await second.goto('/ui/policies')
    await expect(second.getByText('Only administrators who have signed in see this page.')).toBeVisible()
    await second.getByRole('link', { name: 'what you may do' }).click()
    await expect(second.getByRole('heading', { level: 1 })).toHaveText('What I may do')
    const row = second.getByRole('list', { name: 'Privileges on the server' }).getByRole('listitem').filter({ hasText: 'Make personal access tokens' })
    await expect(row).toContainText('Yes')
    await row.getByRole('button', { name: /Why/ }).click()
    await expect(row).toContainText('The policy Everybody: server allows “Make personal access tokens” to everybody.')
    await settled(second)
    await accessible(second, 'what I may do')
    await second.goto('/ui/tokens')
    await expect(second.getByRole('button', { name: 'Make a token' })).not.toHaveAttribute('aria-disabled')
    await second.getByLabel('Name of the token').fill('mine')
    await second.getByRole('button', { name: 'Make a token' }).click()
    await second.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
  })

  await test.step('an administrator writes a policy, and it acts', async () => {
    await page.goto('/ui/policies')
    await settled(page)
    await expect(page.getByRole('list', { name: 'Policies' })).toContainText('Everybody may see usage, see profiles and see operations on everything.')
    for (const theme of ['light', 'dark'] as Theme[]) {
      await withTheme(page, theme)
      await page.reload()
      await settled(page)
      await accessible(page, `policies, ${theme}`)
    }
    await page.getByRole('button', { name: 'New policy' }).click()
    await page.getByRole('button', { name: 'Create the policy' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'Give the policy a name.' })).toBeVisible()
    await page.getByLabel('Name of the policy').fill('Tags of audited')
    await page.getByRole('group', { name: 'People and service accounts' }).getByRole('combobox').pressSequentially('Ned')
    await page.getByRole('option', { name: /Ned Reed/ }).first().click()
    await page.getByLabel('Find a privilege').fill('edit tags')
    await page.getByLabel('Edit tags', { exact: true }).check()
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByLabel('What of the entity').selectOption({ label: 'Tag' })
    await page.getByRole('combobox', { name: 'Add a tag' }).pressSequentially('audited')
    await page.getByRole('option', { name: /audited/ }).first().click()
    await settled(page)
    await accessible(page, 'the form of a policy')
    await page.setViewportSize({ width: 390, height: 844 })
    await fits(page, 'the form of a policy')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Create the policy' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tags of audited')
    await expect(page.getByText('Ned Reed may edit tags on everything with the tag audited.')).toBeVisible()
    await expect(page.getByRole('list', { name: 'Changes' })).toContainText('Stored')
    await settled(page)
    await accessible(page, 'a policy')
    // Servers follow a change within a second.
    await expect(async () => {
      await second.goto(at.entity(orders, { tab: 'documentation' }))
      await settled(second)
      expect(await described(second, 'Add a tag').getAttribute('aria-disabled')).toBeNull()
    }).toPass()
    await expect(described(second, 'Add an owner')).toHaveAttribute('aria-disabled', 'true')
    await described(second, 'Add a tag').click()
    await second.getByRole('dialog').getByRole('combobox', { name: 'Tag' }).fill('audited')
    await expect(second.getByRole('dialog').getByRole('button', { name: 'Create and add' })).toHaveAttribute('aria-disabled', 'true')
    await second.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await described(second, 'Remove the tag audited from orders').click()
    await expect(described(second, 'Remove the tag audited from orders')).toHaveCount(0)
    // The policy is about entities with the tag, which this one no longer has. The page read the rights
    // together with the entity.
    await expect(described(second, 'Add a tag')).toHaveAttribute('aria-disabled', 'true')
  })

  await test.step('the policy denies until an end, is switched off and keeps its parts', async () => {
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Effect').selectOption({ label: 'Deny' })
    await page.getByLabel('Ends').fill('2999-01-31T00:00')
    await page.getByRole('button', { name: 'Save the policy' }).click()
    await expect(page.getByText('Ned Reed may not edit tags on everything with the tag audited, until 31 January 2999')).toBeVisible()
    await expect(page.getByRole('list', { name: 'Changes' })).toContainText('Made it deny; changed the end')
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await expect(page.getByRole('button', { name: 'Activate' })).toBeVisible()
    await expect(page.getByText('until 31 January 2999')).toBeVisible()
    await page.goto('/ui/policies?state=inactive&q=audited')
    await expect(page.getByRole('list', { name: 'Policies' }).getByRole('listitem')).toHaveCount(1)
    await page.getByRole('link', { name: 'Tags of audited' }).click()
    await page.getByRole('button', { name: 'Activate' }).click()
    await expect(page.getByRole('button', { name: 'Deactivate' })).toBeVisible()
    await page.goto('/ui/policies/urn%3Ali%3AdataHubPolicy%3Aadmin-platform-policy')
    await expect(page.getByText('This policy belongs to the server')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Edit', exact: true })).toHaveCount(0)
  })

  await test.step('who may do what: another person, an entity, and a preview', async () => {
    await page.goto(at.entity(orders))
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Who may do what with it' }).click()
    await page.getByRole('combobox', { name: 'Person or service account' }).pressSequentially('Ned')
    await page.getByRole('option', { name: /Ned Reed/ }).first().click()
    const rows = page.getByRole('list', { name: 'Privileges on the entity' }).getByRole('listitem')
    await expect(rows.filter({ hasText: 'See the entity' })).toContainText('Yes')
    const owners = rows.filter({ hasText: 'Edit owners' })
    await expect(owners).toContainText('No')
    await owners.getByRole('button').click()
    await expect(owners).toContainText('Administrators: entities, but it concerns Admin')
    await expect(page.locator('dl')).toContainText('Reader')
    await page.getByLabel('Search for').fill('orders')
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await expect(page.getByRole('list', { name: 'Results' })).toContainText('Visible')
    for (const theme of ['light', 'dark'] as Theme[]) {
      await withTheme(page, theme)
      await page.reload()
      await settled(page)
      await accessible(page, `who may do what, ${theme}`)
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await fits(page, 'who may do what')
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  await test.step('roles are given and taken', async () => {
    await page.goto('/ui/roles')
    await page.getByRole('combobox', { name: 'Give the role Editor to' }).pressSequentially('Ned')
    await page.getByRole('option', { name: /Ned Reed/ }).first().click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('Ned Reed loses the role Reader')
    await accessible(page, 'the question before a role is changed')
    await dialog.getByRole('button', { name: 'Give the role' }).click()
    await expect(page.getByRole('list', { name: 'Who has the role Editor' })).toContainText('Ned Reed')
    await settled(page)
    await accessible(page, 'roles')
    await expect(async () => {
      await second.goto(at.entity(orders, { tab: 'documentation' }))
      await settled(second)
      expect(await described(second, 'Add an owner').getAttribute('aria-disabled')).toBeNull()
    }).toPass()
    await page.getByRole('button', { name: 'Take away the role Editor from Ned Reed' }).click()
    await dialog.getByRole('button', { name: 'Take the role away' }).click()
    await expect(page.getByRole('list', { name: 'Who has the role Editor' })).toHaveCount(0)
  })

  await test.step('the policy is deleted', async () => {
    await page.goto('/ui/policies?q=audited')
    await page.getByRole('link', { name: 'Tags of audited' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await accessible(page, 'the question before a policy is deleted')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect(page).toHaveURL(/\/ui\/policies$/)
    await expect(async () => {
      await page.goto('/ui/policies?q=audited')
      await expect(page.getByText('No policy fits.')).toBeVisible({ timeout: 1000 })
    }).toPass()
  })

  await test.step('the page knows the names of the privileges', async () => {
    const config = await graphql(page, '{ appConfig { policiesConfig { platformPrivileges { type displayName } resourcePrivileges { privileges { type displayName } } } } }')
    const { platformPrivileges, resourcePrivileges } = (config.appConfig as { policiesConfig: { platformPrivileges: Named[]; resourcePrivileges: { privileges: Named[] }[] } }).policiesConfig
    const known = new Map([...platformPrivileges, ...resourcePrivileges.flatMap((one) => one.privileges)].map((one) => [one.type, one.displayName]))
    const { privilegeLabel, labelledPrivileges } = await import('../../src/lib/privileges')
    for (const name of labelledPrivileges) if (known.has(name)) expect(privilegeLabel(name)).toBe(known.get(name))
  })
  await second.context().close()
})

interface Named {
  type: string
  displayName: string
}
