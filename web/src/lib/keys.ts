// Keys that act on the whole page.

const own = 'input, textarea, select, [contenteditable]:not([contenteditable=false]), dialog, [role=dialog], [role=menu], [role=listbox], [role=combobox], [role=slider]'

/** Whether letters are for what has the focus: a field, an open menu, a dialog. */
export function takesLetters(target: EventTarget | null): boolean {
  // A menu that is open takes letters on its button, too.
  if (target instanceof Element && target.closest(`${own}, [aria-haspopup][aria-expanded=true]`)) return true
  return document.querySelector('dialog[open]') !== null
}

/**
 * Whether a key is free to act on the page: it was not used, has no modifier but Shift, and
 * the focus is on nothing that takes letters of its own.
 */
export function free(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false
  return !takesLetters(event.target)
}
