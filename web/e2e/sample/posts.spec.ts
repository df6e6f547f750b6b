// Announcements about an entity, which mention others.
import { accessible, expect, fits, remember, settled, test } from '../support/harness'
import { at, mart, orders, user } from '../support/names'

const loyalty = mart('loyalty')

test('an announcement is written with a mention, undone, withdrawn, and that undone', async ({ page }) => {
  await page.goto(at.entity(loyalty))
  await settled(page)
  const main = page.getByRole('main')
  const post = main.getByRole('article', { name: 'Announcement: Closed for repair' })
  const write = async () => {
    await main.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Announce…' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByLabel('Title')).toBeFocused()
    await dialog.getByLabel('Title').fill('Closed for repair')
    await dialog.getByRole('textbox', { name: 'Text' }).fill('Until **Monday**; ask')
    await dialog.getByRole('combobox', { name: 'Mention' }).fill('Bela Norris')
    await dialog.getByRole('option', { name: /Bela Norris/ }).first().click()
    await accessible(page, 'the dialog of an announcement')
    await dialog.getByRole('button', { name: 'Announce' }).click()
    await expect(dialog).toHaveCount(0)
    await expect(post).toContainText('Until Monday')
  }
  await write()
  await expect(post.getByRole('link', { name: '@Bela Norris' })).toHaveAttribute('href', at.entity('urn:li:corpuser:bela.norris'))
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect(post).toHaveCount(0)

  await write()
  await page.reload()
  await settled(page)
  await accessible(page, 'an announcement')
  await post.getByRole('button', { name: /^Withdraw/ }).click()
  await expect(post).toHaveCount(0)
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect(post).toBeVisible()
  await post.getByRole('button', { name: /^Withdraw/ }).click()
  await expect(post).toHaveCount(0)
})

test('an announcement about a column stands in its details, and on the start page of who owns the dataset', async ({ page, rest }) => {
  await page.goto(at.entity(loyalty))
  await settled(page)
  const main = page.getByRole('main')
  const column = main.getByRole('button', { name: 'orders', exact: true })
  const detail = page.getByRole('group', { name: 'Column orders' })
  const post = detail.getByRole('article', { name: 'Announcement: Counted anew' })
  await column.click()
  await detail.getByRole('button', { name: 'Announce…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Announce something about orders' })
  await expect(dialog.getByLabel('Title')).toBeFocused()
  await dialog.getByLabel('Title').fill('Counted anew')
  await dialog.getByRole('textbox', { name: 'Text' }).fill('Without **tests**; ask')
  await dialog.getByRole('combobox', { name: 'Mention' }).fill('Bela Norris')
  await dialog.getByRole('option', { name: /Bela Norris/ }).first().click()
  await dialog.getByRole('button', { name: 'Announce' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(post).toContainText('Without tests')
  await expect(post.getByRole('link', { name: '@Bela Norris' })).toHaveAttribute('href', at.entity(user('bela.norris')))
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect(post).toHaveCount(0)

  const ask = (query: string) => page.request.post(`${rest.url}/api/graphql`, { data: { query } })
  await ask(`mutation { createPost(input: { postType: ENTITY_ANNOUNCEMENT, resourceUrn: ${JSON.stringify(loyalty)}, subResource: "orders", subResourceType: DATASET_FIELD, content: { contentType: TEXT, title: "Counted anew" } }) }`)
  const owners = ((await rest.aspect(loyalty, 'ownership'))?.owners ?? []) as { owner: string }[]
  const owner = owners.find(({ owner }) => owner.includes(':corpuser:'))?.owner ?? ''
  await remember(page, 'headwater.actor', owner)
  const told = page.getByRole('region', { name: 'Announcements' }).getByRole('article', { name: 'Announcement: Counted anew' })
  await expect(async () => {
    await page.goto('/')
    await settled(page)
    await expect(told).toHaveCount(1)
  }).toPass()
  await expect(told.getByRole('link', { name: 'loyalty' })).toBeVisible()
  await told.getByRole('link', { name: 'orders', exact: true }).click()
  await expect(post).toBeVisible()
  await accessible(page, 'an announcement about a column')
  // The announcement is not one about the dataset.
  await expect(main.getByRole('article', { name: /^Announcement/ })).toHaveCount(1)
  await post.getByRole('button', { name: /^Withdraw/ }).click()
  await expect(post).toHaveCount(0)
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect(post).toBeVisible()
  await post.getByRole('button', { name: /^Withdraw/ }).click()
  await expect(post).toHaveCount(0)
})

test('the start page shows announcements to everybody, and those about what one owns or follows', async ({ page, rest }) => {
  const ask = async (query: string) => {
    const answer = await page.request.post(`${rest.url}/api/graphql`, { data: { query }, headers: { 'X-DataHub-Actor': user('bela.norris') } })
    const { data, errors } = (await answer.json()) as { data: { listPosts?: { posts: { urn: string; content: { title: string } }[] } }; errors?: unknown }
    expect(errors).toBeUndefined()
    return data
  }
  const about = (urn: string, title: string) => ask(`mutation { createPost(input: { postType: ENTITY_ANNOUNCEMENT, resourceUrn: ${JSON.stringify(urn)}, content: { contentType: TEXT, title: "${title}", description: "Ask **Bela**" } }) }`)
  await about(orders, 'Orders are late')
  await about(mart('margin_by_product'), 'Nobody cares')
  await ask('mutation { createPost(input: { postType: HOME_PAGE_ANNOUNCEMENT, content: { contentType: TEXT, title: "The office moves" } }) }')
  const list = page.getByRole('region', { name: 'Announcements' })
  // Nobody in particular reads what is to everybody; the owner of the orders also what is about them.
  await expect(async () => {
    await page.goto('/')
    await settled(page)
    await expect(list.getByRole('article')).toHaveCount(1)
  }).toPass()
  await expect(list).toContainText('The office moves')
  await remember(page, 'headwater.actor', user('bela.norris'))
  await expect(async () => {
    await page.goto('/')
    await settled(page)
    await expect(list.getByRole('article')).toHaveCount(2)
  }).toPass()
  const late = list.getByRole('article', { name: 'Announcement: Orders are late' })
  await expect(late).toContainText('Ask Bela')
  await accessible(page, 'announcements on the start page')
  await page.setViewportSize({ width: 390, height: 844 })
  await fits(page, 'announcements on the start page')
  await page.setViewportSize({ width: 1280, height: 800 })
  await late.getByRole('link', { name: 'orders' }).click()
  await expect(page.getByRole('article', { name: 'Announcement: Orders are late' })).toBeVisible()
  // The other flows look at the sample catalog alone.
  const { listPosts } = await ask('{ listPosts(input: { start: 0, count: 100 }) { posts { urn content { title } } } }')
  for (const { urn, content } of listPosts?.posts ?? []) if (['Orders are late', 'Nobody cares', 'The office moves'].includes(content.title)) await ask(`mutation { deletePost(urn: ${JSON.stringify(urn)}) }`)
})
