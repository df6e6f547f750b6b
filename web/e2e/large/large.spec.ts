import { expect, test } from '../support/harness'
import { datasets, hub, load } from './generate'

test.describe.configure({ mode: 'serial' })

test('the catalog is loaded', async ({ rest }) => {
  await load(rest)
  // The index follows the store: searches soon find everything.
  await expect
    .poll(async () => (await rest.graphql<{ searchAcrossEntities: { total: number } }>('{ searchAcrossEntities(input: {types: [DATASET], query: "*", start: 0, count: 0}) { total } }')).searchAcrossEntities.total, { timeout: 300_000, intervals: [1000] })
    .toBe(datasets + 1)
  expect(await rest.aspect(hub, 'datasetProperties')).toBeTruthy()
})
