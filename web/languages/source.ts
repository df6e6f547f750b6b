import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { keyOf, parsePO, type Catalogue, type Message } from './catalogue'
import { unitsOf } from './extract'
import type { Language } from './languages'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)

/** Whether a file, named from web/, has texts of the page. */
export function hasTexts(file: string): boolean {
  return /^src\/.*\.(svelte|ts)$/.test(file) && !/\.test\.ts$|^src\/gql\/|^src\/lib\/locale\/|\/testing\.ts$/.test(file)
}

/** The name of a catalogue's file. */
export function fileOf(language: string): string {
  return join(here, `${language}.po`)
}

export function readCatalogue(language: string): Catalogue {
  return parsePO(readFileSync(fileOf(language), 'utf8'))
}

/** All texts of the source without their translations, in the order of files and of places in them. */
export function messagesOfSource(): Catalogue {
  const found: Catalogue = new Map()
  const files = (readdirSync(join(root, 'src'), { recursive: true }) as string[]).map((name) => `src/${name.split(sep).join('/')}`)
  for (const file of files.filter(hasTexts).sort()) {
    for (const { text, plural } of unitsOf(readFileSync(join(root, file), 'utf8'), file)) {
      const key = keyOf(text, plural)
      const message = found.get(key) ?? { context: '', text, plural, forms: [], notes: [] }
      if (!message.notes.includes(`#: ${file}`)) message.notes.push(`#: ${file}`)
      found.set(key, message)
    }
  }
  return found
}

/** A catalogue as the source needs it: with all texts and no others. Translations are kept. */
export function updated(of: Catalogue, source: Catalogue, language: Language): Message[] {
  return [...source.values()].flatMap((message) => {
    const forms = (message.plural === undefined ? ['other'] : language.forms).map(() => '')
    const known = of.get(keyOf(message.text, message.plural))?.forms ?? []
    const files = message.notes.map((note) => note.slice(3))
    const special = files.map((file) => of.get(keyOf(message.text, message.plural, file))).filter((one) => one !== undefined)
    return [{ ...message, forms: forms.map((_, i) => known[i] ?? '') }, ...special.map((one) => ({ ...one, notes: [] }))]
  })
}
