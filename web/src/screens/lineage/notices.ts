// The messages above the graph: missing parts, and how to get them.

import { number } from '../../lib/words'
import { shownAtOnce } from './view'

export interface Notice {
  id: string
  text: string
  actions?: readonly { label: string; run: () => void }[]
}

interface State {
  /** The server's note about the moment. */
  note: string
  shown: number
  /** The number of nodes that were reached and are not shown. */
  cut: number
  /** Incomplete answers of the server. */
  partial: readonly { id: string; name: string; reason: string; missing: number }[]
  failures: readonly { text: string; at: string }[]
  /** Parameters of the address that could not be read. */
  invalid: readonly string[]
  /** The number of nodes in the address that are not known. */
  lost: number
  showMore: () => void
  again: () => void
  dismiss: () => void
}

export function noticesOf({ note, shown, cut, partial, failures, invalid, lost, showMore, again, dismiss }: State): Notice[] {
  const notices: Notice[] = []
  const close = { label: 'Dismiss', run: dismiss }
  if (note) notices.push({ id: 'note', text: note })
  if (cut > 0) {
    const action = { label: `Show ${number(Math.min(cut, shownAtOnce))} more`, run: showMore }
    notices.push({ id: 'cut', text: `${number(shown)} nodes are shown; ${number(cut)} more were reached.`, actions: [action] })
  }
  for (const { id, name, reason, missing } of partial) {
    const rest = missing > 0 ? ` ${number(missing)} are missing.` : ''
    notices.push({ id, text: `Not all around ${name} was read: ${reason}.${rest}` })
  }
  for (const { at, text } of failures) notices.push({ id: at, text, actions: [{ label: 'Try again', run: again }, close] })
  if (invalid.length > 0) {
    const text = `What this link says about ${invalid.join(', ')} could not be read; the default is shown instead.`
    notices.push({ id: 'invalid', text, actions: [close] })
  }
  if (lost > 0) {
    const text = lost === 1 ? 'One node of this link is no longer in the graph.' : `${number(lost)} nodes of this link are no longer in the graph.`
    notices.push({ id: 'lost', text, actions: [close] })
  }
  return notices
}
