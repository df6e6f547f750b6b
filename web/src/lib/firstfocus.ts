const fields = 'input:not([type=hidden]):not([type=checkbox]):not([type=radio]):not(:disabled), textarea:not(:disabled), select:not(:disabled)'
const controls = 'button:not(:disabled), a[href], input:not(:disabled), [tabindex="0"]'

/**
 * Where the focus of a dialog begins: in the first field, else at the first button below, which is
 * the one that changes nothing, else at the first control of the text.
 */
export function firstFocus(dialog: ParentNode): HTMLElement | null {
  return (
    dialog.querySelector<HTMLElement>(`[data-body] :is(${fields})`) ??
    dialog.querySelector<HTMLElement>(`[data-foot] :is(${controls})`) ??
    dialog.querySelector<HTMLElement>(`[data-body] :is(${controls})`)
  )
}
