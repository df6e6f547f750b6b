/** Markdown as one line of text, for places that have no room for more. */
export function plainText(markdown: string, room = 240): string {
  const text = markdown
    .slice(0, room * 8)
    .replace(/```[^\n]*\n?/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s{0,3}(#{1,6}\s+|>\s?|[-*+]\s+|\d+\.\s+)/gm, '')
    .replace(/(\*\*|__|~~|`)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  return text.length > room ? `${text.slice(0, room).trimEnd()}…` : text
}
