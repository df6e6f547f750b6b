// Each edit in place: shown at once, read back over REST, undone. Marked @stores: every store must keep the
// same values.
import type { Page, Route } from '@playwright/test'
import { expect, remember, settled, test } from '../support/harness'
import { at, column, dataset, mart, user } from '../support/names'

const loyalty = mart('loyalty')

async function open(page: Page, urn = loyalty, tab?: string): Promise<void> {
  await page.goto(at.entity(urn, tab ? { tab } : {}))
  await settled(page)
}

/** Picks the suggestion of a field for a text. */
async function pick(page: Page, field: string, text: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: field }).fill(text)
  await dialog.getByRole('option', { name: text }).first().click()
}

test('the description @stores', async ({ page, rest }) => {
  const before = await rest.aspect(loyalty, 'editableDatasetProperties')
  await open(page, loyalty, 'documentation')
  await page.getByRole('button', { name: /(Edit|Write) the description/ }).click()
  const text = 'Who comes **back**.\n\n- often\n- seldom'
  await page.getByRole('textbox', { name: 'Edit the description' }).fill(text)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('main').locator('strong', { hasText: 'back' })).toBeVisible()
  await expect.poll(async () => (await rest.aspect(loyalty, 'editableDatasetProperties'))?.description).toBe(text)
  // A reload shows the values of the server.
  await page.reload()
  await expect(page.getByRole('main').getByRole('listitem').filter({ hasText: 'seldom' })).toBeVisible()
  await page.getByRole('button', { name: /(Edit|Write) the description/ }).click()
  await page.getByRole('textbox', { name: 'Edit the description' }).fill(String(before?.description ?? ''))
  await page.keyboard.press('Control+Enter')
  await expect.poll(async () => (await rest.aspect(loyalty, 'editableDatasetProperties'))?.description ?? '').toBe(String(before?.description ?? ''))
})

test('a tag @stores', async ({ page, rest }) => {
  const tags = async () => ((await rest.aspect(loyalty, 'globalTags'))?.tags as { tag: string }[] | undefined)?.map(({ tag }) => tag) ?? []
  expect(await tags()).toEqual(['urn:li:tag:Experimental'])
  await open(page)
  await page.getByRole('button', { name: 'Add a tag', exact: true }).click()
  await pick(page, 'Tag', 'Certified')
  await expect(page.getByRole('link', { name: 'Certified' }).first()).toBeVisible()
  await expect.poll(tags).toEqual(['urn:li:tag:Experimental', 'urn:li:tag:Certified'])
  await page.getByRole('button', { name: /Remove the tag Certified from loyalty/ }).click()
  await expect.poll(tags).toEqual(['urn:li:tag:Experimental'])
  await expect(page.getByRole('button', { name: /Remove the tag Certified/ })).toHaveCount(0)
})

