// The geometry of a chart of values over time.

/** From the least to the greatest value to show. Bars begin at 0, and so do lines of values that are not negative. */
export function rangeOf(values: readonly (number | null)[], bars: boolean): [low: number, high: number] {
  const known = values.filter((value) => value !== null)
  const low = known.reduce((least, value) => Math.min(least, value), known[0] ?? 0)
  const high = known.reduce((most, value) => Math.max(most, value), known[0] ?? 0)
  const above = high === low ? high + 1 : high + (high - low) * 0.05
  return [bars || low >= 0 ? Math.min(0, low) : low, bars ? Math.max(0, above) : above]
}

/** Round values between two values, in equal steps of 1, 2 or 5 and a power of ten, so many at most. */
export function roundValues(low: number, high: number, most: number): number[] {
  const least = (high - low) / most
  if (!(least > 0) || !Number.isFinite(least)) return []
  const power = 10 ** Math.floor(Math.log10(least))
  const step = ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power
  const found: number[] = []
  // Steps are counted, because sums of fractions drift. The digits after the step are noise of fractions.
  for (let i = Math.ceil(low / step); i * step <= high; i++) found.push(Number((i * step).toPrecision(12)))
  return found
}

export interface Point {
  x: number
  y: number
}

/** A line through points, with a gap where a point is missing. */
export function lineOf(points: readonly (Point | undefined)[]): string {
  return points
    .map((point, i) => (point ? `${points[i - 1] ? 'L' : 'M'}${point.x.toFixed(1)} ${point.y.toFixed(1)}` : ''))
    .join('')
}

/** Points without a neighbour: no line shows them. */
export function alone(points: readonly (Point | undefined)[]): Point[] {
  return points.filter((point, i): point is Point => point !== undefined && !points[i - 1] && !points[i + 1])
}

/** The index of the time that is nearest to a moment; the times are sorted. -1 if there are none. */
export function nearest(times: readonly number[], at: number): number {
  let best = -1
  let distance = Infinity
  times.forEach((time, i) => {
    if (Math.abs(time - at) < distance) [best, distance] = [i, Math.abs(time - at)]
  })
  return best
}

/** The smallest distance of two neighbours; the whole if there is none. */
export function closest(places: readonly number[], whole: number): number {
  return places.reduce((least, place, i) => {
    const distance = place - (places[i - 1] ?? place)
    return distance > 0 ? Math.min(least, distance) : least
  }, whole)
}
