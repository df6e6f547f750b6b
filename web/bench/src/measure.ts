// The figures of the bench and their limits.

export interface Row {
  name: string
  value: number
  unit: string
  /** The figure misses its limit if it is higher than this. */
  limit?: number
  note?: string
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN
}

export function missed(row: Row): boolean {
  return row.limit !== undefined && !(row.value <= row.limit)
}

export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    Number.isNaN(row.value) ? 'none' : `${row.value >= 100 ? Math.round(row.value) : row.value.toFixed(1)} ${row.unit}`,
    row.limit === undefined ? '' : `≤ ${row.limit}`,
    row.limit === undefined ? '' : missed(row) ? 'MISSED' : 'holds',
    row.note ?? '',
  ])
  const widths = [0, 1, 2, 3].map((i) => Math.max(...cells.map((row) => row[i]!.length)))
  return cells.map((row) => row.map((cell, i) => (i === 1 ? cell.padStart(widths[i]!) : i < 4 ? cell.padEnd(widths[i]!) : cell)).join('  ').trimEnd()).join('\n')
}
