// Keys that act on the whole page.

const own = 'input, textarea, select, [contenteditable]:not([contenteditable=false]), dialog, [role=dialog], [role=menu], [role=listbox], [role=combobox], [role=slider]'

/** Whether the element with the focus uses letters: a field, an open menu, a dialog. */
export function takesLetters(target: EventTarget | null): boolean {
  // An open menu also uses letters while its button has the focus.
  if (target instanceof Element && target.closest(`${own}, [aria-haspopup][aria-expanded=true]`)) return true
  return document.querySelector('[role=dialog]') !== null
}

/**
 * Whether a key may act on the page: it was not used, has no modifier but Shift, and the element with the
 * focus does not use letters.
 */
export function free(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false
  return !takesLetters(event.target)
}

/** An arrow key as its direction in languages from left to right: in others, ArrowLeft goes onward. */
export function onward(key: string, direction = document.documentElement.dir): string {
  if (direction !== 'rtl') return key
  return key === 'ArrowLeft' ? 'ArrowRight' : key === 'ArrowRight' ? 'ArrowLeft' : key
}
