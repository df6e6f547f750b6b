// The shell: the header and the search box that the document of the start page has in itself, so that somebody with a slow
// connection can search before the script has come. Without the script, the form of the shell searches by its address.

/** The shell, while it is shown; undefined on other screens. */
export const shell = document.getElementById('shell') ?? undefined

/** What somebody typed into the shell. */
export interface Typed {
  text: string
  /** Where the cursor was; undefined if the field did not have the focus. */
  at?: [start: number, end: number]
}

/** Takes the place of the shell: removes it, and returns what was typed. Undefined if it is not shown. */
export function takeTyped(): Typed | undefined {
  const field = shell?.isConnected ? shell.querySelector('input') : null
  if (!field) return undefined
  const typed: Typed = { text: field.value }
  if (document.activeElement === field) typed.at = [field.selectionStart ?? 0, field.selectionEnd ?? 0]
  dropShell()
  return typed
}

/** Removes the shell, as when another screen is shown in place of the start page. */
export function dropShell(): void {
  shell?.remove()
}
