import type { Change as Mark, Graph, GraphColumn } from '../../graph/types'
import { kindOf, typeLabel } from '../../lib/kinds'

// The server's answer about a change: POST /overlay-diff.

export type Change = 'added' | 'changed' | 'ended'

export interface Named {
  urn: string
  type: string
  name: string
  platformName?: string
}

export interface Column {
  path: string
  change: Change
  type?: string
  oldType?: string
  nullable?: boolean
  sources?: boolean
}

export interface Table extends Named {
  change: Change
  columns: Column[]
  edgesAdded: number
  edgesEnded: number
}

export interface Effect extends Named {
  of: Named
  column?: string
  because?: string
  why?: string
  degree: number
  owners: string[]
}

export interface Owner {
  urn: string
  name: string
  email?: string
  count: number
}

export interface Comparison {
  tables: Table[]
  nodes: (Named & { exists: boolean; change?: Change })[]
  edges: { upstream: string; downstream: string; change?: 'added' | 'ended' }[]
  certain: Effect[]
  possible: Effect[]
  owners: Owner[]
  partial: boolean
  reason?: string
}

/** The words that the drawing and the lists mark changes with, beside the colours. */
export const marks: Record<Change, string> = { added: 'new', changed: 'changed', ended: 'gone' }

function markOf(change: Change | undefined): Mark | undefined {
  return change === 'changed' ? undefined : change
}

/** How many columns of one table are drawn. */
export const mostColumns = 30

/** The graph of the present state and of the state after the change. Changed tables show their changed columns. */
export function drawingOf(compared: Comparison, around: string | undefined): Graph {
  const tables = new Map(compared.tables.map((table) => [table.urn, table]))
  return {
    nodes: compared.nodes.map((node) => {
      const table = tables.get(node.urn)
      return {
        id: node.urn,
        kind: kindOf(node.type),
        type: typeLabel(node.type),
        title: node.name,
        platform: node.platformName,
        badges: node.change ? [{ label: marks[node.change], tone: 'warn' as const }] : [],
        columnCount: table?.columns.length,
        columns: table?.columns.length ? table.columns.slice(0, mostColumns).map(columnOf) : undefined,
        change: markOf(node.change),
        removed: node.change === 'ended',
        start: node.urn === around,
        missing: !node.exists && node.change !== 'added',
      }
    }),
    edges: compared.edges.map(({ upstream, downstream, change }) => ({ id: `${upstream}\n${downstream}`, from: upstream, to: downstream, change })),
  }
}

function columnOf({ path, change, type, oldType }: Column): GraphColumn {
  return { id: path, name: path, type: [marks[change], oldType ? `${oldType} → ${type ?? ''}` : type].filter(Boolean).join(' '), change: markOf(change), linked: true }
}

/** The names of owners by URN, with their addresses if they are known. */
export function ownerNames(compared: Comparison): ReadonlyMap<string, string> {
  return new Map(compared.owners.map(({ urn, name, email }) => [urn, email ? `${name} (${email})` : name]))
}

/** The name of the table or column whose loss causes an effect, such as orders.state. */
export function causeOf({ of, column }: Effect): string {
  return column ? `${of.name}.${column}` : of.name
}
