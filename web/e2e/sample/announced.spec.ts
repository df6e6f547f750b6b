// A change that is announced before its merge: the table says so, until the change arrives.
import { accessible, expect, settled, test } from '../support/harness'
import { at, mart } from '../support/names'

const loyalty = mart('loyalty')
const announce = 'mutation announce($input: AnnounceChangeInput!) { announceChange(input: $input) { urn } }'
const withdraw = 'mutation withdraw($urn: String!) { withdrawAnnouncedChange(urn: $urn) { state } }'

test('a table says which announced changes are expected', async ({ page, rest }) => {
  const input = (pullRequest: string) => ({ pullRequest, changes: [{ kind: 'columnDropped', datasets: [loyalty], column: 'points' }] })
  const made: string[] = []
  for (const pullRequest of ['https://git.example.com/shop/pull/7', 'https://git.example.com/shop/pull/8']) {
    const { announceChange } = await rest.graphql<{ announceChange: { urn: string } }>(announce, { input: input(pullRequest) })
    made.push(announceChange.urn)
  }
  await page.goto(at.entity(loyalty))
  await settled(page)
  const main = page.getByRole('main')
  await expect(main.getByText('The column points will be dropped')).toHaveCount(2)
  await expect(main.getByRole('link', { name: 'https://git.example.com/shop/pull/7' })).toHaveAttribute('href', 'https://git.example.com/shop/pull/7')
  await accessible(page, 'a table with announced changes')
  for (const urn of made) await rest.graphql(withdraw, { urn })
  await page.reload()
  await settled(page)
  await expect(main.getByText('The column points will be dropped')).toHaveCount(0)
})
