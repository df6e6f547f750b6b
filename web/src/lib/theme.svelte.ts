// The theme: light, dark, or that of the system.

export type Choice = 'system' | 'light' | 'dark'

const key = 'headwater.theme'
const dark = matchMedia('(prefers-color-scheme: dark)')

let choice = $state<Choice>(read())
let systemDark = $state(dark.matches)
dark.addEventListener('change', (event) => {
  systemDark = event.matches
  apply()
})

function read(): Choice {
  try {
    const stored = localStorage.getItem(key)
    if (stored === 'light' || stored === 'dark') return stored
  } catch {
    // Private windows may refuse access to the stored theme.
  }
  return 'system'
}

function apply(): void {
  document.documentElement.dataset.theme = theme.shown
}

export const theme = {
  get choice() {
    return choice
  },
  set choice(value: Choice) {
    choice = value
    try {
      localStorage.setItem(key, value)
    } catch {
      // The choice then lasts as long as the page.
    }
    apply()
  },
  /** The theme that is shown; reactive, for code that draws with colours of its own. */
  get shown(): 'light' | 'dark' {
    if (choice !== 'system') return choice
    return systemDark ? 'dark' : 'light'
  },
}

apply()