test('a tag that there was not', async ({ page, rest }) => {
  await open(page)
  await page.getByRole('button', { name: 'Add a tag', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Or a new tag').fill('Seasonal')
  await page.getByRole('button', { name: 'Create and add' }).click()
  await expect(page.getByRole('button', { name: /Remove the tag Seasonal/ })).toBeVisible()
  let urn = ''
  await expect
    .poll(async () => {
      const tags = ((await rest.aspect(loyalty, 'globalTags'))?.tags ?? []) as { tag: string }[]
      urn = tags.find(({ tag }) => tag !== 'urn:li:tag:Experimental')?.tag ?? ''
      return urn ? (await rest.aspect(urn, 'tagProperties'))?.name : undefined
    })
    .toBe('Seasonal')
  await page.getByRole('button', { name: /Remove the tag Seasonal/ }).click()
  await expect.poll(async () => ((await rest.aspect(loyalty, 'globalTags'))?.tags as object[]).length).toBe(1)
  await rest.remove(urn)
})

test('a glossary term @stores', async ({ page, rest }) => {
  const terms = async () => ((await rest.aspect(loyalty, 'glossaryTerms'))?.terms as { urn: string }[] | undefined)?.map(({ urn }) => urn) ?? []
  await open(page)
  await page.getByRole('button', { name: 'Add a term', exact: true }).click()
  await pick(page, 'Glossary term', 'LoyalCustomer')
  await expect.poll(terms).toEqual(['urn:li:glossaryTerm:LoyalCustomer'])
  await page.getByRole('button', { name: /Remove the term LoyalCustomer/ }).click()
  await expect.poll(terms).toEqual([])
})

test('an owner @stores', async ({ page, rest }) => {
  const owners = async () => ((await rest.aspect(loyalty, 'ownership'))?.owners as { owner: string }[]).map(({ owner }) => owner)
  const before = await owners()
  await open(page)
  await page.getByRole('button', { name: 'Add an owner' }).click()
  await pick(page, 'Person or group', 'Ada Wren')
  await page.getByLabel('Type of ownership').selectOption({ index: 0 })
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await expect.poll(owners).toEqual([...before, user('ada.wren')])
  await page.getByRole('button', { name: 'Remove the owner Ada Wren' }).click()
  await expect.poll(owners).toEqual(before)
})

test('the domain @stores', async ({ page, rest }) => {
  const domains = async () => (await rest.aspect(loyalty, 'domains'))?.domains
  const before = await domains()
  expect(before).toEqual(['urn:li:domain:sales'])
  await open(page)
  await page.getByRole('button', { name: 'Change the domain' }).click()
  await pick(page, 'Domain', 'Finance')
  await expect.poll(domains).toEqual(['urn:li:domain:finance'])
  await page.getByRole('button', { name: 'Change the domain' }).click()
  await pick(page, 'Domain', 'Sales')
  await expect.poll(domains).toEqual(before)
})

test('a link @stores', async ({ page, rest }) => {
  const links = async () => ((await rest.aspect(loyalty, 'institutionalMemory'))?.elements as { url: string; description: string }[] | undefined)?.map(({ url, description }) => `${description} ${url}`) ?? []
  await open(page, loyalty, 'documentation')
  await page.getByRole('button', { name: 'Add a link' }).click()
  await page.getByRole('dialog').getByLabel('Address').fill('javascript:alert(1)')
  await page.getByRole('dialog').getByLabel('What it is').fill('The plan')
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'https://' })).toBeVisible()
  await page.getByRole('dialog').getByLabel('Address').fill('https://wiki.larkspur.example/loyalty')
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await expect.poll(links).toEqual(['The plan https://wiki.larkspur.example/loyalty'])
  await expect(page.getByRole('main').getByRole('link', { name: 'The plan' })).toHaveAttribute('rel', /noopener/)
  await page.getByRole('button', { name: 'Remove the link The plan' }).click()
  await expect.poll(links).toEqual([])
})

test('the deprecation @stores', async ({ page, rest }) => {
  const state = async () => (await rest.aspect(loyalty, 'deprecation'))?.deprecated ?? false
  await open(page)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: /^Deprecate/ }).click()
  await page.getByRole('dialog').getByRole('textbox').first().fill('Use customers.')
  await page.getByRole('dialog').getByRole('button', { name: /Save|Deprecate/ }).click()
  await expect.poll(state).toBe(true)
  await expect(page.getByRole('main').getByText('Use customers.')).toBeVisible()
  expect((await rest.aspect(loyalty, 'deprecation'))?.note).toBe('Use customers.')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'End the deprecation' }).click()
  await expect.poll(state).toBe(false)
  await expect(page.getByRole('main').getByText('Use customers.')).toHaveCount(0)
})

test('removal and restoration @stores', async ({ page, rest }) => {
  const removed = async () => (await rest.aspect(loyalty, 'status'))?.removed ?? false
  await open(page)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: /^Remove/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: /^Remove/ }).click()
  await expect.poll(removed).toBe(true)
  await page.getByRole('main').getByRole('button', { name: 'Restore' }).click()
  await expect.poll(removed).toBe(false)
})

