// The two trees that people make: the glossary and the domains.

import type { AndFilterInput, EntityType, FacetFilterInput } from '../../gql/graphql'
import { paths, type Params } from '../../lib/paths'

/** A type of the model that can be made in a tree. */
export interface Made {
  type: string
  /** The word that follows "New". */
  label: string
  /** Whether a node of this kind may contain other nodes. */
  holds: boolean
}

export interface Hierarchy {
  id: 'glossary' | 'domains'
  title: string
  intro: string
  /** The text of an empty tree. */
  empty: string
  types: EntityType[]
  makes: Made[]
  /** The field with the place of a node in the tree. */
  parentField: string
  /** The search fields by which entities say that they have a node of the tree. */
  heldBy: string[]
  /** Privileges; one of them is enough for everything in the tree. */
  manage: string[]
  create: string[]
  address: (params?: Params) => string
}

export const glossary: Hierarchy = {
  id: 'glossary',
  title: 'Glossary',
  intro: 'The words of the business and what they mean. Groups hold terms and other groups. The number beside each says how much has it, with all that is in it.',
  empty: 'The glossary is empty',
  types: ['GLOSSARY_NODE', 'GLOSSARY_TERM'],
  makes: [
    { type: 'glossaryTerm', label: 'term', holds: false },
    { type: 'glossaryNode', label: 'group', holds: true },
  ],
  parentField: 'parentNode',
  heldBy: ['glossaryTerms', 'fieldGlossaryTerms', 'editedFieldGlossaryTerms'],
  manage: ['MANAGE_GLOSSARIES'],
  create: ['MANAGE_GLOSSARIES'],
  address: paths.glossary,
}

export const domains: Hierarchy = {
  id: 'domains',
  title: 'Domains',
  intro: 'The parts of the business and what belongs to them. The number beside each says how much is in it, with the domains in it.',
  empty: 'There are no domains yet',
  types: ['DOMAIN'],
  makes: [{ type: 'domain', label: 'domain', holds: true }],
  parentField: 'parentDomain',
  heldBy: ['domains'],
  manage: ['MANAGE_DOMAINS'],
  create: ['CREATE_DOMAINS', 'MANAGE_DOMAINS'],
  address: paths.domains,
}

/** The filter of the children of a node; without a node, of the nodes at the top. */
export function within(tree: Hierarchy, parent: string | undefined): FacetFilterInput[] {
  return parent ? [{ field: tree.parentField, values: [parent] }] : [{ field: tree.parentField, condition: 'EXISTS', values: [], negated: true }]
}

/** Filters for the entities that have a node or a node below it; one of the filters must hold. */
export function holding(tree: Hierarchy, urn: string): AndFilterInput[] {
  return tree.heldBy.map((field) => ({ and: [{ field, values: [urn], condition: 'DESCENDANTS_INCL' }] }))
}

/** Whether a node of this type may contain other nodes. */
export function holds(tree: Hierarchy, type: string): boolean {
  return tree.makes.some((made) => made.type === type && made.holds)
}
