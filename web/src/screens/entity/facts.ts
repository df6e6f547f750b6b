import { unique } from '../../lib/unique'
import { isUrn, nameOf, typeOf } from '../../lib/urns'
import { items, numeric, safeUrl, text, tree, trees, words, type Json, type Tree } from './json'

// The facts of an entity on its page, read from its aspects.

/** Another entity with its name. */
export interface Named {
  urn: string
  type: string
  name: string
  platformName?: string | null | undefined
  removed?: boolean | undefined
  exists?: boolean | undefined
}

export type Aspects = Readonly<Record<string, Tree>>
export type Names = ReadonlyMap<string, Named>

export interface Owner {
  owner: Named
  /** The URN of the type of ownership, if one is stated. */
  typeUrn: string
  /** The type in words. */
  type: string
}

export interface Label {
  entity: Named
  color?: string | undefined
  /** Whether the label has a source, such as an automatic classification. */
  attributed: boolean
}

export interface Deprecation {
  note: string
  /** The time at which the entity will be removed, epoch milliseconds. */
  when: number | undefined
  actor: Named | undefined
  replacement: Named | undefined
}

export interface Link {
  url: string
  /** The address of the link, if it is safe to follow. */
  href: string | undefined
  label: string
  at: number | undefined
  by: Named | undefined
}

export interface Property {
  /** Custom properties have no entity that defines them. */
  definition: Named | undefined
  name: string
  type: string
  values: { text: string; entity: Named | undefined; href: string | undefined }[]
}

export interface Detail {
  label: string
  text?: string
  href?: string
  entities?: Named[]
  time?: number
}

export function named(urn: string, names: Names): Named {
  return names.get(urn) ?? { urn, type: typeOf(urn), name: nameOf(urn) }
}

function known(value: Json | undefined, names: Names): Named | undefined {
  const urn = text(value)
  return isUrn(urn) ? named(urn, names) : undefined
}

export function owners(aspects: Aspects, names: Names): Owner[] {
  const all = trees(aspects.ownership?.owners)
    .filter((entry) => text(entry.owner))
    .map((entry) => {
      const typeUrn = text(entry.typeUrn)
      const legacy = text(entry.type)
      const type = typeUrn ? words(named(typeUrn, names).name.replace(/^__system__/, '')) : legacy && legacy !== 'NONE' ? words(legacy) : ''
      return { owner: named(text(entry.owner), names), typeUrn, type: type === 'None' ? '' : type }
    })
  return unique(all, ({ owner, typeUrn, type }) => `${owner.urn} ${typeUrn} ${type}`)
}

/** The tags in an aspect globalTags. */
export function tagsOf(value: Json | undefined, names: Names): Label[] {
  return labels(trees(tree(value).tags), 'tag', names)
}

/** The terms in an aspect glossaryTerms. */
export function termsOf(value: Json | undefined, names: Names): Label[] {
  return labels(trees(tree(value).terms), 'urn', names)
}

function labels(entries: Tree[], member: string, names: Names): Label[] {
  const all = entries
    .filter((entry) => text(entry[member]))
    .map((entry) => ({ entity: named(text(entry[member]), names), attributed: entry.attribution !== undefined && entry.attribution !== null }))
  return unique(all, ({ entity }) => entity.urn)
}

function all(value: Json | undefined, names: Names): Named[] {
  const entities = items(value)
    .map((urn) => known(urn, names))
    .filter((entity) => entity !== undefined)
  return unique(entities, ({ urn }) => urn)
}

export const domains = (aspects: Aspects, names: Names) => all(aspects.domains?.domains, names)
export const applications = (aspects: Aspects, names: Names) => all(aspects.applications?.applications, names)

export function dataProducts(aspects: Aspects, names: Names): Named[] {
  return all(aspects.dataProducts?.dataProducts, names)
}

export function deprecation(aspects: Aspects, names: Names): Deprecation | undefined {
  const value = aspects.deprecation
  if (!value?.deprecated) return undefined
  return {
    note: text(value.note),
    when: numeric(value.decommissionTime),
    actor: known(value.actor, names),
    replacement: known(value.replacement, names),
  }
}

export const removed = (aspects: Aspects) => aspects.status?.removed === true

export function links(aspects: Aspects, names: Names): Link[] {
  return trees(aspects.institutionalMemory?.elements).map((entry) => {
    const url = text(entry.url)
    const stamp = tree(entry.createStamp)
    return { url, href: safeUrl(url), label: text(entry.description) || url, at: numeric(stamp.time), by: known(stamp.actor, names) }
  })
}

// The place of descriptions that people wrote, by type of entity: the same as in model/edited.go.
const edited: Record<string, [aspect: string, member: string]> = {
  dataset: ['editableDatasetProperties', 'description'],
  chart: ['editableChartProperties', 'description'],
  dashboard: ['editableDashboardProperties', 'description'],
  dataFlow: ['editableDataFlowProperties', 'description'],
  dataJob: ['editableDataJobProperties', 'description'],
  container: ['editableContainerProperties', 'description'],
  domain: ['domainProperties', 'description'],
  tag: ['tagProperties', 'description'],
  glossaryTerm: ['glossaryTermInfo', 'definition'],
  glossaryNode: ['glossaryNodeInfo', 'definition'],
  corpGroup: ['corpGroupEditableInfo', 'description'],
  notebook: ['editableNotebookProperties', 'description'],
  mlModel: ['editableMlModelProperties', 'description'],
  mlModelGroup: ['editableMlModelGroupProperties', 'description'],
  mlFeature: ['editableMlFeatureProperties', 'description'],
  mlFeatureTable: ['editableMlFeatureTableProperties', 'description'],
  mlPrimaryKey: ['editableMlPrimaryKeyProperties', 'description'],
  dataProduct: ['dataProductProperties', 'description'],
  application: ['applicationProperties', 'description'],
}

