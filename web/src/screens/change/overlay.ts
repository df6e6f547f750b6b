// A change that is not merged, as headwater check writes it: proposals that nobody has written. The change comes in the
// address, behind the #, or from a file. The server gets the change only to answer, and stores nothing of it.

export type Overlay = readonly unknown[]

/** How many bytes a change may have: as many as the body of a request. */
export const mostBytes = 16 * 1024 * 1024

/** The error for an address or a file that contains no change. */
export class NoChange extends Error {}

/** Reads the change in an address: base64url of deflated JSON. */
export async function overlayOfHash(hash: string): Promise<Overlay> {
  let bytes: Uint8Array<ArrayBuffer>
  try {
    bytes = Uint8Array.from(atob(hash.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
  } catch {
    throw new NoChange('The address has no change that can be read. Maybe it was cut off.')
  }
  return overlayOf(await inflated(bytes))
}

async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      size += value.byteLength
      if (size > mostBytes) break
      text += decoder.decode(value, { stream: true })
    }
  } catch {
    throw new NoChange('The address has no change that can be read. Maybe it was cut off.')
  }
  void reader.cancel()
  throw new NoChange('The change is too large to be drawn.')
}

/** Reads the text of a file that --overlay-out wrote. */
export function overlayOf(text: string): Overlay {
  if (text.length > mostBytes) throw new NoChange('The change is too large to be drawn.')
  try {
    const { overlay } = JSON.parse(text) as { overlay?: unknown }
    if (Array.isArray(overlay)) return overlay
  } catch {
    // The text is no JSON; the error below says so.
  }
  throw new NoChange('This is no change: choose a file that headwater check has written with --overlay-out.')
}
