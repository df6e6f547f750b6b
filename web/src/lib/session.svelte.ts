// The signed-in person, and the ways to sign in at this server. A server without authentication (--auth off)
// asks nobody to sign in.

/** An identity provider with which people can sign in. */
export interface Provider {
  name: string
  title: string
}

interface Options {
  auth: 'on' | 'off'
  firstStart: boolean
  passwords: boolean
  minPassword: number
  providers: Provider[]
  /** Without authentication, the end of the change log. */
  cursor?: string
}

interface SignedIn {
  actor: string
  admin: boolean
  /** The end of the change log. */
  cursor?: string
}

let known = $state(false)
let options = $state.raw<Options>({ auth: 'off', firstStart: false, passwords: true, minPassword: 8, providers: [] })
let who = $state.raw<SignedIn>()
/** The end of the change log before the page read anything, '' if it is unknown. */
let end = ''

export const session = {
  /** Whether the server has answered how people sign in. The page sends no other request before that. */
  get known() {
    return known
  },
  get on() {
    return options.auth === 'on'
  },
  /** Whether somebody must sign in before the server answers. */
  get missing() {
    return options.auth === 'on' && !who
  },
  /** The URN of the user who has signed in, '' if there is none. */
  get urn() {
    return who?.actor ?? ''
  },
  get admin() {
    return who?.admin ?? false
  },
  get providers(): readonly Provider[] {
    return options.providers
  },
  get passwords() {
    return options.passwords
  },
  /** How long a new password must be. */
  get minPassword() {
    return options.minPassword
  },
  /** Whether the server waits for its first administrator. */
  get firstStart() {
    return options.firstStart
  },
}

/** Asks the server how people sign in, and who has signed in. */
export async function learn(): Promise<void> {
  try {
    const answer = await fetch('/auth/options')
    const told = answer.ok ? ((await answer.json()) as Options) : undefined
    options = { ...options, ...told }
    end = told?.cursor ?? ''
    if (options.auth === 'on') {
      const mine = await fetch('/auth/session')
      if (mine.ok) {
        who = (await mine.json()) as SignedIn
        end = who.cursor ?? ''
      } else if (mine.status === 401) who = undefined
    }
  } catch {
    // The server is away: the screens show that, and a later 401 leads to the sign-in screen.
  }
  known = true
}

/** Takes the end of the change log from before the page read anything. A second call returns '', until the page learns it anew. */
export function takeEnd(): string {
  const taken = end
  end = ''
  return taken
}

/** Notes that the server has refused a request because nobody is signed in. */
export function refused(): void {
  if (options.auth === 'off') void learn()
  who = undefined
  options = { ...options, auth: 'on' }
}

/** Forgets who was signed in. */
export function signedOut(): void {
  who = undefined
}
