// The language of the page. The page is built once for each language; the server sends the build that the cookie
// names, or else the one that suits the browser best.

/** The language of this build. */
export const language: string = import.meta.env.VITE_LANGUAGE ?? 'en'

/** All languages, by their names in themselves. */
export const languages: readonly (readonly [id: string, name: string])[] = [
  ['en', 'English'],
  ['de', 'Deutsch'],
  ['fr', 'Français'],
]

const cookie = 'headwater_language'

/** The language that was chosen in this browser; '' if the browser's languages decide. */
export function chosenLanguage(): string {
  const [, id = ''] = new RegExp(`(?:^|; )${cookie}=([a-z]+)`).exec(document.cookie) ?? []
  return languages.some(([known]) => known === id) ? id : ''
}

/** Keeps a choice for a year, and shows the page in it. */
export function chooseLanguage(id: string): void {
  document.cookie = `${cookie}=${id}; path=/; samesite=lax; max-age=${id ? 365 * 24 * 3600 : 0}`
  location.reload()
}
