import { actor } from './actor.svelte'
import { load } from './load.svelte'
import { namesOf } from './names'
import { nameOf } from './urns'

/** The name of who uses the page; for a component, while it is shown. */
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
      // Until the name is known, and if it is not, what the URN says.
      return found.value?.urn === actor.urn ? found.value.name : nameOf(actor.urn)
    },
  }
}
