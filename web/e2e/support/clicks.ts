// Counts the clicks of somebody who answers a question with the pointer, from the start page on.
import { expect, type Locator, type Page } from '@playwright/test'
import { settled } from './harness'

/**
 * Somebody with a pointer. Clicks are counted where they arrive, in the page. A choice in a list of the browser, and a
 * key that acts, count as a click; typing into a field does not. */
export class Pointer {
  #clicks = 0
  #begun = false
  constructor(readonly page: Page) {}

  /** Opens the start page. From then on, the addresses of other screens are reached by clicks alone. */
  async begin(): Promise<void> {
    expect(this.#begun, 'a question is begun once').toBe(false)
    this.#begun = true
    await this.page.exposeFunction('headwaterCounts', () => this.#clicks++)
    await this.page.addInitScript(() => {
      const count = (event: Event) => {
        if (event.isTrusted) (window as unknown as { headwaterCounts(): void }).headwaterCounts()
      }
      document.addEventListener('pointerdown', count, { capture: true })
      document.addEventListener('change', (event) => event.target instanceof HTMLSelectElement && (window as unknown as { headwaterCounts(): void }).headwaterCounts(), { capture: true })
      document.addEventListener('keydown', (event) => (event.key.length > 1 || event.ctrlKey || event.metaKey) && count(event), { capture: true })
    })
    await this.page.goto('/')
    await settled(this.page)
  }

  async click(target: Locator): Promise<void> {
    await target.first().click()
    await settled(this.page)
  }

  async type(target: Locator, text: string): Promise<void> {
    await target.first().fill(text)
    await settled(this.page)
  }

  /** Fails if the answer took more clicks than most. */
  tookAtMost(most: number): void {
    expect(this.#clicks, 'clicks').toBeLessThanOrEqual(most)
    expect(this.#clicks, 'clicks that were counted').toBeGreaterThan(0)
  }
}
