/** A message of a catalogue: an entry of a PO file. */
export interface Message {
  /** A file of the source that says the text in a sense of its own; '' for all others. */
  context: string
  text: string
  plural?: string
  /** The translation, with one form for each plural category if the message counts. */
  forms: string[]
  /** Comments for translators, and the files that have the text. */
  notes: string[]
}

export type Catalogue = Map<string, Message>

/** The key of a message in a catalogue. */
export function keyOf(text: string, plural: string | undefined, context = ''): string {
  return [context, text, plural ?? ''].join('\u0004')
}

/** Reads a PO file. */
export function parsePO(source: string): Catalogue {
  const found: Catalogue = new Map()
  for (const block of source.split(/\n\s*\n/)) {
    const message: Message = { context: '', text: '', forms: [], notes: [] }
    let add = (_: string): void => undefined
    for (const line of block.split('\n')) {
      if (/^#[.:]/.test(line)) message.notes.push(line)
      const [, keyword = '', form, quoted] = /^(msgctxt|msgid|msgid_plural|msgstr)?(?:\[(\d+)\])? ?(".*")$/.exec(line) ?? []
      if (quoted === undefined) continue
      const at = Number(form ?? 0)
      if (keyword === 'msgctxt') add = (text) => void (message.context += text)
      if (keyword === 'msgid') add = (text) => void (message.text += text)
      if (keyword === 'msgid_plural') add = (text) => void (message.plural = (message.plural ?? '') + text)
      if (keyword === 'msgstr') add = (text) => void (message.forms[at] = (message.forms[at] ?? '') + text)
      add(JSON.parse(quoted) as string)
    }
    if (message.text) found.set(keyOf(message.text, message.plural, message.context), message)
  }
  return found
}

/** Writes a PO file, one line for each text. */
export function formatPO(language: string, messages: Iterable<Message>): string {
  const blocks = [`msgid ""\nmsgstr "Language: ${language}\\nContent-Type: text/plain; charset=UTF-8\\n"`]
  for (const { context, text, plural, forms, notes } of messages) {
    const lines = [...notes]
    if (context) lines.push(`msgctxt ${JSON.stringify(context)}`)
    lines.push(`msgid ${JSON.stringify(text)}`)
    if (plural === undefined) lines.push(`msgstr ${JSON.stringify(forms[0] ?? '')}`)
    else lines.push(`msgid_plural ${JSON.stringify(plural)}`, ...forms.map((form, i) => `msgstr[${i}] ${JSON.stringify(form)}`))
    blocks.push(lines.join('\n'))
  }
  return `${blocks.join('\n\n')}\n`
}