test('a whole entity is restored to a moment, and that is undone @stores', async ({ page, rest }) => {
  const urn = dataset('hive', 'web_test.restored')
  const texts = async () => [(await rest.aspect(urn, 'datasetProperties'))?.description, (await rest.aspect(urn, 'globalTags'))?.tags]
  const tags = (...names: string[]) => ({ urn, aspect: 'globalTags', value: { tags: names.map((name) => ({ tag: `urn:li:tag:${name}` })) } })
  const described = (description: string) => ({ urn, aspect: 'datasetProperties', value: { name: 'restored', description } })
  await rest.write([described('Alpha'), tags('PII')])
  const moment = Date.now() + 1
  // Versions have times in whole milliseconds: after this wait, the next versions have later times.
  await expect.poll(() => Date.now()).toBeGreaterThan(moment + 5)
  await rest.write([described('Beta'), tags()])
  try {
    await page.goto(at.entity(urn, { asOf: String(moment) }))
    await settled(page)
    await page.getByRole('button', { name: 'Restore… all of restored' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('region', { name: 'datasetProperties', exact: true })).toContainText('Alpha')
    await expect(dialog.getByRole('region', { name: 'globalTags', exact: true })).toContainText('PII')
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
    await expect(dialog.getByRole('status').first()).toContainText('It is what holds today.')
    expect(await texts()).toEqual(['Alpha', [{ tag: 'urn:li:tag:PII' }]])
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await expect(dialog.getByRole('status').first()).toContainText('it is again as it was before you restored it')
    expect(await texts()).toEqual(['Beta', []])
    await dialog.getByRole('button', { name: 'Back to today' }).click()
    await expect(page.getByRole('main')).toContainText('Beta')
  } finally {
    await rest.remove(urn)
  }
})

test('a column: its description, a tag and a term @stores', async ({ page, rest }) => {
  interface Field { fieldPath: string; description?: string; globalTags?: { tags: { tag: string }[] }; glossaryTerms?: { terms: { urn: string }[] } }
  const field = async () => ((await rest.aspect(loyalty, 'editableSchemaMetadata'))?.editableSchemaFieldInfo as Field[] | undefined)?.find(({ fieldPath }) => fieldPath === 'orders')
  await open(page)
  await page.getByRole('main').getByRole('button', { name: 'orders', exact: true }).click()
  const detail = page.getByRole('group', { name: 'Column orders' })
  await detail.getByRole('button', { name: /the description of orders/ }).click()
  await detail.getByRole('textbox', { name: 'Edit the description of orders' }).fill('How many orders.')
  await detail.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await field())?.description).toBe('How many orders.')
  await detail.getByRole('button', { name: 'Add a tag to column orders' }).click()
  await pick(page, 'Tag', 'Hourly')
  await expect.poll(async () => (await field())?.globalTags?.tags.map(({ tag }) => tag)).toEqual(['urn:li:tag:Hourly'])
  await detail.getByRole('button', { name: 'Add a term to column orders' }).click()
  await pick(page, 'Glossary term', 'Customer')
  await expect.poll(async () => (await field())?.glossaryTerms?.terms.map(({ urn }) => urn)).toEqual(['urn:li:glossaryTerm:Customer'])
  await detail.getByRole('button', { name: /Remove the tag Hourly/ }).click()
  await detail.getByRole('button', { name: /Remove the term Customer/ }).click()
  await expect.poll(async () => (await field())?.globalTags?.tags ?? []).toEqual([])
  await expect.poll(async () => (await field())?.glossaryTerms?.terms ?? []).toEqual([])
  await detail.getByRole('button', { name: /the description of orders/ }).click()
  await detail.getByRole('textbox').first().fill('')
  await detail.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await field())?.description ?? '').toBe('')
})

test('the description of a term, a tag and a person’s group are edited where they are stored', async ({ page, rest }) => {
  for (const [urn, aspect, member] of [
    ['urn:li:glossaryTerm:Churn', 'glossaryTermInfo', 'definition'],
    ['urn:li:tag:Hourly', 'tagProperties', 'description'],
    ['urn:li:corpGroup:finance', 'corpGroupEditableInfo', 'description'],
    ['urn:li:domain:sales', 'domainProperties', 'description'],
    ['urn:li:dashboard:(looker,close)', 'editableDashboardProperties', 'description'],
  ] as const) {
    const before = (await rest.aspect(urn, aspect))?.[member]
    await open(page, urn, 'documentation')
    await page.getByRole('button', { name: /(Edit|Write) the description/ }).click()
    await page.getByRole('textbox', { name: 'Edit the description' }).fill('Another text.')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await rest.aspect(urn, aspect))?.[member], urn).toBe('Another text.')
    if (typeof before === 'string') await rest.write([{ urn, aspect, value: { ...(await rest.aspect(urn, aspect)), [member]: before } }])
  }
})