// Types whose description is a member of an aspect that must exist.
const stated = new Set(['domain', 'tag', 'glossaryTerm', 'glossaryNode', 'dataProduct', 'application'])

/** The place in which an edit stores the description; undefined for types and entities that have none. */
export function descriptionPlace(type: string, aspects: Aspects): { aspect: string; member: string } | undefined {
  const at = edited[type]
  if (!at || (stated.has(type) && !aspects[at[0]])) return undefined
  return { aspect: at[0], member: at[1] }
}

/** The aspect with the ingested properties or info of the type. */
export function mainAspect(type: string, aspects: Aspects): Tree {
  const lower = type.toLowerCase()
  for (const [name, value] of Object.entries(aspects)) {
    const n = name.toLowerCase()
    if (n === `${lower}properties` || n === `${lower}info`) return value
  }
  for (const name of ['propertyDefinition', 'queryProperties', 'semanticModelInfo', 'dataHubIngestionSourceInfo'])
    if (aspects[name]) return aspects[name]
  return {}
}

/** The description that people wrote or, without one, the ingested description. */
export function description(type: string, aspects: Aspects): string {
  const place = edited[type]
  const written = place ? text(aspects[place[0]]?.[place[1]]) : ''
  if (written) return written
  if (type === 'corpuser') return text(aspects.corpUserEditableInfo?.aboutMe)
  const documented = trees(aspects.documentation?.documentations)
    .map((entry) => text(entry.documentation))
    .find(Boolean)
  if (documented) return documented
  const main = mainAspect(type, aspects)
  return text(main.description) || text(main.definition) || text(tree(main.contents).text)
}

/** The address of the entity in its own tool, if the address is harmless. */
export function externalUrl(type: string, aspects: Aspects): string | undefined {
  const main = mainAspect(type, aspects)
  for (const value of [main.externalUrl, main.dashboardUrl, main.chartUrl, main.url, aspects.sourceCode && tree(items(aspects.sourceCode.sourceCode)[0]).sourceCodeUrl]) {
    const url = safeUrl(value)
    if (url) return url
  }
  return undefined
}

/** The containers of the entity, the outermost first, as the browse path has them. */
export function above(aspects: Aspects, names: Names): (Named | string)[] {
  const path = trees(aspects.browsePathsV2?.path)
    .map((entry) => known(entry.urn, names) ?? text(entry.id))
    .filter((entry) => typeof entry !== 'string' || (entry !== '' && entry !== 'Default'))
  const container = known(aspects.container?.container, names)
  // Browse paths are often only texts: the container itself is then added as the last part.
  if (!container || path.some((entry) => typeof entry !== 'string' && entry.urn === container.urn)) return path
  const last = path[path.length - 1]
  if (typeof last === 'string' && last === container.name) path.pop()
  return [...path, container]
}

/** The column of a type of the model, such as NumberType, in words. */
export function columnType(value: Json | undefined): string {
  const inner = tree(tree(value).type)
  const record = Object.keys(inner)[0] ?? ''
  return (record.split('.').pop() ?? '').replace(/Type$/, '')
}

export function properties(aspects: Aspects, names: Names): Property[] {
  const found: Property[] = []
  const custom = new Map<string, string>()
  for (const value of Object.values(aspects))
    for (const [name, entry] of Object.entries(tree(value.customProperties))) custom.set(name, text(entry))
  for (const [name, value] of custom)
    found.push({ definition: undefined, name, type: '', values: [{ text: value, entity: known(value, names), href: safeUrl(value) }] })
  for (const entry of trees(aspects.structuredProperties?.properties)) {
    const urn = text(entry.propertyUrn)
    if (!urn) continue
    const values = items(entry.values)
    found.push({
      definition: named(urn, names),
      name: named(urn, names).name,
      type: values.some((value) => numeric(unionValue(value)) !== undefined && typeof unionValue(value) === 'number') ? 'Number' : 'Text',
      values: values.map((value) => {
        const shown = text(value)
        return { text: shown, entity: known(shown, names), href: safeUrl(shown) }
      }),
    })
  }
  return found.sort((a, b) => a.name.localeCompare(b.name))
}

function unionValue(value: Json): Json {
  const members = Object.values(tree(value))
  return members.length === 1 ? (members[0] ?? null) : value
}

/** The beginning of a text in markdown, as plain text on a few lines. */
export function summaryOf(markdown: string): string {
  return markdown
    .slice(0, 2000)
    .replace(/```[\s\S]*?(```|$)/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s{0,3}(#{1,6}|>|[-*+]|\d+\.)\s+/gm, '')
    .replace(/(\*\*|__|`)(.*?)\1/g, '$2')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 600)
}
