// A server without the sample: the first minute of a new user.
import { accessible, expect, fits, settled, test } from '../support/harness'
import { screens, sizes, visit } from '../support/screens'

test('the start page says how to ingest the first metadata @always', async ({ page, rest }) => {
  await page.goto('/')
  await settled(page)
  await expect(page.getByRole('main')).toContainText('The catalog is empty')
  for (const line of ['datahub ingest', 'curl ']) await expect(page.getByRole('main').locator('pre').filter({ hasText: line })).toBeVisible()
  await accessible(page, 'the empty start page')
  await page.setViewportSize(sizes.narrow)
  await fits(page, 'the empty start page')
  // With its first entity the server counts as a catalog.
  const urn = 'urn:li:dataset:(urn:li:dataPlatform:hive,first.table,PROD)'
  await rest.write([{ urn, aspect: 'datasetProperties', value: { name: 'first_table' } }], 'first-run')
  await page.reload()
  await settled(page)
  await expect(page.getByRole('main')).toContainText('first_table')
  await rest.remove(urn)
})

/** The text of a screen when nothing is stored. */
function said(name: string): string {
  if (name === 'home' || name === 'browse') return 'The catalog is empty'
  if (name === 'search-columns') return 'No columns were found'
  if (name === 'glossary') return 'The glossary is empty'
  if (name === 'domains') return 'There are no domains yet'
  if (name === 'documents') return 'There are no documents yet'
  if (name === 'feed') return 'Nothing was told yet'
  if (name.startsWith('search')) return 'Nothing was found'
  if (name.startsWith('entity')) return 'Nothing is stored about'
  if (name === 'sources') return 'No source has been added yet'
  if (name === 'source-types') return 'What shall be read?'
  if (name === 'source-new') return 'New source: PostgreSQL'
  if (name === 'source-missing') return 'There is no such source'
  if (name === 'runs') return 'No run has written anything yet'
  if (name === 'run') return 'No run has this id'
  if (name === 'sql') return 'the catalog does not have the table'
  if (name === 'no-such-page') return 'There is no such page'
  return 'nothing is known of'
}

for (const screen of screens) {
  const { name } = screen
  test(`${name} without metadata says so`, async ({ page, problems }) => {
    if (name === 'no-such-page') problems.expect(/status of 404/)
    await visit(page, screen)
    await settled(page)
    await expect(page.getByRole('main')).toContainText(said(name))
    await accessible(page, `${name} without metadata`)
    await fits(page, `${name} without metadata`)
  })
}
