import type { Refusal } from './refusal'

/** An entry of a menu. */
export interface Item {
  label: string
  onselect?: () => void
  href?: string
  disabled?: boolean
  /** The reason why the entry cannot be used. The entry can still be reached, and states the reason. */
  refusal?: Refusal | undefined
  /** For an entry that is one of several choices: whether it is chosen. */
  checked?: boolean
  /** A line above the entry, with a heading if the text is not empty. */
  group?: string
}
