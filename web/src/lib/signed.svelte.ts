// Who signs a change. A server without authentication takes the word of the page: before the first
// change, whoever makes it is asked for a name. Going on without a name lasts as long as the tab.

import { actor } from './actor.svelte'
import { session } from './session.svelte'

const key = 'headwater.unnamed'

let asking = $state(false)
let waiting: ((go: boolean) => void)[] = []

function unnamed(): boolean {
  try {
    return sessionStorage.getItem(key) !== null
  } catch {
    return false
  }
}

export const signed = {
  /** Whether the question is shown. */
  get asking() {
    return asking
  },
  /** Asks who makes the change if this is not known; returns whether the change is to be made. */
  asked(): Promise<boolean> {
    if (session.on || actor.urn || unnamed()) return Promise.resolve(true)
    asking = true
    return new Promise((resolve) => waiting.push(resolve))
  },
  /** Goes on without a name. */
  withoutName() {
    try {
      sessionStorage.setItem(key, '1')
    } catch {
      // Private windows may refuse to store the answer; then the server is asked again.
    }
    signed.answer(true)
  },
  /** Ends the question. */
  answer(go: boolean) {
    asking = false
    const all = waiting
    waiting = []
    for (const resolve of all) resolve(go)
  },
}
