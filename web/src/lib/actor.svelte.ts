// Who uses the page. The server does not authenticate: this is a name to sign changes with,
// and to show what somebody owns. It is kept in this browser.

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
  /** The URN of a user, '' when nobody was chosen. */
  get urn() {
    return urn
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
