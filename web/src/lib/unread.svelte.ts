// The number of unread items in the feed of the page's user, for the header.

import { FeedUnreadDocument } from '../gql/graphql'
import { actor } from './actor.svelte'
import { query } from './graphql'

let count = $state(0)
let more = $state(false)
let asked = 0

export const unread = {
  get count() {
    return count
  },
  get more() {
    return more
  },
  set(next: { unread: number; more: boolean }) {
    asked++
    count = next.unread
    more = next.more
  },
}

/** Reads the number again. A page without a chosen person has no feed; a failure keeps the former number. */
export async function readUnread(): Promise<void> {
  const whose = actor.urn
  const read = ++asked
  if (!whose) {
    count = 0
    more = false
    return
  }
  try {
    const { feedUnread } = await query(FeedUnreadDocument, {})
    if (read !== asked || whose !== actor.urn) return
    count = feedUnread.unread
    more = feedUnread.more
  } catch {
    // No message here: the screens say that the server is away.
  }
}
