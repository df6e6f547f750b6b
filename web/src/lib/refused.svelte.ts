// The one way in which controls are greyed. A greyed control can still be reached by keyboard and by screen
// readers: it shows its reason while it has the focus or the pointer, and using it opens an explanation
// instead of acting.

import type { Attachment } from 'svelte/attachments'
import { reasonOf, type Refusal } from './refusal'

interface Tip {
  text: string
  at: DOMRect
}

let tip = $state.raw<Tip>()
let asked = $state.raw<Refusal>()

export const refused = {
  /** The reason that is shown beside a control. */
  get tip() {
    return tip
  },
  /** The refusal that is explained in a dialog. */
  get asked() {
    return asked
  },
  forget() {
    asked = undefined
  },
}

/** Turns a control into one that only states why it cannot be used. */
export function refusing(refusal: Refusal): Attachment<HTMLElement> {
  return (control) => {
    const show = () => (tip = { text: reasonOf(refusal), at: control.getBoundingClientRect() })
    const hide = () => (tip = undefined)
    const onFocus = () => control.matches(':focus-visible') && show()
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && hide()
    const onClick = (event: MouseEvent) => {
      event.preventDefault()
      event.stopImmediatePropagation()
      hide()
      asked = refusal
    }
    control.addEventListener('click', onClick)
    control.addEventListener('pointerenter', show)
    control.addEventListener('pointerleave', hide)
    control.addEventListener('focus', onFocus)
    control.addEventListener('blur', hide)
    control.addEventListener('keydown', onKey)
    return () => {
      hide()
      control.removeEventListener('click', onClick)
      control.removeEventListener('pointerenter', show)
      control.removeEventListener('pointerleave', hide)
      control.removeEventListener('focus', onFocus)
      control.removeEventListener('blur', hide)
      control.removeEventListener('keydown', onKey)
    }
  }
}
