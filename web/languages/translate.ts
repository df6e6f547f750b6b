import { keyOf, type Catalogue } from './catalogue'
import { unitsOf, type Hole, type Unit } from './extract'

const places = /\{(\d+)\}|<(\d+)\/>|<(\d+)>|<\/(\d+)>/g

/** The source of a file in another language. Texts that the catalogue lacks stay in English. */
export function translate(source: string, file: string, catalogue: Catalogue): string {
  return new Translation(source, file, catalogue, unitsOf(source, file)).between(0, source.length)
}

/** The places of a text that a translation must have too, in the order of their numbers. */
export function placesOf(text: string): string[] {
  return [...text.matchAll(places)].map(([place]) => place).sort()
}

class Translation {
  constructor(
    private readonly source: string,
    private readonly file: string,
    private readonly catalogue: Catalogue,
    private readonly units: readonly Unit[],
  ) {}

  /** The source from one place to another, with all texts in it translated. */
  between(start: number, end: number): string {
    let out = ''
    let at = start
    for (const unit of this.units) {
      if (unit.start < at || unit.end > end) continue
      const forms = this.formsOf(unit)
      if (!forms) continue
      out += this.source.slice(at, unit.start) + this.rendered(unit, forms)
      at = unit.end
    }
    return out + this.source.slice(at, end)
  }

  private formsOf(unit: Unit): string[] | undefined {
    const message = this.catalogue.get(keyOf(unit.text, unit.plural, this.file)) ?? this.catalogue.get(keyOf(unit.text, unit.plural))
    return message?.forms.length && message.forms.every(Boolean) ? message.forms : undefined
  }

  private rendered(unit: Unit, forms: string[]): string {
    const text = unit.before + forms[0]! + unit.after
    switch (unit.form) {
      case 'forms':
        return forms.map(quoted).join(', ')
      case 'string':
        return quoted(text)
      case 'template':
        return `\`${this.filled(text, unit.holes, (part) => part.replace(/[\\`]|\$\{/g, '\\$&'))}\``
      case 'attribute': {
        const bare = !/["']/.test(this.source[unit.start - 1] ?? '')
        const value = this.filled(text, unit.holes, (part) => escaped(part).replaceAll('"', '&quot;').replaceAll("'", '&#39;'))
        return bare ? `"${value}"` : value
      }
      case 'markup':
        return this.filled(text, unit.holes, escaped)
    }
  }

  private filled(text: string, holes: readonly Hole[], part: (text: string) => string): string {
    let out = ''
    let at = 0
    for (const match of text.matchAll(places)) {
      const hole = holes[Number(match[1] ?? match[2] ?? match[3] ?? match[4])]
      if (!hole) throw new Error(`${this.file}: “${text}” names a place that its source lacks`)
      out += part(text.slice(at, match.index))
      out += match[4] === undefined ? this.between(hole.start, hole.end) : this.source.slice(hole.close!.start, hole.close!.end)
      at = match.index + match[0].length
    }
    return out + part(text.slice(at))
  }
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('{', '&#123;').replaceAll('}', '&#125;')
}
