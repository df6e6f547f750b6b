// Short messages at the edge of the page, such as about a change that was just made.

export type Tone = 'plain' | 'good' | 'bad'

export interface Toast {
  id: number
  message: string
  tone: Tone
  /** Takes back the change that the message is about. */
  undo?: () => void
}

let next = 1
let shown = $state<Toast[]>([])

export const toasts = {
  get shown(): readonly Toast[] {
    return shown
  },
  close(id: number) {
    shown = shown.filter((one) => one.id !== id)
    clearTimeout(timers.get(id))
    timers.delete(id)
  },
  /** Keeps the messages while the pointer or the focus is on one of them. */
  hold() {
    for (const timer of timers.values()) clearTimeout(timer)
  },
  release() {
    for (const one of shown) if (one.tone !== 'bad') wait(one)
  },
  /** Undoes the newest change that a message still offers to undo. */
  undoNewest(): boolean {
    const newest = shown.findLast((one) => one.undo)
    if (!newest) return false
    toasts.undo(newest)
    return true
  },
  undo(one: Toast) {
    toasts.close(one.id)
    one.undo?.()
  },
}

const timers = new Map<number, ReturnType<typeof setTimeout>>()

function wait(one: Toast) {
  clearTimeout(timers.get(one.id))
  timers.set(
    one.id,
    setTimeout(() => toasts.close(one.id), one.undo ? 15_000 : 5000),
  )
}

/** Shows a message. A message about a failure stays until somebody closes it. */
export function toast(message: string, tone: Tone = 'plain', undo?: () => void): void {
  const one: Toast = { id: next++, message, tone, ...(undo ? { undo } : {}) }
  shown = [...shown.slice(-3), one]
  if (tone !== 'bad') wait(one)
}
