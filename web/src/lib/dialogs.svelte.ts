// The modal dialogs that are open, the one on top last. Everything outside of it is inert:
// what must be seen and heard meanwhile is shown within it.

import { untrack } from 'svelte'

let open = $state.raw<readonly string[]>([])

export const dialogs = {
  get top(): string | undefined {
    return open.at(-1)
  },
  opened(id: string) {
    // Whoever opens or closes one does not depend on the others.
    open = [...untrack(() => open).filter((other) => other !== id), id]
  },
  closed(id: string) {
    open = untrack(() => open).filter((other) => other !== id)
  },
}
