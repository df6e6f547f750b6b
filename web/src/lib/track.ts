/**
 * What the server counts by day, so that the most viewed entities and the most searched words can
 * be shown. It keeps nothing of who looked. A count that fails is lost and disturbs nobody.
 */
type Seen = { type: 'EntityViewEvent'; entityUrn: string } | { type: 'SearchResultsViewEvent'; query: string; total: number; page: number }

let last = ''

/** Tells the server what is shown. What is shown again at once, as after a change of tab, counts once. */
export function track(seen: Seen) {
  const body = JSON.stringify(seen)
  if (body === last) return
  last = body
  fetch('/openapi/v1/tracking/track', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, keepalive: true }).catch(() => undefined)
}
