/**
 * The views and searches that the server counts by day, to show the most viewed entities and the most
 * searched words. The person is not stored. A count that fails is lost without a message.
 */
type Seen = { type: 'EntityViewEvent'; entityUrn: string } | { type: 'SearchResultsViewEvent'; query: string; total: number; page: number }

let last = ''

/** Reports a view or a search to the server. A repetition at once, as after a change of tab, counts once. */
export function track(seen: Seen) {
  const body = JSON.stringify(seen)
  if (body === last) return
  last = body
  fetch('/openapi/v1/tracking/track', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, keepalive: true }).catch(() => undefined)
}
