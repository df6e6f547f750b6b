import { numeric, text, tree, trees, words, type Json } from './json'
import { number } from '../../lib/words'

// Values of a time series as columns of numbers, for charts and tables.

export interface Series {
  name: string
  label: string
  /** A number for each time; null if the value of that time does not have the number. */
  values: (number | null)[]
}

export interface Values {
  /** Epoch milliseconds, the oldest first. */
  times: number[]
  series: Series[]
}

const titles: Record<string, string> = {
  datasetProfile: 'Profile',
  datasetUsageStatistics: 'Usage',
  operation: 'Operations',
  chartUsageStatistics: 'Usage',
  dashboardUsageStatistics: 'Usage',
  queryUsageStatistics: 'Usage',
  documentUsageStatistics: 'Usage',
  datahubIngestionRunSummary: 'Ingestion runs',
  datahubIngestionCheckpoint: 'Ingestion checkpoints',
}

export const titleOf = (aspect: string): string => titles[aspect] ?? words(aspect)

const labels: Record<string, string> = {
  rowCount: 'Rows',
  columnCount: 'Columns',
  sizeInBytes: 'Size',
  totalSqlQueries: 'Queries',
  uniqueUserCount: 'Users',
  numAffectedRows: 'Rows written',
  viewsCount: 'Views',
  executionsCount: 'Executions',
  favoritesCount: 'Favourites',
  queryCount: 'Queries',
}

// Numbers that are times, not amounts.
const notFigures = /(time|timestamp|millis)/i

/** The numbers at the top of the values. */
export function seriesOf(entries: readonly { time: number; value: Json }[]): Values {
  const sorted = [...entries].sort((a, b) => a.time - b.time)
  const names: string[] = []
  for (const entry of sorted)
    for (const [name, value] of Object.entries(tree(entry.value)))
      if (typeof value === 'number' && !notFigures.test(name) && !names.includes(name)) names.push(name)
  return {
    times: sorted.map((entry) => entry.time),
    series: names.map((name) => ({
      name,
      label: labels[name] ?? words(name),
      values: sorted.map((entry) => numeric(tree(entry.value)[name]) ?? null),
    })),
  }
}

/** The most frequent users, over all values. */
export function topUsers(entries: readonly { value: Json }[], most = 10): { urn: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const entry of entries)
    for (const one of trees(tree(entry.value).userCounts)) {
      const urn = text(one.user)
      const count = numeric(one.count) ?? numeric(one.usageCount) ?? numeric(one.viewsCount) ?? 0
      if (urn) counts.set(urn, (counts.get(urn) ?? 0) + count)
    }
  return [...counts].map(([urn, count]) => ({ urn, count })).sort((a, b) => b.count - a.count).slice(0, most)
}

/** The most used columns, over all values. */
export function topColumns(entries: readonly { value: Json }[], most = 10): { path: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const entry of entries)
    for (const one of trees(tree(entry.value).fieldCounts)) {
      const path = text(one.fieldPath)
      if (path) counts.set(path, (counts.get(path) ?? 0) + (numeric(one.count) ?? 0))
    }
  return [...counts].map(([path, count]) => ({ path, count })).sort((a, b) => b.count - a.count).slice(0, most)
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** A number as a chart shows it. */
export function figure(name: string, value: number): string {
  if (name === 'sizeInBytes') {
    let rest = value
    let unit = 0
    while (Math.abs(rest) >= 1000 && unit < units.length - 1) {
      rest /= 1000
      unit++
    }
    return `${number(rest, rest < 10 ? 1 : 0)} ${units[unit]}`
  }
  return number(value, 4)
}
