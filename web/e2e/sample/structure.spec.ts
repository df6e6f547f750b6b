// The headings, regions and controls that a screen reader finds on the main screens, in their order and with
// their names. Numbers and times are left out, as they change with the catalog and the day.
import type { Page } from '@playwright/test'
import { expect, settled, test } from '../support/harness'
import { at, board, orders } from '../support/names'

async function main(page: Page, address: string) {
  await page.goto(address)
  await settled(page)
  return page.getByRole('main')
}

test('the header and the start page, read aloud @always', async ({ page }) => {
  await main(page, '/')
  await expect(page.locator('body')).toMatchAriaSnapshot(`
    - link "Skip to content"
    - banner:
      - link "Headwater"
      - navigation "Main":
        - link "Browse"
        - link "Runs"
      - button "Menu"
    - main:
      - heading /\\d+ entities in the catalog/ [level=1]
      - search:
        - combobox "Search the catalog"
      - region "By type":
        - heading "By type" [level=2]
        - list:
          - listitem:
            - link /Datasets \\d+/
      - region "By platform":
        - heading "By platform" [level=2]
      - region "Recent changes":
        - heading "Recent changes" [level=2]
        - heading [level=3]
        - list
      - region "Find out":
        - heading "Find out" [level=2]
        - list:
          - listitem:
            - button "Who owns what feeds this dashboard?"
          - listitem:
            - button "What breaks if I change this column?"
          - listitem:
            - button "What changed upstream in the last month?"
          - listitem:
            - button "Where does personal data end up?"
          - listitem:
            - link "What did the last run write?"
  `)
})

test('search and browse, read aloud @always', async ({ page }) => {
  await expect(await main(page, '/ui/search?q=orders')).toMatchAriaSnapshot(`
    - complementary "Narrow the search":
      - group "Type":
        - checkbox /Datasets \\d+/
      - group "Platform"
      - group "Owner"
      - checkbox "Include removed entities"
    - region /\\d+ results for orders/:
      - heading /\\d+ results for orders/ [level=1]
      - button "Export as CSV"
      - link "Columns"
      - combobox "Sort by":
        - option "Best match" [selected]
      - list:
        - listitem:
          - article:
            - heading [level=2]:
              - link
  `)
  await expect(await main(page, '/ui/search?start=50')).toMatchAriaSnapshot(`
    - navigation "Pages of results":
      - button "From the first"
      - text: /51 to 150 of \\d+/
      - button /\\d+ more/
  `)
  await expect(await main(page, '/ui/browse')).toMatchAriaSnapshot(`
    - heading "Browse" [level=1]
    - region "By platform":
      - heading "By platform" [level=2]
      - tree "By platform":
        - treeitem /Snowflake, \\d+/ [level=1]:
          - link /\\d+ in Snowflake/
    - region "Without a platform":
      - heading "Without a platform" [level=2]
      - tree "Without a platform":
        - treeitem /People, \\d+/ [level=1]
  `)
})

test('an entity and its history, read aloud @always', async ({ page }) => {
  await expect(await main(page, at.entity(orders))).toMatchAriaSnapshot(`
    - navigation "Where it is":
      - link "Snowflake"
      - link "marts"
    - heading "orders" [level=1]
    - link "Lineage"
    - link "Impact"
    - link "Time"
    - button "Copy URN"
    - button "More actions"
    - term: Owners
    - definition:
      - link "Bela Norris · Technical owner"
      - button "Remove the owner Bela Norris"
      - button "Add an owner"
    - term: Domain
    - definition:
      - link "Sales"
      - button "Change the domain"
    - term: Tags
    - definition:
      - link "Certified"
      - button "Remove the tag Certified from orders"
      - button "Add a tag"
    - term: Terms
    - definition:
      - link "NetRevenue"
      - button "Add a term"
    - tablist "About orders":
      - tab "Columns 5" [selected]
      - tab "Documentation"
      - tab "Lineage"
      - tab "Queries"
      - tab "Usage and profile"
      - tab "Quality"
      - tab "Related"
      - tab "History"
      - tab "Versions"
      - tab "Raw"
    - tabpanel "Columns 5":
      - searchbox "Search in columns"
      - status: 5 columns
      - table "Columns":
        - rowgroup:
          - row:
            - columnheader "Name"
            - columnheader "Type"
            - columnheader "Description"
            - columnheader "Tags and terms"
            - columnheader "Profile"
            - columnheader "Lineage"
        - rowgroup:
          - row:
            - cell:
              - button "order_id"
            - cell "NUMBER"
            - cell "order id"
  `)
  await expect(await main(page, at.entity(orders, { tab: 'history' }))).toMatchAriaSnapshot(`
    - tabpanel "Versions":
      - paragraph:
        - combobox "Versions of"
      - table "Versions of Columns":
        - rowgroup:
          - row:
            - columnheader "From"
            - columnheader "To"
            - columnheader "Version"
        - rowgroup:
          - row:
            - cell:
              - radio /From a version that was rolled back, of \\d+ \\w+ \\d{4}/
            - cell:
              - radio /To a version that was rolled back, of \\d+ \\w+ \\d{4}/
          - row:
            - cell:
              - radio "From the latest version"
            - cell:
              - radio "To the latest version" [checked]
      - region "Difference"
  `)
})

