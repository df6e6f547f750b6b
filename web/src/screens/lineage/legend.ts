import type { NodeKind } from '../../graph/types'

/** The kinds of nodes in words, for the legend. */
export const kindNames: Record<NodeKind, string> = {
  data: 'Data: datasets and the like',
  job: 'Jobs and pipelines',
  report: 'Charts and dashboards',
  person: 'People',
  meaning: 'Terms and tags',
  place: 'Containers and groups of several kinds',
  model: 'Models and features',
}
