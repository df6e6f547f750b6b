import type { EntityAnnouncedQuery } from '../../gql/graphql'

// Changes that somebody has announced before they are merged, and that are still expected.

export type AnnouncedChange = EntityAnnouncedQuery['announcedChanges']['changes'][number]
type Member = AnnouncedChange['changes'][number]

/** The parts of an announced change that are about a dataset and have not arrived there. */
export function expectedOf(change: AnnouncedChange, dataset: string): Member[] {
  const about = (list: readonly { urn: string }[]) => list.some(({ urn }) => urn === dataset)
  return change.changes.filter((one) => about(one.datasets) && !about(one.arrivals.map((arrival) => arrival.dataset)))
}

/** A part of an announced change, as a sentence without its dot. */
export function sentenceOf(one: Member): string {
  const column = one.column ?? ''
  switch (one.kind) {
    case 'tableRemoved':
      return 'The table will be removed'
    case 'columnDropped':
      return `The column ${column} will be dropped`
    case 'columnRenamed':
      return one.newName ? `The column ${column} will be renamed to ${one.newName}` : `The column ${column} will be renamed`
    case 'columnRetyped':
      return one.newType ? `The type of ${column} will be ${one.newType}` : `The type of ${column} will change`
    case 'nullabilityChanged':
      return `Whether ${column} may be empty will change`
    case 'lineageLost':
      return column ? `The lineage of ${column} will be lost` : 'The lineage will be lost'
    case 'meaningChanged':
      return column ? `The values of ${column} will be computed in another way` : 'The values will be computed in another way'
    case 'rowsChanged':
      return 'The table will have other rows'
    default:
      return column ? `The column ${column} will change` : 'The table will change'
  }
}
