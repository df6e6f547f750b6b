import { columnOf } from '../../lib/columns'
import { unique } from '../../lib/unique'
import { number } from '../../lib/words'
import { isUrn } from '../../lib/urns'
import { mainAspect, named, type Aspects, type Detail, type Named, type Names } from './facts'
import { items, numeric, safeUrl, text, tree, words, type Json, type Tree } from './json'

// The details of an entity that the page does not show elsewhere: every member of its aspects in words, so
// that types without a page of their own are readable.

// Aspects that are shown elsewhere, or are of no use to people.
const elsewhere = new Set([
  'ownership', 'globalTags', 'glossaryTerms', 'domains', 'status', 'deprecation', 'institutionalMemory', 'browsePaths',
  'browsePathsV2', 'container', 'schemaMetadata', 'editableSchemaMetadata', 'inputFields', 'upstreamLineage', 'structuredProperties',
  'subTypes', 'applications', 'dataProducts', 'forms', 'testResults', 'incidentsSummary', 'documentation', 'semanticContent',
  'dataTransformLogic', 'dataHubSecretValue', 'corpUserCredentials', 'inviteToken',
])

// Members that are shown elsewhere, or repeat the header.
const shown = new Set([
  'customProperties', 'name', 'displayName', 'title', 'description', 'definition', 'aboutMe', 'tags', 'externalUrl', 'dashboardUrl',
  'chartUrl', 'assets', 'statement', 'viewLogic', 'formattedViewLogic', 'rawQuery', 'colorHex',
])

const deepest = 3
const most = 60

/** The facts of the entity's aspects, its main aspect first. */
export function detailsOf(type: string, aspects: Aspects, names: Names): Detail[] {
  const main = mainAspect(type, aspects)
  const facts: Detail[] = []
  collect(main, [], names, facts)
  for (const [aspect, value] of Object.entries(aspects)) {
    if (value === main || elsewhere.has(aspect) || aspect.endsWith('Key')) continue
    collect(value, [], names, facts)
  }
  for (const [aspect, value] of Object.entries(aspects)) if (aspect.endsWith('Key')) collect(value, [], names, facts)
  const seen = new Set<string>()
  return facts
    .filter((fact) => {
      const key = JSON.stringify([fact.label, fact.text, fact.time, fact.entities?.map((entity) => entity.urn)])
      if (seen.has(key)) return false
      seen.add(key)
      return true
    })
    .slice(0, most)
}

// A member with edges repeats the member with their ends, and the name of a member may only say that it is a
// URN.
function plain(member: string): string {
  return member.replace(/Edges$/, 's').replace(/(.)Urn(s?)$/, '$1$2')
}

function collect(value: Tree, path: string[], names: Names, into: Detail[]): void {
  for (const [member, inner] of Object.entries(value)) {
    if (path.length === 0 && shown.has(member)) continue
    one(member, inner, [...path, member], names, into)
  }
}

function one(member: string, value: Json, path: string[], names: Names, into: Detail[]): void {
  const label = path.map((part) => words(plain(part))).join(' › ')
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return
  if (Array.isArray(value)) {
    const entities = value.map((entry) => entityOf(entry, names))
    if (entities.every((entity) => entity !== undefined)) {
      into.push({ label, entities: unique(entities, ({ urn }) => urn) })
      return
    }
    const texts = value.map(text)
    if (texts.every(Boolean)) into.push({ label, text: texts.join(', ') })
    else into.push({ label, text: value.length === 1 ? '1 entry; see raw aspects' : `${number(value.length)} entries; see raw aspects` })
    return
  }
  if (typeof value === 'object') {
    if (Object.keys(value).length === 0) return
    const time = numeric(value.time)
    const union = Object.keys(value).length === 1 ? (Object.values(value)[0] ?? null) : null
    if (time !== undefined && Object.keys(value).every((name) => ['time', 'actor', 'impersonator', 'message'].includes(name))) {
      if (time > 0) into.push({ label, time })
      return
    }
    if (union !== null && typeof union !== 'object') one(member, union, path, names, into)
    else if (path.length < deepest) collect(value, path, names, into)
    return
  }
  const shownText = text(value)
  if (typeof value === 'number' && value > 1e11 && /time|date|created|modified|At$|Millis/i.test(member)) into.push({ label, time: value })
  else if (typeof value === 'boolean') into.push({ label, text: value ? 'Yes' : 'No' })
  else if (typeof value === 'number') into.push({ label, text: number(value, 6) })
  else if (isUrn(shownText)) into.push({ label, entities: [named(shownText, names)] })
  else {
    const href = safeUrl(shownText)
    into.push(href ? { label, text: shownText, href } : { label, text: shownText })
  }
}

// An entity that an entry of a list names: itself, or by its only URN.
function entityOf(entry: Json, names: Names): Named | undefined {
  if (typeof entry === 'string') return isUrn(entry) ? named(entry, names) : undefined
  const members = Object.values(tree(entry))
  if (members.length === 1 && Array.isArray(members[0])) return undefined
  const urns = members.filter((value) => typeof value === 'string' && isUrn(value)) as string[]
  const first = urns[0]
  return urns.length === 1 && first ? named(first, names) : undefined
}

/** The condition that an assertion checks, in words. */
export function condition(info: Tree): string {
  const kinds = ['datasetAssertion', 'freshnessAssertion', 'volumeAssertion', 'sqlAssertion', 'fieldAssertion', 'schemaAssertion', 'customAssertion']
  if (text(info.description)) return text(info.description)
  for (const kind of kinds) {
    const of = tree(info[kind])
    if (Object.keys(of).length === 0) continue
    const fields = items(of.fields).map((field) => columnOf(text(field))?.path ?? '').filter(Boolean)
    const what = text(of.aggregation) || text(of.nativeType) || text(of.type) || words(kind)
    const parameters = tree(of.parameters)
    const values = ['value', 'minValue', 'maxValue'].map((name) => text(tree(parameters[name]).value)).filter(Boolean)
    const operator = operators[text(of.operator)] ?? words(text(of.operator)).toLowerCase()
    const on = fields.length > 0 ? ` of ${fields.join(', ')}` : ''
    return `${words(what)}${on} ${operator} ${values.join(' and ')}`.replace(/\s+/g, ' ').trim()
  }
  return words(text(info.type)) || 'Assertion'
}



const operators: Record<string, string> = {
  GREATER_THAN: 'is greater than',
  GREATER_THAN_OR_EQUAL_TO: 'is at least',
  LESS_THAN: 'is less than',
  LESS_THAN_OR_EQUAL_TO: 'is at most',
  EQUAL_TO: 'is',
  NOT_EQUAL_TO: 'is not',
  BETWEEN: 'is between',
  NOT_NULL: 'is never null',
  NULL: 'is null',
  IN: 'is one of',
  _NATIVE_: '',
}
