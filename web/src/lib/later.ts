/** A part of the page that is loaded when it is first wanted, once; after a failure it is loaded again. */
export function later<T>(read: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= read().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
