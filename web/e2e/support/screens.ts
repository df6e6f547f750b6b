// Every screen on the sample, with an address that shows much of it. Used with axe, at 390 pixels, without a
// server, and for pictures (make screenshots).
import type { Page } from '@playwright/test'
import { remember } from './harness'
import { at, board, column, customers, orders, oneOfEach, refundRate, removedEmployees, user } from './names'

export interface Screen {
  name: string
  address: string
  /** The person who is signed in, for a screen that is empty without a person. */
  who?: string
}

/** Goes to a screen, as the person whom it is for. Whoever is at the page stays there for later screens. */
export async function visit(page: Page, { address, who }: Screen): Promise<void> {
  if (who) await remember(page, 'headwater.actor', who)
  await page.goto(address)
}

const entity = (type: string) => oneOfEach.find((one) => one.type === type)?.urn ?? ''

/** A query with personal data, a column that is gone, and a table that is not there. */
export const sqlText = "select c.email, sum(o.net_revenue) as revenue, c.shoe_size\nfrom orders o\njoin customers c using (customer_id)\nwhere c.city = 'Bern'\ngroup by c.email;\nselect * from order_items_of_the_past"

export const screens: Screen[] = [
  { name: 'home', address: '/' },
  { name: 'search', address: '/ui/search?q=orders' },
  { name: 'search-nothing', address: '/ui/search?q=zzzzqqqq' },
  { name: 'search-columns', address: '/ui/search?in=columns&personal=true' },
  { name: 'browse', address: '/ui/browse' },
  { name: 'glossary', address: `/ui/glossary?at=${encodeURIComponent(entity('glossaryTerm'))}` },
  { name: 'domains', address: `/ui/domains?at=${encodeURIComponent(entity('domain'))}` },
  { name: 'documents', address: '/ui/documents' },
  { name: 'entity-dataset', address: at.entity(orders) },
  { name: 'entity-deprecated', address: at.entity(refundRate) },
  { name: 'entity-removed', address: at.entity(removedEmployees) },
  { name: 'entity-column', address: at.entity(column(orders, 'net_revenue')) },
  { name: 'entity-person', address: at.entity(entity('corpuser')) },
  { name: 'entity-term', address: at.entity(entity('glossaryTerm')) },
  { name: 'entity-dashboard', address: at.entity(board) },
  { name: 'entity-job', address: at.entity(entity('dataJob')) },
  { name: 'entity-container', address: at.entity(entity('container')) },
  { name: 'entity-model', address: at.entity(entity('mlModel')) },
  { name: 'entity-past', address: at.entity(customers, { asOf: '2026-10-15' }) },
  { name: 'entity-missing', address: at.entity('urn:li:dataset:(urn:li:dataPlatform:hive,there.is.none,PROD)') },
  { name: 'lineage', address: at.lineage(orders) },
  { name: 'lineage-column', address: at.lineage(column(orders, 'net_revenue')) },
  { name: 'lineage-past', address: at.lineage(customers, { asOf: '2026-10-15' }) },
  { name: 'impact', address: at.impact(orders, { column: 'net_revenue', change: 'rename' }) },
  { name: 'sql', address: `/ui/sql?dialect=snowflake&database=analytics&schema=marts#${encodeURIComponent(sqlText)}` },
  { name: 'time', address: at.time(board) },
  { name: 'sources', address: '/ui/sources' },
  { name: 'source-types', address: '/ui/sources/new' },
  { name: 'source-new', address: '/ui/sources/new?type=postgres' },
  { name: 'source-missing', address: '/ui/sources/urn%3Ali%3AdataHubIngestionSource%3Anone' },
  { name: 'runs', address: '/ui/runs' },
  { name: 'run', address: at.run('larkspur-nightly-2026-11-08') },
  { name: 'no-such-page', address: '/ui/there-is-none' },
  { name: 'feed', address: '/ui/feed', who: user('bela.norris') },
]

/** Tabs that look different from the tabs of other entities. */
export const tabsOf: { name: string; urn: string }[] = [
  { name: 'dataset', urn: orders },
  { name: 'customers', urn: customers },
  { name: 'dashboard', urn: board },
]

export const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const

/** Screens of an administrator at a server with authentication. */
export const accessScreens: Screen[] = [
  { name: 'people', address: '/ui/people' },
  { name: 'groups', address: '/ui/groups' },
  { name: 'services', address: '/ui/services' },
  { name: 'roles', address: '/ui/roles' },
  { name: 'policies', address: '/ui/policies' },
  { name: 'policy', address: '/ui/policies/urn%3Ali%3AdataHubPolicy%3Aview-entity-page-all' },
  { name: 'policy-new', address: '/ui/policies/new' },
  { name: 'access', address: '/ui/access?actor=urn%3Ali%3Acorpuser%3Aada%40example.com&urn=urn%3Ali%3AcorpGroup%3Astewards&q=stewards' },
  { name: 'audit', address: '/ui/audit' },
  { name: 'tokens', address: '/ui/tokens' },
  { name: 'sessions', address: '/ui/sessions' },
  { name: 'password', address: '/ui/password' },
]
