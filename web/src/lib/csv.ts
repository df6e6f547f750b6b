type Cell = string | number | boolean | null | undefined

/**
 * A table as text for spreadsheets (RFC 4180). A text that a spreadsheet would run as a formula, also one
 * that begins with a full-width sign, gets an apostrophe before it.
 */
export function csv(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((row) => row.map(cell).join(',') + '\r\n').join('')
}

function cell(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const harmless = /^[\s]*[=+\-@＝＋－＠]|^[\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
