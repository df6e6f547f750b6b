// make bench-layouts: our layout beside elkjs and d3-dag on wide and on long graphs. It runs in
// Node, without a browser: crossings, area and the share of the height are of the places alone.

import { performance } from 'node:perf_hooks'
import ELK from 'elkjs/lib/elk.bundled.js'
import { coordQuad, coordSimplex, decrossTwoLayer, graphConnect, layeringSimplex, sugiyama } from 'd3-dag'
import { jobOf } from '../../src/graph/job'
import { NODE_WIDTH } from '../../src/graph/layout'
import { heightOf, PORT } from '../../src/graph/measure'
import { solve } from '../../src/graph/solve'
import { structureOf } from '../../src/graph/structure'
import type { Graph, GraphNode } from '../../src/graph/types'
import { random, warehouse } from './graphs'

/** Left and top of each node. */
type Places = Map<string, { x: number; y: number }>
interface Outcome {
  places: Places
  milliseconds: number
}

/** A library counts as failed after this time, and is then not asked for larger graphs. */
const GIVE_UP = 30_000
const MOST_D3 = 320
/** The room for the drawing on a screen of 1400 × 900, in pixels. */
const SCREEN = { width: 1060, height: 760 }

/** Many neighbours in few layers, as around a hub. */
function wide(count: number): Graph {
  const next = random(3)
  const third = Math.floor(count / 3)
  const pairs: [number, number][] = []
  for (let v = 1; v <= third; v++) pairs.push([v, 0])
  for (let v = third + 1; v < count; v++) pairs.push([0, v])
  for (let i = 0; i < third; i++) pairs.push([1 + Math.floor(next() * third), third + 1 + Math.floor(next() * (count - third - 1))])
  return graphOf(count, pairs)
}

/** Few nodes in each of many layers, with edges that pass some of them. */
function long(count: number): Graph {
  const next = random(5)
  const pairs: [number, number][] = []
  for (let v = 3; v < count; v++) {
    const layer = Math.floor(v / 3)
    for (let i = 0; i < 2; i++) {
      const back = next() < 0.8 ? 1 : 1 + Math.floor(next() * Math.min(5, layer))
      pairs.push([3 * Math.max(0, layer - back) + Math.floor(next() * 3), v])
    }
  }
  return graphOf(count, pairs)
}

function graphOf(count: number, pairs: readonly [number, number][]): Graph {
  const nodes = Array.from({ length: count }, (_, i): GraphNode => ({ id: String(i), kind: 'data', type: 'Table', title: `table_${i}`, badges: [{ label: 'Ana Ruiz' }] }))
  const ids = [...new Set(pairs.map(([a, b]) => `${a}>${b}`))]
  return { nodes, edges: ids.map((id) => ({ id, from: id.split('>')[0]!, to: id.split('>')[1]! })) }
}

function ours(graph: Graph): Outcome {
  const started = performance.now()
  const { x, y } = solve(jobOf(structureOf(graph), null, -1))
  const milliseconds = performance.now() - started
  return { milliseconds, places: new Map(graph.nodes.map(({ id }, v) => [id, { x: x[v]!, y: y[v]! }])) }
}

async function byElk(graph: Graph): Promise<Outcome | undefined> {
  const started = performance.now()
  const elk = new ELK()
  const work = elk.layout({
    id: 'root',
    layoutOptions: { 'elk.algorithm': 'layered', 'elk.direction': 'RIGHT', 'elk.layered.spacing.nodeNodeBetweenLayers': '110', 'elk.spacing.nodeNode': '20' },
    children: graph.nodes.map((node) => ({ id: node.id, width: NODE_WIDTH, height: heightOf(node) })),
    edges: graph.edges.map(({ id, from, to }) => ({ id, sources: [from], targets: [to] })),
  })
  const done = await Promise.race([work, new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), GIVE_UP).unref())])
  if (!done) return undefined
  return { milliseconds: performance.now() - started, places: new Map(done.children!.map(({ id, x, y }) => [id, { x: x!, y: y! }])) }
}

