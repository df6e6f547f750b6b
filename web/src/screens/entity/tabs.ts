import { contentsOf } from './contents'

export type TabId = 'documentation' | 'columns' | 'code' | 'contents' | 'queries' | 'usage' | 'quality' | 'run' | 'runs' | 'lineage' | 'related' | 'timeline' | 'history' | 'raw' | 'since'

export interface Tab {
  id: TabId
  label: string
  count?: number
}

const withQuality = new Set(['dataset', 'dataJob', 'dataFlow', 'chart', 'dashboard', 'mlModel', 'mlFeature', 'mlFeatureTable', 'service', 'aiAgent', 'schemaField'])
const withRuns = new Set(['dataJob', 'dataFlow'])
// These values have a tab of their own.
const notUsage = new Set(['assertionRunEvent', 'dataProcessInstanceRunEvent'])

/** The time series that the usage tab draws. */
export function usageSeries(timeSeries: readonly string[]): string[] {
  return timeSeries.filter((name) => !notUsage.has(name))
}

/** The tabs that apply to an entity. */
export function tabsOf(entity: { type: string; timeSeries: readonly string[]; hasLineage: boolean; columns: number; past?: boolean; code?: boolean }): Tab[] {
  const { type } = entity
  const tabs: Tab[] = []
  if (entity.columns > 0) tabs.push({ id: 'columns', label: type === 'chart' || type === 'dashboard' ? 'Fields' : 'Columns', count: entity.columns })
  // People look first at the content of places, and at the entities that have a label.
  if (contentsOf(type, '').length > 0) tabs.push({ id: 'contents', label: contentsLabel(type) })
  if (type === 'dataProcessInstance') tabs.push({ id: 'run', label: 'Run' })
  if (type === 'assertion') tabs.push({ id: 'quality', label: 'Results' })
  tabs.push({ id: 'documentation', label: 'Documentation' })
  if (entity.hasLineage) tabs.push({ id: 'lineage', label: 'Lineage' })
  if (entity.code) tabs.push({ id: 'code', label: 'Code' })
  if (type === 'dataset') tabs.push({ id: 'queries', label: 'Queries' })
  if (usageSeries(entity.timeSeries).length > 0) tabs.push({ id: 'usage', label: type === 'dataset' ? 'Usage and profile' : 'Usage' })
  if (withQuality.has(type)) tabs.push({ id: 'quality', label: 'Quality' })
  if (withRuns.has(type)) tabs.push({ id: 'runs', label: 'Runs' })
  tabs.push({ id: 'related', label: 'Related' }, { id: 'timeline', label: 'History' }, { id: 'history', label: 'Versions' }, { id: 'raw', label: 'Raw' })
  if (entity.past) tabs.push({ id: 'since', label: 'Changed since' })
  return tabs
}

function contentsLabel(type: string): string {
  switch (type) {
    case 'corpuser':
      return 'Owns'
    case 'corpGroup':
      return 'Members'
    case 'tag':
    case 'glossaryTerm':
    case 'structuredProperty':
      return 'Used by'
    case 'dataFlow':
      return 'Jobs'
    case 'dashboard':
      return 'Charts'
    default:
      return 'Contents'
  }
}

/** The tab to show: the one in the address if the entity has it, otherwise the first. */
export function selectedTab(tabs: readonly Tab[], wanted: string | null): TabId {
  return tabs.find((tab) => tab.id === wanted)?.id ?? tabs[0]?.id ?? 'documentation'
}
