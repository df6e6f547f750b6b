// The page of a run that OpenLineage events have reported.
import { accessible, expect, fits, settled, test } from '../support/harness'
import { at } from '../support/names'

const run = '0190c3a0-0000-7000-8000-00000000f10e'
const urns = [
  `urn:li:dataProcessInstance:${run}`,
  'urn:li:dataJob:(urn:li:dataFlow:(spark,flow_of_a_run,prod),flow_of_a_run.insert)',
  'urn:li:dataFlow:(spark,flow_of_a_run,prod)',
  'urn:li:dataset:(urn:li:dataPlatform:postgres,flow_of_a_run.read,PROD)',
  'urn:li:dataset:(urn:li:dataPlatform:postgres,flow_of_a_run.written,PROD)',
]

function event(kind: string, time: string, facets: object): object {
  const table = (name: string) => ({ namespace: 'postgres://db:5432', name: `flow_of_a_run.${name}` })
  return {
    eventType: kind,
    eventTime: `2026-11-27T${time}Z`,
    producer: 'https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark',
    run: { runId: run, facets },
    job: { namespace: 'prod', name: 'flow_of_a_run.insert', facets: { jobType: { processingType: 'BATCH', integration: 'SPARK', jobType: 'SQL_JOB' } } },
    inputs: [table('read')],
    outputs: [{ ...table('written'), outputFacets: { outputStatistics: { rowCount: 12 } } }],
  }
}

test('the page of a run tells how it went, its error, its events and its facets @stores', async ({ page, rest, problems: _problems }) => {
  const send = async (path: string, data: object) => {
    const answer = await page.request.post(`${rest.url}${path}`, { data, headers: { 'X-RestLi-Protocol-Version': '2.0.0' } })
    expect(answer.ok(), await answer.text()).toBe(true)
  }
  await send('/api/v1/lineage', event('START', '10:00:00', { processing_engine: { version: '3.5.9', name: 'spark' } }))
  await send('/api/v1/lineage', event('FAIL', '10:02:05', { errorMessage: { message: 'no such table', programmingLanguage: 'JAVA', stackTrace: 'at Insert.run(Insert.java:7)' } }))
  await page.goto(at.entity(urns[0]!))
  await settled(page)
  const main = page.getByRole('main')
  await expect(page.getByRole('tab', { name: 'Run', exact: true })).toHaveAttribute('aria-selected', 'true')
  await expect(main.getByRole('definition').filter({ hasText: 'Failure' })).toBeVisible()
  await expect(main.getByRole('definition').filter({ hasText: '2 minutes 5 seconds' })).toBeVisible()
  const error = main.getByRole('region', { name: 'Error' })
  await expect(error).toContainText('no such table')
  await error.getByText('Stack trace').click()
  await expect(error).toContainText('Insert.java:7')
  await expect(main.getByRole('region', { name: 'Inputs' }).getByRole('link')).toContainText('read')
  await expect(main.getByRole('region', { name: 'Outputs' }).getByRole('link')).toContainText('written')
  await expect(main.getByRole('region', { name: 'Events', exact: true }).getByRole('listitem')).toHaveCount(2)
  const facets = main.getByRole('region', { name: 'Facets' })
  await facets.getByText('outputStatistics').click()
  await expect(facets).toContainText('"rowCount": 12')
  const sent = main.getByRole('region', { name: 'Events as they came' })
  await sent.getByText('FAIL', { exact: true }).click()
  await expect(sent).toContainText('"programmingLanguage": "JAVA"')
  await accessible(page, 'the page of a run')
  await fits(page, 'the page of a run')
  await main.getByRole('region', { name: 'Outputs' }).getByRole('link').click()
  await settled(page)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('written')
  // A dataset and a job have what was told of them beside their raw aspects.
  await page.goto(at.entity(urns[1]!, { tab: 'raw' }))
  await settled(page)
  const own = main.getByRole('region', { name: 'Facets of OpenLineage' })
  await own.getByText('jobType', { exact: true }).click()
  await expect(own).toContainText('"integration": "SPARK"')
  await accessible(page, 'the facets of a job')
  await fits(page, 'the facets of a job')
  await own.getByRole('link', { name: run }).click()
  await expect(page.getByRole('tab', { name: 'Run', exact: true })).toHaveAttribute('aria-selected', 'true')
  await settled(page)
  // The other flows look at the sample catalog alone.
  for (const urn of urns) await send('/entities?action=delete', { urn })
})
