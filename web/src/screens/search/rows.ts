import type { SearchResultsQuery } from '../../gql/graphql'
import type { Named } from '../../lib/names'
import { plainText } from '../../lib/plain'
import { modelType } from '../../lib/types'
import { unique } from '../../lib/unique'
import { reasons, type Match } from './matches'
import { isUrn, nameOf, typeOf } from '../../lib/urns'

export type Found = NonNullable<SearchResultsQuery['searchAcrossEntities']>
type Result = Found['searchResults'][number]

/** A result as it is shown. */
export interface Row {
  entity: Named
  subType: string
  /** As one line of text. */
  description: string
  deprecated: boolean
  owners: Named[]
  tags: (Named & { color: string | null })[]
  terms: Named[]
  domain: Named | undefined
  /** Where it is: containers, folders, groups of terms; with the URNs of the places that have pages. */
  path: { name: string; urn?: string }[]
  matches: Match[]
  /** The words of the search that the result does not have. */
  missing: readonly string[]
  /** The whole name in the URN of the result, if another row has the same name. */
  whole: string
}

// The members that types share, under the names that they have in the query.
interface Facts {
  [member: string]: unknown
  ownership?: { owners?: { owner: { urn?: string } }[] | null } | null
  tags?: { tags?: { tag: { urn: string; properties?: { colorHex?: string | null } | null } }[] | null } | null
  glossaryTerms?: { terms?: { term: { urn: string } }[] | null } | null
  domain?: { domain: { urn: string } } | null
  deprecation?: { deprecated: boolean } | null
  subTypes?: { typeNames?: string[] | null } | null
  parentContainers?: { containers: { urn: string }[] } | null
  parentNodes?: { nodes: { urn: string }[] } | null
  browsePathV2?: { path: { name: string; entity?: { urn: string } | null }[] } | null
  edited?: { description?: string | null } | null
}

function factsOf(result: Result): Facts {
  return result.entity as unknown as Facts
}

/** Every URN that the results show, to read their names together. */
export function urnsOf(found: Found): string[] {
  return found.searchResults.flatMap((result) => {
    const facts = factsOf(result)
    return [
      result.entity.urn,
      ...ownersOf(facts),
      ...tagsOf(facts).map((tag) => tag.urn),
      ...termsOf(facts),
      ...(facts.domain ? [facts.domain.domain.urn] : []),
      ...placesOf(facts).flatMap((place) => place.urn ?? []),
      ...result.matchedFields.flatMap(({ name, value }) => (name !== 'urn' && isUrn(value) ? [value] : [])),
    ]
  })
}

/** A result with the names of the entities that it refers to. */
export function rowOf(result: Result, names: ReadonlyMap<string, Named>, words: readonly string[]): Row {
  const facts = factsOf(result)
  const { urn, type } = result.entity
  const named = (one: string): Named =>
    names.get(one) ?? { urn: one, type: typeOf(one), name: one, platformName: null, exists: true, removed: false }
  const entity = names.get(urn) ?? { ...named(urn), type: modelType(type) }
  const description = plainText(descriptionOf(facts))
  return {
    entity,
    subType: facts.subTypes?.typeNames?.[0] ?? '',
    description,
    deprecated: facts.deprecation?.deprecated ?? false,
    owners: ownersOf(facts).map(named),
    tags: tagsOf(facts).map((tag) => ({ ...named(tag.urn), color: tag.properties?.colorHex || null })),
    terms: termsOf(facts).map(named),
    domain: facts.domain ? named(facts.domain.domain.urn) : undefined,
    path: placesOf(facts).map((place) => (place.urn ? { urn: place.urn, name: names.get(place.urn)?.name ?? place.name } : place)),
    matches: reasons(result.matchedFields, words, (one) => names.get(one)?.name, { name: entity.name, description }),
    missing: result.missing,
    whole: '',
  }
}

/** The rows; rows with equal names have their whole names. */
export function toldApart(rows: readonly Row[]): Row[] {
  const times = new Map<string, number>()
  for (const { entity } of rows) times.set(entity.name, (times.get(entity.name) ?? 0) + 1)
  return rows.map((row) => {
    const whole = nameOf(row.entity.urn)
    return (times.get(row.entity.name) ?? 0) > 1 && whole !== row.entity.name ? { ...row, whole } : row
  })
}

/** The description that people wrote, else the ingested one; each type names its properties differently. */
function descriptionOf(facts: Facts): string {
  const edited = facts.edited?.description
  if (edited) return edited
  for (const [member, value] of Object.entries(facts)) {
    if (!member.endsWith('Props') || !value || typeof value !== 'object') continue
    const { description, title, email } = value as Record<string, string | null | undefined>
    return description || [title, email].filter(Boolean).join(' · ')
  }
  return ''
}

function ownersOf(facts: Facts): string[] {
  return [...new Set(facts.ownership?.owners?.flatMap(({ owner }) => owner.urn ?? []) ?? [])]
}

function tagsOf(facts: Facts) {
  return unique(facts.tags?.tags?.map(({ tag }) => tag) ?? [], ({ urn }) => urn)
}

function termsOf(facts: Facts): string[] {
  return [...new Set(facts.glossaryTerms?.terms?.map(({ term }) => term.urn) ?? [])]
}

/** The containers if there are any, from the outermost; else the browse path. */
function placesOf(facts: Facts): { name: string; urn?: string }[] {
  const containers = facts.parentContainers?.containers ?? facts.parentNodes?.nodes ?? []
  if (containers.length > 0) return containers.map(({ urn }) => ({ urn, name: urn })).reverse()
  return (facts.browsePathV2?.path ?? []).map((step) => (step.entity ? { urn: step.entity.urn, name: step.name } : { name: step.name }))
}
