/** The events of the audit trail in words, by the kinds of its entries. */
export const kinds: Readonly<Record<string, string>> = {
  signIn: 'Signed in',
  signInRefused: 'Sign-in failed',
  signOut: 'Signed out',
  sessionEnded: 'Ended a session',
  refused: 'Request refused',
  tokenMade: 'Made a token',
  tokenRevoked: 'Revoked a token',
  inviteMade: 'Made an invite link',
  resetMade: 'Made a reset link',
  userMade: 'Made a user',
  userChanged: 'Changed a user',
  userSuspended: 'Suspended a user',
  userRemoved: 'Removed a user',
  passwordSet: 'Set a password',
  groupChanged: 'Changed a group',
  roleSet: 'Set a role',
  policyMade: 'Made a policy',
  policyChanged: 'Changed a policy',
  policyDeleted: 'Deleted a policy',
  keysChanged: 'Changed the keys of the server',
  secretChanged: 'Changed a secret',
  secretRead: 'Read secrets',
  write: 'Wrote metadata',
  delete: 'Deleted metadata',
  rollback: 'Rolled back a run',
  export: 'Exported the catalog',
  backup: 'Made a backup',
  import: 'Imported',
  settings: 'Changed settings',
  lost: 'Entries were lost',
}

/** Returns the words for a kind of entries. */
export const kindLabel = (kind: string): string => kinds[kind] ?? kind

/** Names the credential by which somebody was recognized, with the id of the token or session. */
export function shownBy(means: string | null | undefined, credential: string | null | undefined): string {
  const name = { token: 'Token', session: 'Session', provider: 'Identity provider', system: 'System secret' }[means ?? ''] ?? means ?? ''
  return [name, credential].filter(Boolean).join(' ')
}

/** The filter of the audit trail, from the parameters of the address. */
export interface Filter {
  actor?: string
  entity?: string
  kinds?: string[]
  allowed?: boolean
  since?: number
  cursor?: string
}

/** Reads the filter in an address. Impossible values are left out. */
export function filterOf(search: URLSearchParams, momentOf: (text: string | null) => number | undefined): Filter {
  const [actor, entity, kind, outcome, cursor] = ['actor', 'entity', 'kind', 'outcome', 'cursor'].map((name) => search.get(name) ?? '')
  const since = momentOf(search.get('since'))
  return {
    ...(actor && { actor }),
    ...(entity && { entity }),
    ...(kind && kind in kinds && { kinds: [kind] }),
    ...((outcome === 'allowed' || outcome === 'refused') && { allowed: outcome === 'allowed' }),
    ...(since !== undefined && { since }),
    ...(cursor && { cursor }),
  }
}
