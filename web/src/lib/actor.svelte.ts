// The user of the page: the signed-in user. A server without authentication believes the page, so there
// people choose a name to sign changes with, which this browser keeps.

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
  /** The URN of a user, '' if nobody has signed in or was chosen. */
  get urn() {
    return session.on ? session.urn : urn
  },
  set urn(value: string) {
    urn = value
    try {
      if (value) localStorage.setItem(key, value)
      else localStorage.removeItem(key)
    } catch {
      // Private windows may refuse to store the choice; it then lasts as long as the page.
    }
  },
}
