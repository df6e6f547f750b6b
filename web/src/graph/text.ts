// Text of the canvas: cut with an ellipsis where it does not fit.

const LONGEST = 160
const KEPT = 30_000

/** Measures with a canvas of its own and remembers; widths scale with the size. */
export class Texts {
  private readonly widths = new Map<string, number>()
  private context: OffscreenCanvasRenderingContext2D | null = null
  private bold = false

  constructor(private readonly family: string) {}

  font(size: number, bold = false): string {
    return `${bold ? '600' : '400'} ${size}px ${this.family}`
  }

  width(text: string, size: number, bold = false): number {
    const key = bold ? `b${text}` : text
    let width = this.widths.get(key)
    if (width === undefined) {
      if (this.widths.size > KEPT) this.widths.clear()
      this.widths.set(key, (width = this.measure(text, bold)))
    }
    return (width * size) / 100
  }

  private measure(text: string, bold: boolean): number {
    if (!this.context || this.bold !== bold) {
      this.context ??= new OffscreenCanvas(1, 1).getContext('2d')!
      this.context.font = this.font(100, bold)
      this.bold = bold
    }
    return this.context.measureText(text).width
  }

  /** The text in one line, or in two when that shows more of it. */
  lines(text: string, room: number, size: number, bold: boolean, two: boolean): string[] {
    if (!two || this.width(text.slice(0, LONGEST), size, bold) <= room) return [this.fit(text, room, size, bold)]
    let letters = Math.min(text.length, LONGEST)
    while (letters > 1 && this.width(text.slice(0, letters), size, bold) > room) letters -= Math.max(1, letters >> 4)
    // Break behind a mark between words if there is one in the second half.
    const mark = Math.max(...[' ', '_', '.', '-', '/'].map((one) => text.lastIndexOf(one, letters - 1)))
    const at = mark >= letters / 2 ? mark + 1 : letters
    return [text.slice(0, at), this.fit(text.slice(at), room, size, bold)]
  }

  /** The text, or as much of it as fits with an ellipsis. */
  fit(text: string, room: number, size: number, bold = false): string {
    let short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
    const width = this.width(short, size, bold)
    if (width <= room) return short
    let letters = Math.floor((short.length * room) / width)
    while (letters > 0) {
      short = `${text.slice(0, letters).trimEnd()}…`
      if (this.width(short, size, bold) <= room) return short
      letters -= Math.max(1, Math.ceil(letters / 12))
    }
    return room > size ? '…' : ''
  }
}
