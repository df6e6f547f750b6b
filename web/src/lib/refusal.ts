import { privilegeLabel } from './privileges'

/** The reason why a control cannot be used: the server would refuse its action. */
export interface Refusal {
  /** The action that is not permitted, as the end of a sentence that begins with "You may not". */
  deed: string
  /** The privileges each of which alone would permit the request; the first privilege permits nothing else. */
  privileges: readonly string[]
  /** The entity that the action is about; without it, the action is about the whole server. */
  urn?: string
}

/** Returns the sentence that states the reason of a refusal. */
export function reasonOf(refusal: Refusal): string {
  const needed = refusal.privileges[0]
  return needed ? `You may not ${refusal.deed}: that needs the privilege “${privilegeLabel(needed)}”.` : `You may not ${refusal.deed}.`
}
