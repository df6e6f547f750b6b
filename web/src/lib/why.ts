import type { WhyAccessQuery } from '../gql/graphql'
import { privilegeLabel } from './privileges'

type Explanation = WhyAccessQuery['explainAccess']

/** An explanation in words. */
export interface Explained {
  enforced: boolean
  /** The policy that decides. */
  policy: { urn: string | null; name: string } | undefined
  /** The decision of the policy, after its name; a whole sentence if there is no policy. */
  verdict: string
  near: { urn: string | null; name: string; lacks: string }[]
  /** The people to ask; '' for nobody. */
  ask: string
}

const urnPattern = /urn:[A-Za-z]+:[A-Za-z]+:(?:\([^\s]*\)|[^\s,]+)/g

/** The URNs whose names an explanation needs. */
export function urnsOf(e: Explanation): string[] {
  return [...(e.becauseOf ? [e.becauseOf] : []), ...e.near.flatMap((near) => near.lacks.flatMap((lack) => lack.match(urnPattern) ?? []))]
}

/** Puts an explanation into words. own: the explanation is about the reader. */
export function explained(e: Explanation, nameOf: (urn: string) => string, own: boolean): Explained {
  const named = (text: string) => text.replace(urnPattern, (urn) => nameOf(urn)).replace('the actor', own ? 'you' : 'this person')
  const near = e.near.map((one) => ({ urn: one.policyUrn || null, name: one.policyName, lacks: one.lacks.map(named).join(', and ') }))
  const ask = own && !e.allowed && e.enforced ? 'Somebody who manages policies can change that.' : ''
  if (e.policyName) {
    const by = e.privilege ? `“${privilegeLabel(e.privilege)}”` : 'it'
    const to = becauseWords(e, nameOf)
    const verdict = e.effect === 'DENY' ? `denies ${by} to ${to}, whatever other policies allow.` : `allows ${by} to ${to}.`
    return { enforced: e.enforced, policy: { urn: e.policyUrn ?? null, name: e.policyName }, verdict, near: [], ask }
  }
  if (e.because === 'system') return { enforced: e.enforced, policy: undefined, verdict: 'The system may do everything.', near: [], ask: '' }
  // Without a policy that decides, the server may still name a reason, such as a suspension.
  const reason = e.sentence.match(/\. (The user .*)$/)?.[1]
  return { enforced: e.enforced, policy: undefined, verdict: reason ?? 'No policy allows it.', near, ask }
}

function becauseWords(e: Explanation, nameOf: (urn: string) => string): string {
  const name = e.becauseOf ? nameOf(e.becauseOf) : ''
  switch (e.because) {
    case 'everybody':
      return 'everybody'
    case 'anyGroup':
      return 'everybody who is in a group'
    case 'group':
      return `the group ${name}`
    case 'role':
      return `the role ${name}`
    case 'owner':
      return `owners, such as ${name}`
    default:
      return name || 'somebody'
  }
}
