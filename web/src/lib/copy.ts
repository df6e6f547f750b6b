import { toast } from './toasts.svelte'

/** Puts text on the clipboard and says whether that worked. */
export async function copy(text: string): Promise<boolean> {
  const done = (await byClipboard(text)) || bySelection(text)
  toast(done ? 'Copied' : 'The browser did not allow copying', done ? 'good' : 'bad')
  return done
}

async function byClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Pages that are not served over TLS or from this machine have no other way to the clipboard. */
function bySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('readonly', '')
  area.className = 'hidden'
  const focused = document.activeElement as HTMLElement | null
  // Text outside an open dialog cannot be selected.
  ;(document.querySelector('[role=dialog]') ?? document.body).append(area)
  area.select()
  try {
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    area.remove()
    focused?.focus()
  }
}
