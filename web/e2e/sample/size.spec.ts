// How much of the page a browser loads for a screen, compressed, and how soon a slow connection shows something.
import { expect, settled, test } from '../support/harness'
import { at, orders } from '../support/names'

const kilo = 1000

// The files of the page that each screen loads until it is complete, beside its answers.
for (const [screen, address, most] of [
  ['start', '/', 80],
  ['search', '/ui/search?q=orders', 100],
  ['entity', at.entity(orders), 150],
  ['lineage', at.lineage(orders), 210],
] as const) {
  test(`${screen}: at most ${most} kB are loaded`, async ({ page }) => {
    await page.goto(address)
    await settled(page)
    const files = await page.evaluate(() => {
      const [first] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
      const loaded = (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).filter(({ name }) => new URL(name).pathname.startsWith('/ui/'))
      // On a slow machine, a worker that computes for long is replaced by a new one. The browser has the script of the new worker already.
      const once = new Map(loaded.map(({ name, encodedBodySize }) => [name.replace(/.*\//, ''), encodedBodySize]))
      return [{ name: 'the page', size: first?.encodedBodySize ?? 0 }, ...Array.from(once, ([name, size]) => ({ name, size }))]
    })
    const told = files.sort((a, b) => b.size - a.size).map(({ name, size }) => `${name} ${size}`)
    console.log(`${screen}: ${files.reduce((sum, { size }) => sum + size, 0)} bytes in ${files.length} files`)
    expect(files.length, 'the browser tells the files').toBeGreaterThan(3)
    expect(files.reduce((sum, { size }) => sum + size, 0), told.join('\n')).toBeLessThanOrEqual(most * kilo)
  })
}
