// The open modal dialogs, the topmost last. Everything outside the topmost dialog is inert: messages must be
// shown within it.

import { untrack } from 'svelte'

let open = $state.raw<readonly string[]>([])

export const dialogs = {
  get top(): string | undefined {
    return open.at(-1)
  },
  opened(id: string) {
    // A dialog that opens or closes must not run again when another one does.
    open = [...untrack(() => open).filter((other) => other !== id), id]
  },
  closed(id: string) {
    open = untrack(() => open).filter((other) => other !== id)
  },
}
