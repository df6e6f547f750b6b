/** Moves the focus from a control that is about to vanish to the add button beside it. */
export function focusBeside(control: Element | null): void {
  const beside = control?.closest('dd, [data-labels]')?.querySelector<HTMLElement>('.add')
  beside?.focus()
}

/** Moves the focus from a control of an entry that is about to vanish to the next entry, or the one before, or the heading of the list. */
export function beside(control: Element, list: Element | undefined): void {
  const entry = control.closest('li')
  const next = (entry?.nextElementSibling ?? entry?.previousElementSibling)?.querySelector<HTMLElement>('button')
  ;(next ?? list?.querySelector<HTMLElement>('summary'))?.focus()
}
