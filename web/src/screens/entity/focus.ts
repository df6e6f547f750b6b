/** Moves the focus from a control that is about to vanish to the button that adds such things. */
export function focusBeside(control: Element | null): void {
  const beside = control?.closest('dd, [data-labels]')?.querySelector<HTMLElement>('.add')
  beside?.focus()
}
