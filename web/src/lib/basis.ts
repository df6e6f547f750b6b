import type { BasisPartsFragment } from '../gql/graphql'

/** What an answer about lineage rests on. */
export type Basis = BasisPartsFragment

/** The sources whose last run failed: what they state may be missing. */
export function failedOf(basis: Basis): Basis['sources'] {
  return basis.sources.filter((source) => source.failedSince)
}
