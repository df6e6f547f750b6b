import type { ChangeManyInput, SearchChangeManyMutation, SuggestionKind, UndoInput } from '../../gql/graphql'
import { nameOf } from '../../lib/urns'
import { amount } from '../../lib/words'

// The changes that can be made to many entities at once.

export type Outcome = SearchChangeManyMutation['changeMany'][number]

export interface Action {
  id: string
  label: string
  /** The kind of value that the change needs. */
  needs: 'entity' | 'text' | 'nothing'
  field?: string
  kinds?: SuggestionKind[]
  input: (value: string, type: string) => Omit<ChangeManyInput, 'urns'>
}

const owner = (urn: string, type: string) => [{ ownerUrn: urn, ownerEntityType: type === 'corpGroup' ? ('CORP_GROUP' as const) : ('CORP_USER' as const) }]

export const actions: readonly Action[] = [
  { id: 'add-tag', label: 'Add a tag', needs: 'entity', field: 'Tag', kinds: ['TAG'], input: (urn) => ({ addTags: [urn] }) },
  { id: 'remove-tag', label: 'Remove a tag', needs: 'entity', field: 'Tag', kinds: ['TAG'], input: (urn) => ({ removeTags: [urn] }) },
  { id: 'add-term', label: 'Add a glossary term', needs: 'entity', field: 'Glossary term', kinds: ['TERM'], input: (urn) => ({ addTerms: [urn] }) },
  { id: 'remove-term', label: 'Remove a glossary term', needs: 'entity', field: 'Glossary term', kinds: ['TERM'], input: (urn) => ({ removeTerms: [urn] }) },
  {
    id: 'add-owner',
    label: 'Add an owner',
    needs: 'entity',
    field: 'Person or group',
    kinds: ['PERSON'],
    input: (urn, type) => ({ addOwners: owner(urn, type).map((one) => ({ ...one, ownershipTypeUrn: 'urn:li:ownershipType:__system__technical_owner' })) }),
  },
  { id: 'remove-owner', label: 'Remove an owner', needs: 'entity', field: 'Person or group', kinds: ['PERSON'], input: (urn, type) => ({ removeOwners: owner(urn, type) }) },
  { id: 'domain', label: 'Set the domain', needs: 'entity', field: 'Domain', kinds: ['DOMAIN'], input: (urn) => ({ domain: urn }) },
  { id: 'no-domain', label: 'Remove from the domain', needs: 'nothing', input: () => ({ domain: '' }) },
  { id: 'describe', label: 'Set the description', needs: 'text', field: 'Description', input: (text) => ({ description: text }) },
  { id: 'deprecate', label: 'Deprecate', needs: 'text', field: 'Why, and what to use instead', input: (text) => ({ deprecation: { deprecated: true, note: text } }) },
  { id: 'undeprecate', label: 'End the deprecation', needs: 'nothing', input: () => ({ deprecation: { deprecated: false } }) },
]

export interface Sorted {
  change: Outcome[]
  same: Outcome[]
  refused: Outcome[]
}

export function sorted(outcomes: readonly Outcome[]): Sorted {
  return {
    change: outcomes.filter((one) => one.changed),
    refused: outcomes.filter((one) => one.refused),
    same: outcomes.filter((one) => !one.changed && !one.refused),
  }
}

/** The text of a preview before the list of the entities. */
export function summary({ change, same, refused }: Sorted): string {
  return [
    change.length === 0 ? 'Nothing would change' : `${amount(change.length, 'entity', 'entities')} would change`,
    same.length > 0 ? `${same.length} ${same.length === 1 ? 'is' : 'are'} so already` : '',
    refused.length > 0 ? `${refused.length} cannot be changed` : '',
  ]
    .filter(Boolean)
    .join('; ')
}

/** The input that takes back all changes that were made; undefined if a version is not known for sure. */
export function undoOf(outcomes: readonly Outcome[]): UndoInput[] | undefined {
  const changed = outcomes.filter((one) => one.changed)
  if (changed.some((one) => one.made.length === 0)) return undefined
  return changed.flatMap((one) => one.made.map(({ aspect, number }) => ({ urn: one.entity.urn, aspect, made: number })))
}

/**
 * The place of an entity, which distinguishes it from others of its name: its platform, and its path if that is
 * not its name.
 */
export function whereOf({ urn, name, platformName }: Outcome['entity']): string {
  const path = nameOf(urn)
  return [platformName ?? '', path === name ? '' : path].filter(Boolean).join(' · ')
}
