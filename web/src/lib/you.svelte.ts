import { actor } from './actor.svelte'
import { load } from './load.svelte'
import { namesOf } from './names'
import { nameOf } from './urns'

/** The name of the user of the page, while a component is shown. */
export function you(): { readonly urn: string; readonly name: string } {
  const found = load(
    () => actor.urn,
    async (urn, signal) => (await namesOf([urn], signal)).get(urn),
  )
  return {
    get urn() {
      return actor.urn
    },
    get name() {
      if (!actor.urn) return ''
      // If the name is not known, or not yet, the name in the URN is shown.
      return found.value?.urn === actor.urn ? found.value.name : nameOf(actor.urn)
    },
  }
}