test('lineage and impact, read aloud @always', async ({ page }) => {
  await expect(await main(page, at.lineage(orders))).toMatchAriaSnapshot(`
    - region "Lineage":
      - heading "Lineage of Dataset orders" [level=1]:
        - link "orders"
      - search "In this graph":
        - searchbox "Find in the graph"
        - button "Previous match" [disabled]
        - button "Next match" [disabled]
      - button "Expand"
      - button "Copy link to this view"
      - button "Keys (?)"
      - button "Export"
      - application /^Lineage of orders\\. Arrow keys move/:
        - group "View":
          - button "Zoom in"
          - button "Zoom out"
          - button "Show all"
          - button "Tidy up"
      - complementary "Details and list":
        - tablist "About the graph":
          - tab "Details" [selected]
          - tab "Owners"
          - tab "List 10"
          - tab "Filters"
        - tabpanel "Details":
          - heading "orders" [level=2]
          - group "Upstream":
            - button "All upstream"
          - group "Downstream":
            - button "All downstream"
          - navigation "More about orders":
            - link "Entity page"
            - link "Impact"
            - link "Changes over time"
            - button "Copy URN"
          - region "Columns":
            - heading "Columns 5" [level=3]
  `)
  await page.getByRole('tab', { name: 'List' }).click()
  await expect(page.getByRole('tabpanel')).toMatchAriaSnapshot(`
    - tabpanel "List 10":
      - heading "What the graph shows" [level=2]
      - region "Start":
        - heading "Start 1" [level=3]
        - list:
          - listitem:
            - button "orders"
            - button "Actions for orders"
      - region "1 hop upstream":
        - heading "1 hop upstream 4" [level=3]
  `)
  await expect(await main(page, at.impact(orders, { column: 'net_revenue', change: 'rename' }))).toMatchAriaSnapshot(`
    - heading "What breaks?" [level=1]
    - paragraph:
      - link "orders"
      - link "Lineage"
      - link "Changes over time"
    - combobox "Column"
    - listbox "Columns":
      - option "The whole dataset"
      - option /net_revenue/ [selected]
    - group "Change":
      - radio "Drop"
      - radio "Rename" [checked]
      - radio "Change type"
    - status:
      - heading "Renaming net_revenue breaks 16 for certain, may break 5" [level=2]
    - combobox "Effect"
    - group "Types"
    - button "Copy as message"
    - button "CSV"
    - region "Data Platform":
      - heading "Data Platform" [level=3]
      - heading /Breaks \\d+/ [level=4]
      - list:
        - listitem:
          - link "campaign_results"
          - list "Path to campaign_results"
  `)
})

test('changes over time, read aloud @always', async ({ page }) => {
  await expect(await main(page, at.time(board, { hops: '10', from: '2026-10-20' }))).toMatchAriaSnapshot(`
    - heading "What changed, and when?" [level=1]
    - paragraph:
      - link "Board overview"
      - link "Lineage"
      - link "Impact"
    - combobox "Look in which direction"
    - combobox "Look as far as"
    - region "Timeline":
      - group "Period":
        - button "Last day"
        - button "Last week"
        - button "Last month"
        - button "All"
      - group "Step through the changes":
        - button "Previous change"
        - button "Next change" [disabled]
      - status: /\\d+ changes? from .* to now/
      - slider "From"
      - slider "Until": Now
    - application /^Lineage now, with what was added and what ended/
    - region "Changes":
      - heading "Changes" [level=2]
      - searchbox "Find an entity or a column"
      - group "Categories"
      - heading [level=3]
  `)
})

test('runs, one run and its rollback, read aloud @always', async ({ page }) => {
  await expect(await main(page, '/ui/runs')).toMatchAriaSnapshot(`
    - heading "Runs" [level=1]
    - table "Runs, the newest first":
      - rowgroup:
        - row:
          - columnheader "Run"
          - columnheader "Wrote"
          - columnheader "When"
          - columnheader "By"
      - rowgroup:
        - row /larkspur-nightly-2026-11-08/:
          - rowheader:
            - link "larkspur-nightly-2026-11-08"
          - cell "13 aspects of 9 entities"
  `)
  const run = await main(page, at.run('larkspur-nightly-2026-11-08'))
  await expect(run).toMatchAriaSnapshot(`
    - paragraph:
      - link "Runs"
    - heading "larkspur-nightly-2026-11-08" [level=1]
    - term: Values
    - definition: "13"
    - term: Entities
    - definition: "9"
    - paragraph:
      - button "Preview a rollback"
    - region "What it wrote":
      - heading "What it wrote" [level=2]
      - search "Within this run":
        - searchbox "Find an entity"
        - combobox "Part"
        - checkbox "Only entities it created"
        - status: 9 entities, 13 values
      - article:
        - heading [level=3]:
          - link "stg_orders"
        - group: /Properties/
  `)
  await page.getByRole('button', { name: 'Preview a rollback' }).click()
  await settled(page)
  // The region of the rollback stands before the region of the effects, because people must read its question
  // first.
  await expect(run).toMatchAriaSnapshot(`
    - region "Roll back this run?":
      - heading "Roll back this run?" [level=2]
      - button "Close"
      - checkbox /^Permanently delete the entities that the run created/
      - list:
        - listitem:
          - strong: "13"
          - text: aspects of 9 entities go back to the previous version, or are removed if there is none
        - listitem:
          - strong: "0"
          - text: entities that the run created are hidden
      - group: The aspects
      - textbox /^To roll it back, type the run's id/
      - button "Roll back" [disabled]
      - status: /You have not said who you are/
    - region "What it wrote"
  `)
})
