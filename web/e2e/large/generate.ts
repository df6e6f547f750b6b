// A catalog of a size that companies have: 100,000 datasets with columns, owners, tags and lineage, the same
// at every run. One dataset, the hub, feeds 2,000 others directly, and through these all the rest.
import { column, dataset, user } from '../support/names'
import type { Json, Proposal, Rest } from '../support/rest'

export const datasets = 100_000
export const neighbours = 2000
export const owners = 200
/** Folders at the top of S3. */
const landings = 3000
/** How many datasets one request writes; each request is a run of its own. */
const atOnce = 400
export const runs = datasets / atOnce
export const runAt = (i: number) => `large-load-${String(i).padStart(4, '0')}`

const platforms = ['snowflake', 'bigquery', 'postgres', 'kafka', 's3', 'dbt']
const subjects = 'orders customers payments refunds invoices shipments sessions clicks products prices returns campaigns tickets stores regions taxes budget leads contracts visits carts reviews coupons routes suppliers sensors readings'.split(' ')
const shapes = 'fct dim stg raw agg rpt snap hist'.split(' ')
const ends = 'daily weekly monthly hourly latest all current archive'.split(' ')
const parts = 'id key code name amount total count rate status kind created_at updated_at region_id customer_id order_id'.split(' ')

export const hub = dataset('snowflake', 'core.hub.everything')
/** The column of the hub from which the first columns of every second neighbour derive. */
export const hubColumn = 'customer_id'

/** Returns the numbers of a small generator (mulberry32), the same for the same seed. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export interface Described {
  urn: string
  /** The path of the folder, and the last part of the path. */
  path: string[]
  name: string
  platform: string
}

export function datasetAt(i: number): Described {
  const next = random(i)
  const one = (list: string[]) => list[Math.floor(next() * list.length)] ?? ''
  const platform = one(platforms)
  const lake = platform === 's3'
  const path = [lake ? `landing_${i % landings}` : `area_${i % 40}`, `${one(shapes)}_${one(subjects)}`, `${one(subjects)}_${one(ends)}_${i}`]
  return { urn: dataset(platform, path.join(lake ? '/' : '.')), path, name: path.at(-1) ?? '', platform }
}

/** The number of folders at the top of S3. */
export function landingsUsed(): number {
  const used = new Set<string>()
  for (let i = 0; i < datasets; i++) {
    const { platform, path } = datasetAt(i)
    if (platform === 's3') used.add(path[0] ?? '')
  }
  return used.size
}

const put = (urn: string, aspect: string, value: Json): Proposal => ({ urn, aspect, value })
const stamp = { time: 0, actor: user('loader') }

function schema(of: Pick<Described, 'name' | 'platform'>, fieldPaths: readonly string[]): Json {
  const fields = fieldPaths.map((fieldPath) => ({ fieldPath, nativeDataType: 'text', type: { type: { 'com.linkedin.schema.StringType': {} } } }))
  return { schemaName: of.name, platform: `urn:li:dataPlatform:${of.platform}`, version: 0, hash: '', platformSchema: { 'com.linkedin.schema.OtherSchema': { rawSchema: '' } }, fields }
}

const ownedBy = (i: number): Json => ({ owners: [{ owner: user(`person${i % owners}`), type: 'TECHNICAL_OWNER' }], lastModified: stamp })

function proposals(i: number): Proposal[] {
  const { urn, path, name, platform } = datasetAt(i)
  const next = random(i + 1_000_000)
  const fieldPaths = Array.from({ length: 4 }, (_, k) => `${parts[Math.floor(next() * parts.length)]}_${k}`)
  const all = [
    put(urn, 'datasetProperties', { name, description: `Generated data about ${path.join(' ').replaceAll(/[_\d]+/g, ' ')}.` }),
    put(urn, 'schemaMetadata', schema({ name, platform }, fieldPaths)),
    put(urn, 'ownership', ownedBy(i)),
  ]
  if (i % 5 === 0) all.push(put(urn, 'globalTags', { tags: [{ tag: `urn:li:tag:group${i % 20}` }] }))
  const upstream = i < neighbours ? hub : datasetAt(Math.floor(next() * i)).urn
  const columns: Record<string, Json> =
    i < neighbours && i % 2 === 0
      ? { fineGrainedLineages: [{ upstreamType: 'FIELD_SET', upstreams: [column(hub, hubColumn)], downstreamType: 'FIELD', downstreams: [column(urn, fieldPaths[0] ?? '')], confidenceScore: 1 }] }
      : {}
  all.push(put(urn, 'upstreamLineage', { upstreams: [{ dataset: upstream, type: 'TRANSFORMED', auditStamp: stamp }], ...columns }))
  return all
}

/** The hub, and the entities that the datasets name. */
function named(): Proposal[] {
  const all = [
    put(hub, 'datasetProperties', { name: 'everything', description: 'What 2,000 others derive from.' }),
    put(hub, 'schemaMetadata', schema({ name: 'everything', platform: 'snowflake' }, parts)),
    put(hub, 'ownership', ownedBy(0)),
  ]
  for (let i = 0; i < owners; i++) all.push(put(user(`person${i}`), 'corpUserInfo', { active: true, displayName: `Person ${i}`, email: `person${i}@large.example` }))
  for (let i = 0; i < 20; i += 5) all.push(put(`urn:li:tag:group${i}`, 'tagProperties', { name: `Group ${i}` }))
  for (const [i, subject] of subjects.entries()) all.push(put(`urn:li:glossaryTerm:term${i}`, 'glossaryTermInfo', { name: `Meaning of ${subject}`, definition: `What ${subject} are.`, termSource: 'INTERNAL' }))
  return all
}

/** Loads the datasets that are not in the catalog yet. */
export async function load(rest: Rest): Promise<void> {
  if (await rest.aspect(datasetAt(datasets - 1).urn, 'upstreamLineage')) return
  await rest.write(named(), 'large-names')
  let next = 0
  const write = async (): Promise<void> => {
    for (let run = next++; run < runs; run = next++) {
      const batch: Proposal[] = []
      for (let i = run * atOnce; i < (run + 1) * atOnce; i++) batch.push(...proposals(i))
      await rest.write(batch, runAt(run))
    }
  }
  // Two requests at once: the server reads one while it writes the other.
  await Promise.all([write(), write()])
}
