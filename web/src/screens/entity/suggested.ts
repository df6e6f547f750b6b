import type { EntitySuggestedTagsQuery, TagAssociationInput } from '../../gql/graphql'

// Tags that the server suggests by the names of columns, and suggested tags that people have refused.

export type SuggestedTag = EntitySuggestedTagsQuery['entityDetails']['tagSuggestions'][number]
export type RefusedTag = EntitySuggestedTagsQuery['entityDetails']['refusedTagSuggestions'][number]

/** The subject of a suggested tag, in words: a column, or the dataset itself. */
export function placeOf(fieldPath: string | null | undefined, readable: ReadonlyMap<string, string>): string {
  return fieldPath ? `the column ${readable.get(fieldPath) ?? fieldPath}`.slice(0, 120) : 'this dataset'
}

/** The edit that accepts a suggestion. */
export function accepting(urn: string, one: Pick<SuggestedTag, 'fieldPath' | 'tag'>): TagAssociationInput {
  return { tagUrn: one.tag.urn, resourceUrn: urn, ...(one.fieldPath ? { subResourceType: 'DATASET_FIELD' as const, subResource: one.fieldPath } : {}) }
}

/** The suggestions that an edit which is shown already has not answered. */
export function unanswered(suggested: readonly SuggestedTag[], has: (fieldPath: string | undefined, tag: string) => boolean): SuggestedTag[] {
  return suggested.filter((one) => !has(one.fieldPath ?? undefined, one.tag.urn))
}
