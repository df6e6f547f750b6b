import type { BasisPartsFragment } from '../gql/graphql'

/** The basis of an answer about lineage: its sources and their last runs. */
export type Basis = BasisPartsFragment

/** The sources whose last run failed: lineage that they state may be missing. */
export function failedOf(basis: Basis): Basis['sources'] {
  return basis.sources.filter((source) => source.failedSince)
}
