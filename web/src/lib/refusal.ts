import { privilegeLabel } from './privileges'

/** Why a control cannot be used: the server would refuse what it does. */
export interface Refusal {
  /** What is not permitted; it goes on after "You may not". */
  deed: string
  /** The privileges of which one would suffice, the one that is about nothing else first. */
  privileges: readonly string[]
  /** The entity that it is about; the server as a whole without one. */
  urn?: string
}

/** Says in one sentence why a control cannot be used. */
export function reasonOf(refusal: Refusal): string {
  const needed = refusal.privileges[0]
  return needed ? `You may not ${refusal.deed}: that needs the privilege “${privilegeLabel(needed)}”.` : `You may not ${refusal.deed}.`
}
