// Tags that the names of columns suggest: accepted, refused for everybody, and taken back.
import { accessible, expect, fits, settled, test } from '../support/harness'
import { at, dataset } from '../support/names'

const urn = dataset('postgres', 'shop.public.suggested')
const field = (fieldPath: string) => ({ fieldPath, nativeDataType: 'text', type: { type: { 'com.linkedin.schema.StringType': {} } } })

test.beforeEach(async ({ rest }) => {
  await rest.write([
    { urn, aspect: 'schemaMetadata', value: { schemaName: 's', platform: 'urn:li:dataPlatform:postgres', version: 0, hash: '', platformSchema: { 'com.linkedin.schema.OtherSchema': { rawSchema: '' } }, fields: [field('id'), field('email'), field('phone')] } },
  ])
})
test.afterEach(async ({ rest }) => rest.remove(urn))

test('suggested tags are accepted, refused and suggested again @stores', async ({ page, rest }) => {
  const tags = async () => ((await rest.aspect(urn, 'editableSchemaMetadata'))?.editableSchemaFieldInfo as { fieldPath: string; globalTags?: { tags: { tag: string }[] } }[] | undefined)?.flatMap((one) => one.globalTags?.tags.map(({ tag }) => `${one.fieldPath} ${tag}`) ?? []) ?? []
  await page.goto(at.entity(urn))
  await settled(page)
  const section = page.getByRole('region', { name: 'Suggested tags' })
  await expect(section.getByText('3 tags are suggested')).toBeVisible()
  await expect(section.getByText('The name matches “email”, as those of e-mail addresses do.')).toBeVisible()
  await accessible(page, 'suggested tags')
  await fits(page, 'suggested tags')

  // Accepting is an edit, which can be undone.
  await section.getByRole('button', { name: 'Accept the tag PII for the column email' }).click()
  await expect.poll(tags).toEqual(['email urn:li:tag:PII'])
  await expect(section.getByText('2 tags are suggested')).toBeVisible()
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(tags).toEqual([])
  await expect(section.getByText('3 tags are suggested')).toBeVisible()

  // A refusal is for everybody: another visit does not show the tag either.
  await section.getByRole('button', { name: 'Refuse the tag PII for the column phone' }).click()
  await expect(section.getByText('2 tags are suggested; 1 refused')).toBeVisible()
  await page.reload()
  await settled(page)
  await expect(section.getByText('2 tags are suggested; 1 refused')).toBeVisible()
  await expect(section.getByRole('button', { name: 'Accept the tag PII for the column phone' })).toHaveCount(0)
  await section.getByRole('button', { name: 'Suggest the tag PII for the column phone again' }).click()
  await expect(section.getByText('3 tags are suggested')).toBeVisible()

  // The undo in the message takes the refusal back too.
  await section.getByRole('button', { name: 'Refuse the tag PII for this dataset' }).click()
  await expect(section.getByText('2 tags are suggested; 1 refused')).toBeVisible()
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect(section.getByText('3 tags are suggested')).toBeVisible()
})
