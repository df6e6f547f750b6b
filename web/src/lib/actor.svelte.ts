// Who uses the page: the user who has signed in. A server without authentication takes the
// word of the page, so there people choose a name to sign changes with, which is kept in this
// browser.

import { session } from './session.svelte'

const key = 'headwater.actor'

let urn = $state(read())

function read(): string {
  try {
    return localStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

export const actor = {
  /** The URN of a user, '' when nobody has signed in or was chosen. */
  get urn() {
    return session.on ? session.urn : urn
  },
  set urn(value: string) {
    urn = value
    try {
      if (value) localStorage.setItem(key, value)
      else localStorage.removeItem(key)
    } catch {
      // Private windows may refuse; the choice then lasts as long as the page.
    }
  },
}
