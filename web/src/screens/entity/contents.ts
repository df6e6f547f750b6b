// The content of an entity, such as the datasets of a container, by type: found by searches or by
// relationships.

import { keyOf } from '../../lib/urns'

export interface Criterion {
  field: string
  values?: string[]
  condition?: 'EXISTS'
}

export interface Section {
  id: string
  title: string
  /** The text for an entity without content. */
  empty: string
  /** The criteria of a search, of which one must hold. */
  any?: Criterion[]
  /** The values of the schema's EntityType to search for. */
  types?: string[]
  /** The relationships by which the content is found, if not by a search. */
  relationships?: { types: string[]; direction: 'INCOMING' | 'OUTGOING' }
  /** The field of a search that, filtered by this entity, finds the same entities; such results can be exported. */
  exported?: 'tags' | 'glossaryTerms' | 'domains'
  /** Otherwise, the columns that have the entity as the value of this field. */
  columnsOf?: 'tags' | 'glossaryTerms' | 'domains'
}

const incoming = (...types: string[]): Section['relationships'] => ({ types, direction: 'INCOMING' })
const outgoing = (...types: string[]): Section['relationships'] => ({ types, direction: 'OUTGOING' })

export function contentsOf(type: string, urn: string): Section[] {
  const is = (...fields: string[]): Criterion[] => fields.map((field) => ({ field, values: [urn] }))
  const owned: Section = { id: 'owned', title: 'Owns', empty: 'Nothing is owned by them.', any: is('owners') }
  switch (type) {
    case 'container':
      return [{ id: 'contents', title: 'Contains', empty: 'Nothing is in this container.', any: is('container') }]
    case 'domain':
      return [
        { id: 'children', title: 'Domains in it', empty: 'It has no domains in it.', relationships: incoming('IsPartOf') },
        { id: 'products', title: 'Data products', empty: 'No data products are in this domain.', any: is('domains'), types: ['DATA_PRODUCT'] },
        { id: 'assets', title: 'Assets', empty: 'Nothing is in this domain yet.', any: is('domains'), exported: 'domains' },
        { id: 'columns', title: 'Columns of its tables', empty: 'No tables in it have columns.', columnsOf: 'domains' },
      ]
    case 'tag':
      return [
        { id: 'tagged', title: 'Tagged', empty: 'Nothing has this tag.', relationships: incoming('TaggedWith'), exported: 'tags' },
        { id: 'columns', title: 'Tagged columns', empty: 'No columns have this tag.', columnsOf: 'tags' },
      ]
    case 'glossaryTerm':
      return [
        { id: 'termed', title: 'Described by it', empty: 'Nothing has this term.', relationships: incoming('TermedWith'), exported: 'glossaryTerms' },
        { id: 'columns', title: 'Such columns', empty: 'No columns have this term.', columnsOf: 'glossaryTerms' },
        { id: 'related', title: 'Related terms', empty: 'No terms are related to it.', relationships: outgoing('IsA', 'HasA', 'HasValue', 'IsRelatedTo') },
        { id: 'relating', title: 'Terms that relate to it', empty: 'No terms refer to it.', relationships: incoming('IsA', 'HasA', 'HasValue', 'IsRelatedTo') },
      ]
    case 'glossaryNode':
      return [{ id: 'children', title: 'Terms and groups in it', empty: 'Nothing is in it.', relationships: incoming('IsPartOf') }]
    case 'dataProduct':
      return [{ id: 'assets', title: 'Assets', empty: 'It has no assets.', relationships: outgoing('DataProductContains') }]
    case 'application':
      return [{ id: 'assets', title: 'Assets', empty: 'It has no assets.', any: is('applications') }]
    case 'corpGroup':
      return [
        { id: 'members', title: 'Members', empty: 'It has no members.', relationships: incoming('IsMemberOfGroup', 'IsMemberOfNativeGroup') },
        owned,
      ]
    case 'corpuser':
      return [
        owned,
        { id: 'groups', title: 'Groups', empty: 'They are in no group.', relationships: outgoing('IsMemberOfGroup', 'IsMemberOfNativeGroup') },
        { id: 'reports', title: 'Report to them', empty: 'Nobody reports to them.', relationships: incoming('ReportsTo') },
      ]
    case 'dataFlow':
      return [{ id: 'jobs', title: 'Jobs', empty: 'It has no jobs.', relationships: incoming('IsPartOf') }]
    case 'dashboard':
      return [{ id: 'charts', title: 'Charts and dashboards in it', empty: 'It has no charts.', relationships: outgoing('Contains', 'DashboardContainsDashboard') }]
    case 'mlFeatureTable':
      return [
        { id: 'features', title: 'Features', empty: 'It has no features.', relationships: outgoing('Contains') },
        { id: 'keys', title: 'Keys', empty: 'It has no keys.', relationships: outgoing('KeyedBy') },
      ]
    case 'mlModelGroup':
      return [{ id: 'models', title: 'Models', empty: 'It has no models.', relationships: incoming('MemberOf') }]
    case 'dataPlatform':
      return [{ id: 'assets', title: 'Assets', empty: 'Nothing of this platform is in the catalog.', any: is('platform') }]
    case 'dataPlatformInstance':
      return [{ id: 'assets', title: 'Assets', empty: 'Nothing of this instance is in the catalog.', any: is('platformInstance') }]
    case 'structuredProperty':
      return [
        {
          id: 'with',
          title: 'Have a value of it',
          empty: 'Nothing has a value of it.',
          any: [{ field: `structuredProperties.${keyOf(urn)}`, condition: 'EXISTS' }],
        },
      ]
    case 'versionSet':
      return [{ id: 'versions', title: 'Versions', empty: 'It has no versions.', relationships: incoming('VersionOf') }]
    case 'semanticModel':
      return [{ id: 'members', title: 'In it', empty: 'Nothing is in it.', relationships: incoming('IsPartOf', 'ModeledBy') }]
    default:
      return []
  }
}
