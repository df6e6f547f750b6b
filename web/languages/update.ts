// Writes the texts of the source into the catalogues. With --check, it writes nothing and fails if a catalogue
// lacks a text, has one that the source lacks, or has no translation of one.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { formatPO, parsePO } from './catalogue'
import { languages } from './languages'
import { fileOf, messagesOfSource, updated } from './source'
import { placesOf } from './translate'

const check = process.argv.includes('--check')
const source = messagesOfSource()
let faults = 0
const fault = (text: string) => {
  faults += 1
  console.error(text)
}

for (const language of languages) {
  const name = fileOf(language.id)
  const before = existsSync(name) ? readFileSync(name, 'utf8') : ''
  const messages = updated(parsePO(before), source, language)
  const after = formatPO(language.id, messages)
  if (!check) writeFileSync(name, after)
  else if (after !== before) fault(`${language.id}.po does not have the texts of the source: run "npm run texts"`)
  for (const { text, plural, forms } of messages) {
    if (forms.some((form) => !form)) fault(`${language.id}.po: no translation of “${text}”`)
    else if (plural === undefined && String(placesOf(forms[0]!)) !== String(placesOf(text))) fault(`${language.id}.po: other places than in “${text}”: “${forms[0]}”`)
  }
}
console.log(`${source.size} texts, ${faults} faults`)
if (check && faults) process.exitCode = 1
