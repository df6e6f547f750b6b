// The engine of the product, in the page of the bench.

import type { Page } from 'playwright-core'
import { median, quantile, type Row } from './measure'

/** The functions that the pages offer to the driver; see Engine.svelte and others.ts. */
declare global {
  interface Window {
    warehouse: (count: number, options?: object) => unknown
    show: (graph: unknown, anchor?: string) => void
    handle: () => { fit(): void; centre(id: string, options?: object): void; zoomBy(factor: number): void }
    layouts: () => number
    lastLayout: { milliseconds: number; at: number }
    painted: number[]
    longest: number
    graph: { nodes: { id: string }[]; edges: unknown[] }
    byDagre: (graph: unknown) => number
    byFlow: (graph: unknown) => Promise<{ layout: number; painted: number }>
    byElk: (graph: unknown, limit: number) => Promise<number | string | null>
    expandedGraph: (graph: unknown, id: string, count: number) => unknown
  }
}

/** Notes each bitmap that is shown and the longest task, without touching the engine. */
export async function watch(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.painted = []
    window.longest = 0
    const transfer = ImageBitmapRenderingContext.prototype.transferFromImageBitmap
    ImageBitmapRenderingContext.prototype.transferFromImageBitmap = function (bitmap) {
      transfer.call(this, bitmap)
      if ((this.canvas as HTMLCanvasElement).classList.contains('base')) requestAnimationFrame(() => window.painted.push(performance.now()))
    }
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration)
    }).observe({ type: 'longtask', buffered: true })
  })
}

/** The time from giving the graph to the engine until its first picture. */
async function firstPaint(page: Page, count: number, options: object): Promise<{ painted: number; layout: number; longest: number }> {
  await page.reload()
  await page.waitForFunction(() => typeof window.show === 'function')
  await page.waitForTimeout(500)
  return page.evaluate(
    async ([count, options]) => {
      window.graph = window.warehouse(count, options) as Window['graph']
      await new Promise((resolve) => setTimeout(resolve, 300))
      window.longest = 0
      const before = window.layouts()
      const started = performance.now()
      window.show(window.graph)
      while (window.layouts() === before || !window.painted.some((at) => at > window.lastLayout.at)) await new Promise((resolve) => setTimeout(resolve, 2))
      const painted = window.painted.find((at) => at > window.lastLayout.at)! - started
      await new Promise((resolve) => setTimeout(resolve, 1500))
      return { painted, layout: window.lastLayout.milliseconds, longest: window.longest }
    },
    [count, options] as const,
  )
}

/** Times between frames while the wheel pans and zooms. */
export function frames(page: Page, target: string): Promise<number[]> {
  return page.evaluate(async (target) => {
    const stage = document.querySelector(target)!
    const box = stage.getBoundingClientRect()
    const at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true, cancelable: true }
    const times: number[] = []
    let last = 0
    await new Promise<void>((resolve) => {
      let i = 0
      const step = (now: number) => {
        if (last) times.push(now - last)
        last = now
        if (++i > 240) return resolve()
        const turn = i % 120
        if (i <= 120) stage.dispatchEvent(new WheelEvent('wheel', { ...at, deltaX: turn < 60 ? 14 : -14, deltaY: turn < 60 ? 9 : -9 }))
        else stage.dispatchEvent(new WheelEvent('wheel', { ...at, ctrlKey: true, deltaY: turn < 60 ? 3 : -3 }))
        requestAnimationFrame(step)
      }
      requestAnimationFrame(step)
    })
    return times
  }, target)
}

const ROUNDS = 3

export async function engineRows(page: Page): Promise<Row[]> {
  const rows: Row[] = []
  const options = { columns: 20, open: true }

  const paints: number[] = []
  const layouts: number[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const one = await firstPaint(page, 1000, options)
    paints.push(one.painted)
    layouts.push(one.layout)
  }
  const edges = await page.evaluate(() => window.graph.edges.length)
  rows.push({ name: '1,000 nodes × 20 columns: first paint', value: median(paints), unit: 'ms', limit: 500, note: `${edges} edges; layout ${Math.round(median(layouts))} ms in the worker` })

  for (const [name, zoom] of [['all of it', 0], ['names', 0.5], ['near', 0.9]] as const) {
    await page.evaluate((zoom) => {
      if (zoom) window.handle().centre(window.graph.nodes[500]!.id, { zoom })
      else window.handle().fit()
    }, zoom)
    await page.waitForTimeout(1500)
    rows.push({ name: `  frames while panning and zooming, ${name}: p95`, value: quantile(await frames(page, '[role=application]'), 0.95), unit: 'ms', limit: 33 })
  }

  const expands: number[] = []
  for (let i = 0; i < ROUNDS; i++) {
    expands.push(
      await page.evaluate(async (i) => {
        const id = window.graph.nodes[500 + i]!.id
        const next = window.expandedGraph(window.graph, id, 20) as Window['graph']
        window.graph = next
        const before = window.layouts()
        const started = performance.now()
        window.show(next, id)
        while (window.layouts() === before || !window.painted.some((at) => at > window.lastLayout.at)) await new Promise((resolve) => setTimeout(resolve, 2))
        return window.painted.find((at) => at > window.lastLayout.at)! - started
      }, i),
    )
    await page.waitForTimeout(800)
  }
  rows.push({ name: '  expand a node by 20', value: median(expands), unit: 'ms', limit: 200 })

  const large: { painted: number; layout: number; longest: number }[] = []
  for (let i = 0; i < ROUNDS; i++) large.push(await firstPaint(page, 10_000, {}))
  await page.evaluate(() => (window.longest = 0))
  const times = await frames(page, '[role=application]')
  const longest = Math.max(...large.map((one) => one.longest), await page.evaluate(() => window.longest))
  rows.push(
    { name: '10,000 nodes: layout in the worker', value: median(large.map((one) => one.layout)), unit: 'ms', limit: 300, note: `shown after ${Math.round(median(large.map((one) => one.painted)))} ms` },
    { name: '  longest task of the page', value: longest, unit: 'ms', limit: 100, note: 'those of 50 ms and more are seen' },
    { name: '  frames while panning and zooming, all of it: p95', value: quantile(times, 0.95), unit: 'ms', note: 'no limit stated' },
  )
  return rows
}
