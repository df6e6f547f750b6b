// The commands that load the first metadata into an empty catalog.

/** Three lines for a shell. A recipe without a sink writes to the server that the environment names. */
export function firstLines(server: string): string {
  return [`pip install 'acryl-datahub[datahub-rest,sqlalchemy,dbt]==1.7.0.17'`, `export DATAHUB_GMS_URL=${server}`, 'datahub ingest -c recipe.yml'].join('\n')
}

/** A line that needs only curl. */
export function tryLine(server: string): string {
  const value = JSON.stringify({ name: 'orders', description: 'One row per order.' })
  const proposal = {
    entityType: 'dataset',
    entityUrn: 'urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)',
    changeType: 'UPSERT',
    aspectName: 'datasetProperties',
    aspect: { value, contentType: 'application/json' },
  }
  return `curl '${server}/aspects?action=ingestProposal' -H 'X-RestLi-Protocol-Version: 2.0.0' -d '${JSON.stringify({ proposal })}'`
}
