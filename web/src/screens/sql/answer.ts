import type { SqlLineageQuery } from '../../gql/graphql'
import type { Graph, GraphColumn, GraphEdge, GraphNode } from '../../graph/types'

export type Answer = SqlLineageQuery['sqlLineage']
export type Statement = Answer['statements'][number]
export type Table = Answer['tables'][number]
export type Column = Table['columns'][number]

/** A column of a table, by the names that statements use. */
export interface Chosen {
  table: string
  column: string
}

/** The dialects that the page offers: names of platforms, with the names for people. */
export const dialects: readonly (readonly [name: string, label: string])[] = [
  ['athena', 'Athena'],
  ['bigquery', 'BigQuery'],
  ['clickhouse', 'ClickHouse'],
  ['databricks', 'Databricks'],
  ['dremio', 'Dremio'],
  ['duckdb', 'DuckDB'],
  ['hive', 'Hive'],
  ['mariadb', 'MariaDB'],
  ['mssql', 'SQL Server'],
  ['mysql', 'MySQL'],
  ['oracle', 'Oracle'],
  ['postgres', 'PostgreSQL'],
  ['presto', 'Presto'],
  ['redshift', 'Redshift'],
  ['snowflake', 'Snowflake'],
  ['spark', 'Spark'],
  ['sqlite', 'SQLite'],
  ['teradata', 'Teradata'],
  ['trino', 'Trino'],
]

/**
 * The dialects. First come the dialects of the catalog's platforms, the platform with the most datasets before
 * the others.
 */
export function ordered(platforms: readonly { value: string; count: number }[]): { known: typeof dialects; others: typeof dialects } {
  const counts = new Map(platforms.map(({ value, count }) => [value.replace(/^urn:[^:]+:dataPlatform:/, ''), count]))
  const known = dialects.filter(([name]) => counts.has(name)).toSorted(([a], [b]) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
  return { known, others: dialects.filter(([name]) => !counts.has(name)) }
}

/** Where a column is read, in the order of the clauses as statements tell them: filter, line 3. */
export function placesOf(statements: readonly Statement[], { table, column }: Chosen): { clause: string; line: number }[] {
  return statements.flatMap(({ columnsRead }) => columnsRead.filter((read) => read.table === table && read.column === column).map(({ clause, line }) => ({ clause, line })))
}

/** The outputs to which the values of a column flow. */
export function outputsOf(statements: readonly Statement[], { table, column }: Chosen): string[] {
  return [...new Set(statements.flatMap(({ columns }) => columns.filter(({ sources }) => sources.some((from) => from.table === table && from.column === column)).map(({ output }) => output)))]
}

/** The parts that were not understood, without the names of columns that the answer already lists as gone. */
export function problemsOf({ notUnderstood, gone }: Statement): Statement['notUnderstood'] {
  return notUnderstood.filter(({ line, text }) => !gone.some(({ column, line: at }) => column && at === line && text.split('.').at(-1) === column.split('.').at(-1)))
}

/** A part of a line of the text. */
export interface Piece {
  text: string
  /** Whether the part is the name of the chosen column. */
  lit: boolean
}

/** The lines of a text, with the names of a column marked in them. */
export function linesOf(text: string, column: string | undefined): Piece[][] {
  const name = column ? new RegExp(`(?<![\\p{L}\\p{N}_$])${escaped(column)}(?![\\p{L}\\p{N}_$])`, 'giu') : undefined
  return text.split('\n').map((line) => {
    if (!name) return [{ text: line, lit: false }]
    const pieces: Piece[] = []
    let at = 0
    for (const found of line.matchAll(name)) {
      if (found.index > at) pieces.push({ text: line.slice(at, found.index), lit: false })
      at = found.index + found[0].length
      pieces.push({ text: found[0], lit: true })
    }
    if (at < line.length || !pieces.length) pieces.push({ text: line.slice(at), lit: false })
    return pieces
  })
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Whether anything of a table or a column is personal data, by a label. */
export function personalOf(tables: readonly Table[]): { table: Table; column: Column }[] {
  return tables.flatMap((table) => table.columns.filter(({ personal }) => personal).map((column) => ({ table, column })))
}

/** The words in which the drawing names things. */
export interface Words {
  query: string
  table: string
  lineOf: (line: number) => string
}

/** More statements than are drawn. */
export const mostDrawn = 20

/** Ids of the nodes of a drawing. */
export const tableId = (table: Table): string => table.dataset?.urn ?? `table ${table.name}`
const statementId = (place: number): string => `statement ${place}`

/**
 * The drawing of an answer: tables with the columns that are read, and a node for each statement with its outputs.
 * The columns that a statement reads without their values flowing lead to rows with the names of the clauses.
 */
export function drawingOf(answer: Answer, words: Words): Graph {
  const nodes: GraphNode[] = answer.tables.map((table) => ({
    id: tableId(table),
    kind: 'data',
    type: words.table,
    title: table.dataset?.name ?? table.name,
    ...(table.dataset?.platformName ? { platform: table.dataset.platformName } : {}),
    badges: [
      ...table.owners.map(({ owner }) => ({ label: owner.name, tone: 'owner' as const })),
      ...table.labels.map(({ name, type }) => ({ label: name, tone: type === 'tag' ? ('tag' as const) : ('term' as const) })),
    ],
    columnCount: table.columns.length,
    columns: table.columns.map((column) => ({ id: column.name, name: column.name, ...(column.nativeDataType ? { type: column.nativeDataType } : {}), ...(column.state === 'GONE' ? { change: 'ended' as const } : {}) })),
    missing: !table.dataset,
    removed: table.state === 'REMOVED',
  }))
  const ids = new Map(answer.tables.map((table) => [table.name, tableId(table)]))
  const edges = new Map<string, GraphEdge>()
  const edge = (from: string | undefined, to: string | undefined, fromColumn: string, toColumn: string, title?: string) => {
    if (from === undefined || to === undefined) return
    const id = JSON.stringify([from, fromColumn, to, toColumn])
    edges.set(id, { id, from, to, ...(fromColumn === '*' ? {} : { fromColumn, toColumn }), ...(title ? { title } : {}) })
  }
  for (const [place, statement] of answer.statements.slice(0, mostDrawn).entries()) {
    const { kind, line, columns, columnsRead, writes, reads } = statement
    if (!reads.length && !writes.length) continue
    const id = statementId(place)
    const rows = new Map<string, GraphColumn>()
    for (const { output, how, sources } of columns) {
      rows.set(output, { id: output, name: output, type: how })
      for (const from of sources) edge(ids.get(from.table), id, from.column, output, how)
      for (const written of writes) edge(id, ids.get(written), output, output)
    }
    for (const { table, column, clause, line } of columnsRead) {
      const row = `(${clause})`
      rows.set(row, { id: row, name: row })
      edge(ids.get(table), id, column, row, `${clause}, ${words.lineOf(line)}`)
    }
    for (const table of reads) edges.set(`${table} ${id}`, { id: `${table} ${id}`, from: ids.get(table) ?? '', to: id })
    for (const table of writes) edges.set(`${id} ${table}`, { id: `${id} ${table}`, from: id, to: ids.get(table) ?? '' })
    nodes.push({ id, kind: 'job', type: words.query, title: `${kind.toUpperCase()}, ${words.lineOf(line)}`, columnCount: rows.size, columns: [...rows.values()], start: place === 0 })
  }
  return { nodes, edges: [...edges.values()] }
}
