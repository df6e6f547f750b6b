// Takes the place of the package entities, of which the reader of Markdown uses one function (vite.config.ts). The package has a table of
// all names of characters, which makes 13 kB; the browser has the same table.

let field: HTMLTextAreaElement | undefined

/** The characters that a reference such as &amp; or &#65; stands for; any other text stays as it is. */
export function decodeHTMLStrict(reference: string): string {
  if (!/^&[#\w]+;$/.test(reference)) return reference
  field ??= document.createElement('textarea')
  field.innerHTML = reference
  return field.value
}
