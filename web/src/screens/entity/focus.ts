/** Moves the focus from a control that is about to vanish to the add button beside it. */
export function focusBeside(control: Element | null): void {
  const beside = control?.closest('dd, [data-labels]')?.querySelector<HTMLElement>('.add')
  beside?.focus()
}
