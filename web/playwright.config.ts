import { defineConfig, type PlaywrightTestOptions, type PlaywrightWorkerOptions, type Project } from '@playwright/test'

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
  { name: 'pictures', variable: 'HEADWATER_PICTURES_URL' },
]

const projects: Project[] = []
for (const { name, variable } of suites) {
  const baseURL = process.env[variable]
  if (baseURL) projects.push({ name, testDir: `e2e/${name}`, use: { baseURL }, ...(['large', 'screens', 'pictures'].includes(name) ? { timeout: 600_000 } : {}) })
}
if (projects.length === 0) throw new Error(`name a running server: ${suites.map((suite) => suite.variable).join(', ')}`)

// Pictures that are compared must not depend on the machine's settings of fonts, colours and scroll bars.
const pictures = Boolean(process.env.HEADWATER_PICTURES_URL)

// HEADWATER_FIREFOX is the Firefox that runs the flows in place of Chromium. Playwright drives an unmodified Firefox by the
// standard WebDriver BiDi.
const firefox = process.env.HEADWATER_FIREFOX
const browser: Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> = firefox
  ? { browserName: 'firefox', channel: 'moz-firefox', launchOptions: { executablePath: firefox } }
  : {
      browserName: 'chromium',
      permissions: ['clipboard-read', 'clipboard-write'],
      launchOptions: {
        executablePath: process.env.HEADWATER_CHROMIUM ?? '/usr/bin/chromium',
        // Root has no sandbox in containers.
        args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...(pictures ? ['--font-render-hinting=none', '--disable-lcd-text', '--disable-gpu', '--force-color-profile=srgb', '--hide-scrollbars'] : [])],
      },
    }

export default defineConfig({
  projects,
  // One page at a time, because the flows change the same catalog.
  workers: 1,
  fullyParallel: false,
  forbidOnly: true,
  // Flows with this mark need abilities of Playwright that it has only with Chromium: it reads the bodies of requests,
  // takes downloads, sets the colours of the system, and draws pages that are behind others.
  ...(firefox ? { grepInvert: /@chromium/ } : {}),
  // A page may be late on a shared machine; a flow that passes at the second try is reported as flaky.
  retries: process.env.CI ? 1 : 0,
  // This is far more than a flow needs, because a busy machine takes several times as long.
  timeout: 150_000,
  expect: {
    timeout: 20_000,
    toHaveScreenshot: { animations: 'disabled', caret: 'hide', scale: 'css' },
  },
  updateSnapshots: process.env.HEADWATER_PICTURES_UPDATE ? 'all' : 'none',
  snapshotPathTemplate: '{testDir}/{arg}{ext}',
  outputDir: 'test-results',
  reporter: [['list']],
  use: {
    ...browser,
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    actionTimeout: 20_000,
    navigationTimeout: 60_000,
    trace: 'off',
    // In Firefox, Playwright's picture adds a style that the page's policy refuses.
    screenshot: firefox ? 'off' : 'only-on-failure',
  },
})
