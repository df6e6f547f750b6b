/** The screens that are shown to people who have not signed in. */
export const openScreens: readonly string[] = ['/ui/login', '/ui/first', '/ui/signup', '/ui/reset']

/**
 * Returns the address to show after a sign-in: the given one if it is an address of a screen,
 * and otherwise the start page. An address of another site must never be followed.
 */
export function returnTo(text: string | null, origin: string): string {
  // Browsers read a backslash as a slash, and drop tabs and line breaks.
  if (!text || !text.startsWith('/') || /[\\\s\p{Cc}]/u.test(text)) return '/'
  let to: URL
  try {
    to = new URL(text, origin)
  } catch {
    return '/'
  }
  if (to.origin !== origin || (to.pathname !== '/' && !to.pathname.startsWith('/ui/'))) return '/'
  if (openScreens.includes(to.pathname)) return '/'
  return to.pathname + to.search + to.hash
}
