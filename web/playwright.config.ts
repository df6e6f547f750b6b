import { defineConfig, type Project } from '@playwright/test'

// The servers are given by the environment: nothing is started here. `go test -run TestWebPage
// ./e2e` starts them, see docs/web.md for how to run a suite by hand.
const suites = [
  { name: 'sample', variable: 'HEADWATER_URL' },
  { name: 'empty', variable: 'HEADWATER_EMPTY_URL' },
  { name: 'hostile', variable: 'HEADWATER_HOSTILE_URL' },
  { name: 'custom', variable: 'HEADWATER_CUSTOM_URL' },
  { name: 'sources', variable: 'HEADWATER_SOURCES_URL' },
  { name: 'derived', variable: 'HEADWATER_DERIVED_URL' },
  { name: 'auth', variable: 'HEADWATER_AUTH_URL' },
  { name: 'large', variable: 'HEADWATER_LARGE_URL' },
  { name: 'screens', variable: 'HEADWATER_SCREENS_URL' },
]

const projects: Project[] = []
for (const { name, variable } of suites) {
  const baseURL = process.env[variable]
  if (baseURL) projects.push({ name, testDir: `e2e/${name}`, use: { baseURL }, ...(name === 'large' || name === 'screens' ? { timeout: 600_000 } : {}) })
}
if (projects.length === 0) throw new Error(`name a running server: ${suites.map((suite) => suite.variable).join(', ')}`)

export default defineConfig({
  projects,
  // One page at a time, because the flows change the same catalog.
  workers: 1,
  fullyParallel: false,
  forbidOnly: true,
  // A page may be late on a shared machine; a flow that passes at the second try is reported as flaky.
  retries: process.env.CI ? 1 : 0,
  // Far more than a flow needs: on a busy machine it takes several times as long.
  timeout: 150_000,
  expect: { timeout: 20_000 },
  outputDir: 'test-results',
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    actionTimeout: 20_000,
    navigationTimeout: 60_000,
    permissions: ['clipboard-read', 'clipboard-write'],
    trace: 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.HEADWATER_CHROMIUM ?? '/usr/bin/chromium',
      // Root has no sandbox in containers.
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
})
