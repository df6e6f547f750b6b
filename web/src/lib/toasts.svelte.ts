// Short messages at the edge of the page, such as of what was done.

export type Tone = 'plain' | 'good' | 'bad'

export interface Toast {
  id: number
  message: string
  tone: Tone
}

let next = 1
let shown = $state<Toast[]>([])

export const toasts = {
  get shown(): readonly Toast[] {
    return shown
  },
  close(id: number) {
    shown = shown.filter((one) => one.id !== id)
  },
}

/** Shows a message; one of a failure stays until it is closed. */
export function toast(message: string, tone: Tone = 'plain'): void {
  const id = next++
  shown = [...shown.slice(-3), { id, message, tone }]
  if (tone !== 'bad') setTimeout(() => toasts.close(id), 5000)
}
