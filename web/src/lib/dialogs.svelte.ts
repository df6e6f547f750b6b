// The modal dialogs that are open, the one on top last. Everything outside of it is inert:
// what must be seen and heard meanwhile is shown within it.

let open = $state.raw<readonly string[]>([])

export const dialogs = {
  get top(): string | undefined {
    return open.at(-1)
  },
  opened(id: string) {
    open = [...open.filter((other) => other !== id), id]
  },
  closed(id: string) {
    open = open.filter((other) => other !== id)
  },
}
