// Other libraries on the same graphs: dagre for places and xyflow to draw, and elkjs for places.

import dagre from '@dagrejs/dagre'
import { mount } from 'svelte'
import '@xyflow/svelte/dist/style.css'
import { heightOf } from '../../src/graph/measure'
import { NODE_WIDTH } from '../../src/graph/layout'
import type { Graph } from '../../src/graph/types'
import './page.css'
import Flow from './Flow.svelte'
import { warehouse } from './graphs'
// The URL of the file itself: a bundler would make a module of the file, and the module does not answer.
import elkWorker from '../node_modules/elkjs/lib/elk-worker.min.js?url'

interface Placed {
  id: string
  x: number
  y: number
}

/** Edges between nodes without columns, each pair once, as our layout has them. */
function pairs(graph: Graph): [string, string][] {
  return graph.edges.filter((edge) => edge.fromColumn === undefined).map((edge) => [edge.from, edge.to])
}

function byDagre(graph: Graph): { placed: Placed[]; milliseconds: number } {
  const started = performance.now()
  const g = new dagre.graphlib.Graph()
  g.setGraph({ rankdir: 'LR', nodesep: 20, ranksep: 110 })
  g.setDefaultEdgeLabel(() => ({}))
  for (const node of graph.nodes) g.setNode(node.id, { width: NODE_WIDTH, height: heightOf(node) })
  for (const [from, to] of pairs(graph)) g.setEdge(from, to)
  dagre.layout(g)
  const placed = graph.nodes.map(({ id }) => ({ id, x: g.node(id).x, y: g.node(id).y }))
  return { placed, milliseconds: performance.now() - started }
}

const flow: { show?: (graph: Graph, placed: Placed[]) => void } = {}

Object.assign(window, {
  warehouse,
  byDagre: (graph: Graph) => byDagre(graph).milliseconds,
  /** Lays out and draws the graph; returns the time until the second frame after that. */
  async byFlow(graph: Graph) {
    const started = performance.now()
    const { placed, milliseconds } = byDagre(graph)
    flow.show!(graph, placed)
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    return { layout: milliseconds, painted: performance.now() - started }
  },
  /** Lays out in the worker of elkjs; null if it takes longer than the limit. */
  async byElk(graph: Graph, limit: number) {
    const { default: ELK } = await import('elkjs/lib/elk-api.js')
    const elk = new ELK({ workerFactory: () => new Worker(elkWorker) })
    // This tells a worker that did not load from a worker that takes too long.
    const ready = await Promise.race([
      elk.layout({ id: 'root', children: [{ id: 'a', width: 1, height: 1 }] }).then(() => true),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 20_000)),
    ])
    if (!ready) throw new Error('the worker of elkjs does not answer')
    const started = performance.now()
    const work = elk.layout({
      id: 'root',
      layoutOptions: { 'elk.algorithm': 'layered', 'elk.direction': 'RIGHT' },
      children: graph.nodes.map((node) => ({ id: node.id, width: NODE_WIDTH, height: heightOf(node) })),
      edges: pairs(graph).map(([from, to], i) => ({ id: `e${i}`, sources: [from], targets: [to] })),
    })
    const outcome = await Promise.race([
      work.then(() => performance.now() - started).catch((error: unknown) => `failed: ${String(error)}`.slice(0, 120)),
      new Promise<null>((resolve) => setTimeout(() => resolve(null), limit)),
    ])
    elk.terminateWorker()
    return outcome
  },
})
mount(Flow, { target: document.getElementById('stage')!, props: { offer: (show: typeof flow.show) => (flow.show = show) } })
