// Graphs like those of warehouses, from a seed: raw tables, jobs that load them, models in stages, marts,
// dashboards. Most edges lead to a near node of the next stage.

import type { Graph, GraphColumn, GraphEdge, GraphNode, NodeKind } from '../../src/graph/types'

export function random(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

interface Stage {
  share: number
  kind: NodeKind
  type: string
  platform: string
  prefix: string
}

const stages: Stage[] = [
  { share: 0.22, kind: 'data', type: 'Table', platform: 'PostgreSQL', prefix: 'raw' },
  { share: 0.1, kind: 'job', type: 'Task', platform: 'Airflow', prefix: 'load' },
  { share: 0.22, kind: 'data', type: 'Table', platform: 'Snowflake', prefix: 'stg' },
  { share: 0.18, kind: 'data', type: 'View', platform: 'dbt', prefix: 'int' },
  { share: 0.12, kind: 'data', type: 'Table', platform: 'Snowflake', prefix: 'mart' },
  { share: 0.11, kind: 'report', type: 'Chart', platform: 'Looker', prefix: 'chart' },
  { share: 0.05, kind: 'report', type: 'Dashboard', platform: 'Looker', prefix: 'board' },
]
const words = ['orders', 'customers', 'payments', 'sessions', 'shipments', 'refunds', 'invoices', 'products', 'stock', 'campaigns', 'tickets', 'events']
const facets = ['daily', 'net', 'by_region', 'history', 'latest', 'enriched', 'dedup', 'summary']
const people = ['Ana Ruiz', 'Ben Okafor', 'Chen Li', 'Dora Novak', 'Emil Berg']
const tags = ['PII', 'Finance', 'Tier 1', 'Gold']
const types = ['VARCHAR', 'NUMBER(38,0)', 'TIMESTAMP_NTZ', 'BOOLEAN', 'FLOAT']
const names = ['id', 'order_id', 'customer_id', 'net_revenue', 'currency', 'created_at', 'updated_at', 'status', 'country', 'channel', 'email', 'quantity']

export interface Options {
  /** The number of columns of each table; they are open when `open` is set. */
  columns?: number
  open?: boolean
  seed?: number
}

export function warehouse(count: number, { columns = 0, open = false, seed = 7 }: Options = {}): Graph {
  const next = random(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!
  const nodes: GraphNode[] = []
  const first: number[] = []
  let share = 0
  for (const [i, stage] of stages.entries()) {
    first.push(nodes.length)
    share += stage.share
    const end = i === stages.length - 1 ? count : Math.round(share * count)
    for (let v = nodes.length; v < end; v++) nodes.push(nodeOf(v, stage))
  }
  first.push(count)

  function nodeOf(v: number, stage: Stage): GraphNode {
    const title = `${stage.prefix}_${pick(words)}_${pick(facets)}${count > 60 ? `_${v}` : ''}`
    const badges = [
      ...(next() < 0.7 ? [{ label: pick(people), tone: 'owner' as const }] : []),
      ...(next() < 0.35 ? [{ label: pick(tags), tone: 'tag' as const }] : []),
    ]
    const table = stage.kind === 'data' && columns > 0
    return {
      id: `urn:li:${stage.kind}:${v}`,
      kind: stage.kind,
      type: stage.type,
      title,
      platform: stage.platform,
      ...(badges.length && !open ? { badges } : {}),
      ...(table ? { columnCount: columns } : {}),
      ...(table && open ? { columns: columnsOf() } : {}),
      ...(next() < 0.2 ? { moreDown: 1 + Math.floor(next() * 40) } : {}),
      ...(next() < 0.1 ? { moreUp: 1 + Math.floor(next() * 9) } : {}),
    }
  }

  function columnsOf(): GraphColumn[] {
    return Array.from({ length: columns }, (_, i) => ({
      id: `c${i}`,
      name: i < names.length ? names[i]! : `${names[i % names.length]}_${i}`,
      type: pick(types),
    }))
  }

  const edges: GraphEdge[] = []
  const seen = new Set<string>()
  const connect = (a: number, b: number) => {
    if (a === b || seen.has(`${a} ${b}`)) return
    seen.add(`${a} ${b}`)
    const from = nodes[a]!
    const to = nodes[b]!
    edges.push({ id: `${a}>${b}`, from: from.id, to: to.id })
    if (!from.columns || !to.columns) return
    for (const [i, column] of to.columns.entries()) {
      if (next() < 0.6) edges.push({ id: `${a}>${b}:${i}`, from: from.id, to: to.id, fromColumn: from.columns[i % from.columns.length]!.id, toColumn: column.id })
    }
  }
  const inStage = (stage: number, near: number) => {
    const size = first[stage + 1]! - first[stage]!
    const spread = Math.min(size, 10)
    const at = Math.floor(near * size + (next() - 0.5) * spread)
    return first[stage]! + Math.max(0, Math.min(size - 1, at))
  }
  for (let stage = 1; stage < stages.length; stage++) {
    const size = first[stage + 1]! - first[stage]!
    for (let v = first[stage]!; v < first[stage + 1]!; v++) {
      const near = (v - first[stage]!) / Math.max(1, size)
      const inputs = 1 + Math.floor(next() * next() * 3.4)
      for (let i = 0; i < inputs; i++) {
        const back = next() < 0.88 ? 1 : 1 + Math.floor(next() * stage)
        connect(inStage(stage - back, near), v)
      }
    }
  }
  // Every raw table gets an edge from a job.
  const used = new Set(edges.map((edge) => edge.from))
  for (let v = 0; v < first[1]!; v++) if (!used.has(nodes[v]!.id)) connect(v, inStage(1, v / first[1]!))
  return { nodes, edges }
}

/** The graph with new neighbours of one node, as after expanding the node. */
export function expanded(graph: Graph, id: string, count: number): Graph {
  const added = Array.from({ length: count }, (_, i): GraphNode => ({
    id: `${id}:new:${i}`,
    kind: 'report',
    type: 'Chart',
    title: `chart_of_${i}`,
    platform: 'Looker',
  }))
  return {
    nodes: [...graph.nodes, ...added],
    edges: [...graph.edges, ...added.map((node) => ({ id: `${id}>${node.id}`, from: id, to: node.id }))],
  }
}
