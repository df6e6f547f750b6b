import { expect, test } from 'vitest'
import { formatPO, keyOf, parsePO, type Catalogue } from './catalogue'
import { unitsOf } from './extract'
import { placesOf, translate } from './translate'

function catalogue(...rows: [text: string, form: string, context?: string][]): Catalogue {
  return new Map(rows.map(([text, form, context = '']) => [keyOf(text, undefined, context), { context, text, forms: [form], notes: [] }]))
}

const texts = (source: string, file = 'src/a.svelte') => unitsOf(source, file).map(({ text, plural }) => (plural ? `${text}|${plural}` : text))

test('texts are found in markup, attributes and scripts, and code is not', () => {
  const source = `<script lang="ts">import a from 'Some file'; const label = n === 'Two words' ? 'Two columns' : \`\${n} columns are open\`; const kind = 'IsPartOf'</script>
    <p class="Plain text" title="Not here">See <a href="/Home page">the {name}</a>, {x ? 'old' : 'new'}.</p>{amount(n, 'dataset')}`
  expect(texts(source)).toEqual(['Two columns', '{0} columns are open', 'Not here', 'See <0>the {1}</0>, {2}.', 'old', 'new', 'dataset|datasets'])
})

test('a translation orders values and elements as it likes, and is escaped for its place', () => {
  const source = '<p title="By {who}">Read <b>{count}</b> of <i class="x">the {kind}</i></p>'
  const found = catalogue(['By {0}', 'Von "{0}" & Co'], ['Read <0/> of <1>the {2}</1>', '<1>Vom {2}</1> <0/> {gelesen} <'])
  expect(translate(source, 'src/a.svelte', found)).toBe('<p title="Von &quot;{who}&quot; &amp; Co"><i class="x">Vom {kind}</i> <b>{count}</b> &#123;gelesen&#125; &lt;</p>')
  const script = "export const a = `Removing ${name}`, b = 'Some ' + `it`, c = 'Two words'"
  const german = catalogue(['Removing {0}', '`{0}` ${entfernen}'], ['Some', "Ein'ge"])
  expect(translate(script, 'src/a.ts', german)).toBe("export const a = `\\`${name}\\` \\${entfernen}`, b = 'Ein\\'ge ' + `it`, c = 'Two words'")
})

test('an entry for one file goes before the entry for all', () => {
  const found = catalogue(['Open it', 'Öffnen'], ['Open it', 'Offen', 'src/b.ts'])
  expect(translate("f('Open it')", 'src/a.ts', found)).toBe("f('Öffnen')")
  expect(translate("f('Open it')", 'src/b.ts', found)).toBe("f('Offen')")
})

test('a translation with a place that the source lacks stops the build', () => {
  expect(() => translate('<p>Read it</p>', 'src/a.svelte', catalogue(['Read it', 'Lies {0}']))).toThrow('names a place')
  expect(placesOf('<1>{0}</1><2/>')).toEqual(['</1>', '<1>', '<2/>', '{0}'])
})

test('a catalogue is read as it was written', () => {
  const rows = [
    { context: '', text: 'a “b”\n"c"', forms: ['d\\'], notes: ['#: src/a.ts'] },
    { context: 'src/a.ts', text: 'one', plural: 'many', forms: ['eins', 'viele'], notes: [] },
  ]
  expect([...parsePO(formatPO('de', rows)).values()]).toEqual(rows)
})