/** Lets questions through and answers changes with a failure. */
async function refuse(page: Page, how: (route: Route) => Promise<void>): Promise<void> {
  await page.route('**/api/graphql', async (route) => {
    const { query } = route.request().postDataJSON() as { query: string }
    if (/^\s*mutation/.test(query)) await how(route)
    else await route.continue()
  })
}

const failures = {
  'status 500': { says: /500/, how: (route: Route) => route.fulfill({ status: 500, body: 'broken' }) },
  'status 404': { says: /404/, how: (route: Route) => route.fulfill({ status: 404, body: 'gone' }) },
  'an error of the contract': { says: /You may not/, how: (route: Route) => route.fulfill({ json: { data: null, errors: [{ message: 'You may not do this', extensions: { code: 403 } }] } }) },
  'no server': { says: /not be reached/, how: (route: Route) => route.abort('connectionrefused') },
}

for (const [name, { says, how }] of Object.entries(failures)) {
  test(`an edit that fails with ${name} is taken back, and what was typed is kept @chromium`, async ({ page, rest, problems }) => {
    problems.expect(/Failed to load resource|ERR_/)
    await open(page, loyalty, 'documentation')
    const before = await rest.aspect(loyalty, 'editableDatasetProperties')
    await refuse(page, how)
    await page.getByRole('button', { name: /(Edit|Write) the description/ }).click()
    await page.getByRole('textbox', { name: 'Edit the description' }).fill('What I typed for ten minutes')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText(/was not saved/).first()).toContainText(says)
    await expect(page.getByRole('textbox', { name: 'Edit the description' })).toHaveValue('What I typed for ten minutes')
    expect(await rest.aspect(loyalty, 'editableDatasetProperties')).toEqual(before)
    // The next try succeeds, with the text that was typed.
    await page.unroute('**/api/graphql')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await rest.aspect(loyalty, 'editableDatasetProperties'))?.description).toBe('What I typed for ten minutes')
    await rest.write([{ urn: loyalty, aspect: 'editableDatasetProperties', value: { ...before, description: String(before?.description ?? '') } }])
  })
}

test('a tag that was not removed is shown again @chromium', async ({ page, problems }) => {
  problems.expect(/Failed to load resource/)
  await open(page)
  let answer = () => {}
  const waiting = new Promise<void>((resolve) => (answer = resolve))
  await refuse(page, async (route) => {
    await waiting
    await route.fulfill({ status: 500, body: '' })
  })
  const remove = page.getByRole('button', { name: /Remove the tag Experimental/ })
  await remove.click()
  // The edit is shown before the server has answered.
  await expect(remove).toHaveCount(0)
  answer()
  await expect(page.getByText(/was not saved/).first()).toBeVisible()
  await expect(remove).toBeVisible()
})

test('an edit is signed with the name that was chosen', async ({ page, rest }) => {
  await remember(page, 'headwater.actor', user('jun.petrov'))
  await open(page)
  await page.getByRole('button', { name: 'Add a tag', exact: true }).click()
  await pick(page, 'Tag', 'PII')
  await expect(page.getByRole('button', { name: /Remove the tag PII/ })).toBeVisible()
  await settled(page)
  const { entityDetails } = await rest.graphql<{ entityDetails: { aspects: { name: string; actor: { urn: string } | null }[] } }>('query($urn: String!) { entityDetails(urn: $urn) { aspects { name actor { urn } } } }', { urn: loyalty })
  expect(entityDetails.aspects.find(({ name }) => name === 'globalTags')?.actor?.urn).toBe(user('jun.petrov'))
  await page.getByRole('button', { name: /Remove the tag PII/ }).click()
  await settled(page)
})

test('nothing was left behind', async ({ rest }) => {
  expect((await rest.aspect(loyalty, 'globalTags'))?.tags).toHaveLength(1)
  expect((await rest.aspect(loyalty, 'ownership'))?.owners).toHaveLength(2)
  expect(await rest.aspect(column(loyalty, 'orders'), 'globalTags')).toBeUndefined()
})
