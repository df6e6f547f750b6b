// The real page of a server with 100,000 datasets: suggestions while typing, and the first load.

import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { random } from './graphs'
import { quantile, type Row } from './measure'

const words = ['orders', 'customers', 'payments', 'sessions', 'shipments', 'refunds', 'invoices', 'products', 'stock', 'campaigns', 'tickets', 'events', 'ledger', 'users', 'devices', 'clicks']
const facets = ['daily', 'net', 'region', 'history', 'latest', 'enriched', 'dedup', 'summary', 'raw', 'core', 'mart', 'forecast']
/** Datasets in a request; a batch may have 2,000 proposals. */
const BATCH = 1000

export class Server {
  private constructor(
    readonly address: string,
    private readonly process: ChildProcess,
    private readonly data: string,
  ) {}

  static async start(binary: string): Promise<Server> {
    const port = Number(process.env.BENCH_PORT) || (await freePort())
    const data = await mkdtemp(path.join(tmpdir(), 'headwater-bench-'))
    const child = spawn(binary, ['serve', '--listen', `127.0.0.1:${port}`, '--data', data, '--log-level', 'warn'], { stdio: ['ignore', 'ignore', 'inherit'] })
    const server = new Server(`http://127.0.0.1:${port}`, child, data)
    for (let i = 0; ; i++) {
      if (child.exitCode !== null) throw new Error(`${binary} has ended with ${child.exitCode}`)
      const ready = await fetch(`${server.address}/health`).then((answer) => answer.ok).catch(() => false)
      if (ready) return server
      if (i > 300) throw new Error('the server is not ready after 30 seconds')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null) {
      this.process.kill('SIGTERM')
      await new Promise((resolve) => this.process.once('exit', resolve))
    }
    await rm(this.data, { recursive: true, force: true })
  }

  /** Writes datasets with a few columns, and waits until the last one is suggested. */
  async fill(count: number): Promise<void> {
    const next = random(3)
    const pick = (list: readonly string[]) => list[Math.floor(next() * list.length)]!
    const dataset = (name: string) => `urn:li:dataset:(urn:li:dataPlatform:snowflake,${name},PROD)`
    const proposal = (name: string, aspectName: string, value: object) => ({
      entityType: 'dataset', entityUrn: dataset(name), changeType: 'UPSERT', aspectName, aspect: { value: JSON.stringify(value), contentType: 'application/json' },
    })
    const write = (proposals: object[]) => this.post('/aspects?action=ingestProposalBatch&partial=true', { proposals })
    const batch = (from: number) =>
      Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => {
        const name = `${pick(['sales', 'web', 'finance', 'ops'])}.${pick(facets)}.${pick(words)}_${pick(words)}_${pick(facets)}_${from + i}`
        return [
          proposal(name, 'datasetProperties', { name, description: `${pick(words)} by ${pick(facets)}` }),
          proposal(name, 'schemaMetadata', {
            schemaName: name, platform: 'urn:li:dataPlatform:snowflake', version: 0, hash: '',
            platformSchema: { 'com.linkedin.schema.OtherSchema': { rawSchema: '' } },
            fields: [pick(words), pick(facets), 'id'].map((field, k) => ({ fieldPath: `${field}_${k}`, nativeDataType: 'VARCHAR', type: { type: { 'com.linkedin.schema.StringType': {} } } })),
          }),
        ]
      }).flat()
    // Two connections: one batch is read while the other is written.
    let begun = 0
    const fill = async () => {
      for (let from = begun; from < count; from = begun) {
        begun += BATCH
        const answer = (await write(batch(from))) as { value: { failed?: number } }
        if (answer.value.failed) throw new Error(`${answer.value.failed} writes have failed: ${JSON.stringify(answer).slice(0, 300)}`)
      }
    }
    await Promise.all([fill(), fill()])
    await write([proposal('zz_last_of_all', 'datasetProperties', { name: 'zz_last_of_all' })])
    for (let i = 0; ; i++) {
      const body = { query: '{ suggest(input: {text: "zz_last"}) { entity { urn } } }' }
      const answer = (await this.post('/api/graphql', body)) as { data?: { suggest?: unknown[] }; errors?: unknown }
      if (answer.data?.suggest?.length) return
      if (i > 600) throw new Error(`the index has not caught up: ${JSON.stringify(answer).slice(0, 300)}`)
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }

  private async post(at: string, body: unknown): Promise<unknown> {
    const answer = await fetch(this.address + at, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${at}: ${answer.status} ${text.slice(0, 300)}`)
    return JSON.parse(text)
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** Everything that comes over the wire for the start page. */
export async function firstLoad(browser: Browser, server: Server): Promise<Row> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  const sizes: number[] = []
  client.on('Network.loadingFinished', (event) => sizes.push(event.encodedDataLength))
  await page.goto(server.address, { waitUntil: 'networkidle' })
  await page.getByRole('combobox').first().waitFor()
  await page.close()
  return { name: 'first load of /', value: sizes.reduce((a, b) => a + b, 0) / 1024, unit: 'KB', limit: 300, note: `${sizes.length} answers` }
}

/** The time from a key until the suggestions for the text are shown. */
export async function suggesting(browser: Browser, server: Server, datasets: number): Promise<Row[]> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(server.address, { waitUntil: 'networkidle' })
  const input = page.getByRole('combobox').first()
  await input.focus()
  await page.evaluate(() => {
    const shown: { at: number; took: number }[] = []
    const asked: number[] = []
    Object.assign(window, { shown, asked })
    const listed = () => [...document.querySelectorAll('[role=listbox] [role=option]')].map((option) => option.textContent).join('\n')
    let since = 0
    let before = ''
    const typed = () => {
      since = performance.now()
      before = listed()
    }
    document.addEventListener('input', typed, true)
    new MutationObserver(() => {
      const at = since
      // Only keys that change the list are counted.
      if (!at || !listed() || listed() === before) return
      since = 0
      requestAnimationFrame(() => shown.push({ at, took: performance.now() - at }))
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name.includes('/api/graphql')) asked.push(entry.duration)
    }).observe({ type: 'resource' })
  })
  const next = random(17)
  for (let round = 0; round < 14; round++) {
    const text = [words, facets][round % 2]![Math.floor(next() * 12)]!
    await input.fill('')
    await page.waitForTimeout(150)
    for (const letter of text.slice(0, 7)) {
      await page.keyboard.type(letter)
      await page.waitForTimeout(220)
    }
  }
  const shown = await page.evaluate(() => (window as unknown as { shown: { took: number }[] }).shown.map((one) => one.took))
  const asked = await page.evaluate(() => (window as unknown as { asked: number[] }).asked)
  await page.close()
  return [
    { name: `suggestions while typing at ${datasets.toLocaleString('en')} datasets: p95`, value: quantile(shown, 0.95), unit: 'ms', limit: 100, note: `${shown.length} keys, p50 ${Math.round(quantile(shown, 0.5))} ms; with the pause of 50 ms before a question` },
    { name: '  of it the request: p95', value: quantile(asked, 0.95), unit: 'ms', note: `${asked.length} requests` },
  ]
}