function byD3(graph: Graph, coord: 'quad' | 'simplex'): Outcome | undefined {
  if (graph.nodes.length > MOST_D3) return undefined
  const started = performance.now()
  const dag = graphConnect()(graph.edges.map(({ from, to }) => [from, to] as [string, string]))
  const heights = new Map(graph.nodes.map((node) => [node.id, heightOf(node)]))
  // The library draws from top to bottom, so width and height change places.
  sugiyama()
    .layering(layeringSimplex())
    .decross(decrossTwoLayer())
    .coord(coord === 'quad' ? coordQuad() : coordSimplex())
    .nodeSize((node: { data: string }) => [heights.get(node.data)!, NODE_WIDTH] as [number, number])
    .gap([20, 110])(dag)
  const milliseconds = performance.now() - started
  const places: Places = new Map()
  for (const node of dag.nodes()) places.set(node.data as string, { x: node.y - NODE_WIDTH / 2, y: node.x - heights.get(node.data as string)! / 2 })
  return { milliseconds, places }
}

/**
 * Crossings of straight lines between the nodes. All libraries are measured by straight lines, whatever lines
 * they draw.
 */
function crossings(graph: Graph, places: Places): number {
  const lines = graph.edges.map(({ from, to }) => {
    const a = places.get(from)!
    const b = places.get(to)!
    return [a.x + NODE_WIDTH, a.y + PORT, b.x, b.y + PORT, from, to] as const
  })
  const side = (ax: number, ay: number, bx: number, by: number, x: number, y: number) => Math.sign((bx - ax) * (y - ay) - (by - ay) * (x - ax))
  let found = 0
  for (let i = 0; i < lines.length; i++) {
    const [ax, ay, bx, by, from, to] = lines[i]!
    for (let j = i + 1; j < lines.length; j++) {
      const [cx, cy, dx, dy, f, t] = lines[j]!
      if (from === f || to === t || from === t || to === f) continue
      if (side(ax, ay, bx, by, cx, cy) * side(ax, ay, bx, by, dx, dy) < 0 && side(cx, cy, dx, dy, ax, ay) * side(cx, cy, dx, dy, bx, by) < 0) found++
    }
  }
  return found
}

function row(name: string, graph: Graph, outcome: Outcome | undefined): Record<string, string | number> {
  if (!outcome) return { layout: name, crossings: '–', 'area (Mpx)': '–', 'zoom that fits': '–', 'of the height': '–', ms: 'not tried, or gave up' }
  const { places, milliseconds } = outcome
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const node of graph.nodes) {
    const at = places.get(node.id)
    if (!at) continue
    left = Math.min(left, at.x)
    top = Math.min(top, at.y)
    right = Math.max(right, at.x + NODE_WIDTH)
    bottom = Math.max(bottom, at.y + heightOf(node))
  }
  const zoom = Math.min(1, SCREEN.width / (right - left), SCREEN.height / (bottom - top))
  return {
    layout: name,
    crossings: crossings(graph, places),
    'area (Mpx)': Number((((right - left) * (bottom - top)) / 1e6).toFixed(2)),
    'zoom that fits': Number(zoom.toFixed(2)),
    'of the height': `${Math.round((100 * zoom * (bottom - top)) / SCREEN.height)} %`,
    ms: Math.round(milliseconds),
  }
}

const graphs: [string, Graph][] = []
for (const count of [31, 300]) graphs.push([`wide, ${count} nodes`, wide(count)], [`long, ${count} nodes`, long(count)], [`warehouse, ${count} nodes`, warehouse(count)])
graphs.push(['warehouse, 2,000 nodes', warehouse(2000)])
// Each layout is compiled in its first call, which is not measured.
ours(wide(31))
await byElk(wide(31))
byD3(wide(31), 'simplex')
for (const [name, graph] of graphs) {
  console.log(`\n${name}, ${graph.edges.length} edges`)
  console.table([row('ours', graph, ours(graph)), row('elkjs', graph, await byElk(graph)), row('d3-dag, simplex', graph, byD3(graph, 'simplex')), row('d3-dag, quad', graph, graph.nodes.length > 100 ? undefined : byD3(graph, 'quad'))])
}
process.exit(0)
