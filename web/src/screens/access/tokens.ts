import type { AccessTokenDuration } from '../../gql/graphql'

/** The terms of a token, the shortest first. */
export const terms: readonly { duration: AccessTokenDuration; label: string }[] = [
  { duration: 'ONE_HOUR', label: 'One hour' },
  { duration: 'ONE_DAY', label: 'One day' },
  { duration: 'ONE_WEEK', label: 'One week' },
  { duration: 'ONE_MONTH', label: 'One month' },
  { duration: 'THREE_MONTHS', label: 'Three months' },
  { duration: 'SIX_MONTHS', label: 'Six months' },
  { duration: 'ONE_YEAR', label: 'One year' },
  { duration: 'NO_EXPIRY', label: 'Until it is revoked' },
]

/** Says in a few words by which browser a session was begun, from the header User-Agent. */
export function browserOf(agent: string | undefined): string {
  if (!agent) return 'Unknown program'
  const browser = [
    ['Edge', /Edg\//],
    ['Opera', /OPR\//],
    ['Firefox', /Firefox\//],
    ['Chrome', /Chrome\//],
    ['Safari', /Safari\//],
  ].find(([, mark]) => (mark as RegExp).test(agent))?.[0] as string | undefined
  if (!browser) return agent.split(' ')[0] ?? agent
  const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'].find((name) => agent.includes(name))
  return system ? `${browser} on ${system}` : browser
}
