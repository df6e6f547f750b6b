/** Hands a file to the browser's downloads. */
export function download(fileName: string, mimeType: string, content: string | Blob): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: mimeType }))
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = fileName
  document.body.append(anchor)
  anchor.click()
  anchor.remove()
  // The browser reads the file after this turn.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
