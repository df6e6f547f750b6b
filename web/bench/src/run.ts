// make bench-web: drives Chromium and prints a table; ends with 1 when a limit is missed.
// The limits are absolute, so the machine must have nothing else to do.

import { readFile } from 'node:fs/promises'
import { createServer, type Server as Files } from 'node:http'
import { cpus, loadavg } from 'node:os'
import path from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { engineRows, frames, watch } from './engine-measures'
import { missed, quantile, table, type Row } from './measure'
import { firstLoad, Server, suggesting } from './server-measures'

const root = path.join(import.meta.dirname, '..', 'build')
const binary = path.join(import.meta.dirname, '..', '..', '..', 'bin', 'headwater')
const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const datasets = Number(process.env.WEB_DATASETS ?? 100_000)
const only = process.env.BENCH_ONLY?.split(',')
/** Milliseconds after which another library counts as too slow. */
const GIVE_UP = 60_000

const csp = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'"
const kinds: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html; charset=utf-8' }

/** The bench's pages: ours under the product's content security policy, xyflow without, since it sets styles in markup. */
async function serve(): Promise<{ address: string; files: Files }> {
  const files = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://x').pathname
    readFile(path.join(root, path.normalize(name))).then(
      (content) => {
        const headers: Record<string, string> = { 'content-type': kinds[path.extname(name)] ?? 'text/plain' }
        if (name === '/index.html') headers['content-security-policy'] = csp
        response.writeHead(200, headers).end(content)
      },
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  return { address: `http://127.0.0.1:${(files.address() as { port: number }).port}`, files }
}

const launch = () => chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })

/** The speed of the machine at this moment. */
async function calibration(browser: Browser): Promise<Row[]> {
  const started = performance.now()
  const list = Float64Array.from({ length: 1_000_000 }, (_, i) => (i * 7919) % 1_000_003)
  list.sort()
  const sorting = performance.now() - started
  const page = await browser.newPage()
  await page.setContent('<title>idle</title><main>idle</main>')
  const idle = await frames(page, 'main')
  await page.close()
  return [
    { name: 'calibration: sorting a million numbers', value: sorting, unit: 'ms', note: `${cpus()[0]?.model}, ${cpus().length} processors, load ${loadavg()[0]!.toFixed(1)}` },
    { name: 'calibration: frames of an empty page: p95', value: quantile(idle, 0.95), unit: 'ms', note: 'above 20 ms the machine is too busy to measure' },
  ]
}

async function ours(browser: Browser, address: string): Promise<Row[]> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 860 } })
  page.on('pageerror', (error) => console.error('page:', error))
  await watch(page)
  await page.goto(`${address}/index.html`)
  const rows = await engineRows(page)
  await page.close()
  return rows
}

/** The same graphs by other libraries, each in a browser of its own: a page that hangs cannot be closed. */
async function others(address: string, own: readonly Row[]): Promise<Row[]> {
  const rows: Row[] = []
  const ownValue = (name: string) => own.find((row) => row.name.includes(name))?.value ?? NaN
  const add = (name: string, value: number | string | null, compared: number) => {
    const times = (taken: number) => (Number.isNaN(compared) ? '' : `${(taken / compared).toFixed(1)} times ours`)
    if (typeof value === 'number') rows.push({ name, value, unit: 'ms', note: times(value) })
    else if (value === null) rows.push({ name, value: GIVE_UP, unit: 'ms', note: `gave up; more than ${times(GIVE_UP) || 'this'}` })
    else rows.push({ name, value: NaN, unit: 'ms', note: value })
  }
  // A failure returns its message: null only means that the library took too long.
  const onPage = async <T>(work: (page: Page) => Promise<T>): Promise<T | string | null> => {
    const browser = await launch()
    try {
      const page = await browser.newPage({ viewport: { width: 1400, height: 860 } })
      await page.goto(`${address}/flow.html`)
      await page.waitForFunction(() => typeof window.byFlow === 'function')
      const timer = new Promise<null>((resolve) => setTimeout(() => resolve(null), GIVE_UP + 5000))
      return await Promise.race([work(page).catch((error: unknown) => `failed: ${String(error).slice(0, 200)}`), timer])
    } finally {
      await browser.close()
    }
  }

  const flow = await onPage(async (page) => {
    const first = await page.evaluate(() => window.byFlow(window.warehouse(1000, { columns: 20, open: true })))
    await page.waitForTimeout(2000)
    return { ...first, far: quantile(await frames(page, '.svelte-flow__pane'), 0.95) }
  })
  const drawn = flow !== null && typeof flow !== 'string'
  add('dagre + xyflow, 1,000 nodes × 20 columns: first paint', drawn ? flow.painted : flow, ownValue('first paint'))
  add('  frames while panning and zooming, all of it: p95', drawn ? flow.far : flow, ownValue('zooming, all of it'))
  // A small graph, for which elkjs is made, shows whether its worker is loaded at all.
  add('elkjs, 100 nodes: layout', await onPage((page) => page.evaluate((limit) => window.byElk(window.warehouse(100), limit), GIVE_UP)), NaN)
  for (const count of [1000, 10_000]) {
    const compared = count === 1000 ? Number(/layout (\d+)/.exec(own[0]?.note ?? '')?.[1]) : ownValue('10,000 nodes: layout')
    const name = count.toLocaleString('en')
    add(`dagre, ${name} nodes: layout`, await onPage((page) => page.evaluate((count) => window.byDagre(window.warehouse(count, count === 1000 ? { columns: 20, open: true } : {})), count)), compared)
    add(`elkjs, ${name} nodes: layout`, await onPage((page) => page.evaluate(([count, limit]) => window.byElk(window.warehouse(count, count === 1000 ? { columns: 20, open: true } : {}), limit), [count, GIVE_UP] as const)), compared)
  }
  return rows
}

async function server(browser: Browser): Promise<Row[]> {
  const started = await Server.start(binary)
  try {
    const rows = [await firstLoad(browser, started)]
    const began = performance.now()
    await started.fill(datasets)
    rows.push({ name: `filling the catalog with ${datasets.toLocaleString('en')} datasets`, value: (performance.now() - began) / 1000, unit: 's', note: 'until the last one is suggested' })
    return [...rows, ...(await suggesting(browser, started, datasets))]
  } finally {
    await started.stop()
  }
}

const wanted = (part: string) => !only || only.includes(part)
const { address, files } = await serve()
const browser = await launch()
let failed = false
try {
  const show = (rows: Row[]) => {
    console.log(table(rows) + '\n')
    failed ||= rows.some(missed)
    return rows
  }
  console.log(`Limits are absolute: nothing else may run on this machine. Chromium ${browser.version()}\n`)
  show(await calibration(browser))
  const own = wanted('engine') ? show(await ours(browser, address)) : []
  if (wanted('others')) show(await others(address, own))
  if (wanted('server')) show(await server(browser))
} finally {
  await browser.close()
  files.close()
}
process.exit(failed ? 1 : 0)
