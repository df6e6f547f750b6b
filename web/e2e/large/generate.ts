// A catalog of a size that companies have: 100,000 datasets with columns, owners, tags and
// lineage, the same at every run. One of them feeds 2,000 others.
import { dataset, user } from '../support/names'
import type { Json, Proposal, Rest } from '../support/rest'

export const datasets = 100_000
export const neighbours = 2000
export const owners = 200

const platforms = ['snowflake', 'bigquery', 'postgres', 'kafka', 's3', 'dbt']
const subjects = 'orders customers payments refunds invoices shipments sessions clicks products prices returns campaigns tickets stores regions taxes budget leads contracts visits carts reviews coupons routes suppliers sensors readings'.split(' ')
const shapes = 'fct dim stg raw agg rpt snap hist'.split(' ')
const ends = 'daily weekly monthly hourly latest all current archive'.split(' ')
const parts = 'id key code name amount total count rate status kind created_at updated_at region_id customer_id order_id'.split(' ')

export const hub = dataset('snowflake', 'core.hub.everything')

/** The next number of a small generator (mulberry32): the same for the same seed. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function described(i: number): { urn: string; name: string; platform: string } {
  const next = random(i)
  const one = (list: string[]) => list[Math.floor(next() * list.length)] ?? ''
  const platform = one(platforms)
  const name = `area_${i % 40}.${one(shapes)}_${one(subjects)}.${one(subjects)}_${one(ends)}_${i}`
  return { urn: dataset(platform, name), name, platform }
}

export const datasetAt = described

function proposals(i: number): Proposal[] {
  const { urn, name, platform } = described(i)
  const next = random(i + 1_000_000)
  const stamp = { time: 0, actor: user('loader') }
  const put = (aspect: string, value: Json): Proposal => ({ urn, aspect, value })
  const fields = Array.from({ length: 4 }, (_, k) => ({
    fieldPath: `${parts[Math.floor(next() * parts.length)]}_${k}`,
    nativeDataType: 'text',
    type: { type: { 'com.linkedin.schema.StringType': {} } },
  }))
  const all = [
    put('datasetProperties', { name: name.split('.').pop() ?? name, description: `Generated data about ${name.replaceAll(/[._\d]+/g, ' ')}.` }),
    put('schemaMetadata', { schemaName: name, platform: `urn:li:dataPlatform:${platform}`, version: 0, hash: '', platformSchema: { 'com.linkedin.schema.OtherSchema': { rawSchema: '' } }, fields }),
    put('ownership', { owners: [{ owner: user(`person${i % owners}`), type: 'TECHNICAL_OWNER' }], lastModified: stamp }),
  ]
  if (i % 5 === 0) all.push(put('globalTags', { tags: [{ tag: `urn:li:tag:group${i % 20}` }] }))
  const upstreams: string[] = []
  if (i < neighbours) upstreams.push(hub)
  else upstreams.push(described(Math.floor(next() * i)).urn)
  all.push(put('upstreamLineage', { upstreams: upstreams.map((upstream) => ({ dataset: upstream, type: 'TRANSFORMED', auditStamp: stamp })) }))
  return all
}

/** Loads what is not there yet. */
export async function load(rest: Rest): Promise<void> {
  const last = described(datasets - 1).urn
  if (await rest.aspect(last, 'upstreamLineage')) return
  const people: Proposal[] = [{ urn: hub, aspect: 'datasetProperties', value: { name: 'everything', description: 'What 2,000 others derive from.' } }]
  for (let i = 0; i < owners; i++) people.push({ urn: user(`person${i}`), aspect: 'corpUserInfo', value: { active: true, displayName: `Person ${i}`, email: `person${i}@large.example` } })
  for (let i = 0; i < 20; i += 5) people.push({ urn: `urn:li:tag:group${i}`, aspect: 'tagProperties', value: { name: `Group ${i}` } })
  await rest.write(people, 'large')
  const atOnce = 400
  for (let i = 0; i < datasets; i += atOnce) {
    const batch: Proposal[] = []
    for (let k = i; k < Math.min(i + atOnce, datasets); k++) batch.push(...proposals(k))
    await rest.write(batch, 'large')
  }
}
