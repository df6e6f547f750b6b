import type { SuggestionKind } from '../../gql/graphql'
import { daysAgo, written } from '../../lib/moment'
import { paths } from '../../lib/paths'
import { typeOf } from '../../lib/urns'

/** A question of newcomers about an entity that they choose. */
export interface Question {
  id: string
  text: string
  /** The label of the field in which an entity is chosen. */
  choose: string
  kinds: SuggestionKind[]
  /** The types of the entities that are suggested at once. */
  types: string[]
  /** The screen that answers the question. */
  answer: (urn: string, column?: string | null) => string
}


export const questions: Question[] = [
  {
    id: 'feeds',
    text: 'Who owns what feeds this dashboard?',
    choose: 'Which dashboard, chart or dataset?',
    kinds: ['ENTITY'],
    types: ['dashboard'],
    answer: (urn) => paths.lineage(urn),
  },
  {
    id: 'breaks',
    text: 'What breaks if I change this column?',
    choose: 'Which column or dataset?',
    kinds: ['COLUMN', 'ENTITY'],
    types: ['dataset'],
    answer: (urn, column) => paths.impact(urn, { column }),
  },
  {
    id: 'changed',
    text: 'What changed upstream in the last month?',
    choose: 'Upstream of what?',
    kinds: ['ENTITY'],
    types: ['dashboard'],
    answer: (urn) => paths.time(urn, { direction: 'upstream', hops: 10 }),
  },
  {
    id: 'schema',
    text: 'What did the columns look like a month ago?',
    choose: 'The columns of what?',
    kinds: ['ENTITY'],
    types: ['dataset'],
    answer: (urn) => paths.entity(urn, { tab: 'columns', asOf: written(daysAgo(30)) }),
  },
  {
    id: 'lineage',
    text: 'What did the lineage look like two months ago?',
    choose: 'The lineage of what?',
    kinds: ['ENTITY'],
    types: ['dashboard'],
    answer: (urn) => paths.lineage(urn, { asOf: written(daysAgo(60)) }),
  },
  {
    id: 'labelled',
    text: 'Where does personal data end up?',
    choose: 'Which tag or term?',
    kinds: ['TAG', 'TERM'],
    types: ['tag'],
    answer: (urn) => paths.search('', { [typeOf(urn) === 'tag' ? 'tags' : 'glossaryTerms']: urn }),
  },
]
