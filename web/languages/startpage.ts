// The document of the start page has a search box of its own, which takes text before the script has come
// (src/lib/shell.ts). Its texts stand in {{…}} and are among those of the source.
import { keyOf, type Catalogue } from './catalogue'
import type { Language } from './languages'

const shell = /\s*<!-- start page:[^]*?<!-- \/start page -->/

/** index.html in a language; undefined is English. */
export function documentOf(html: string, catalogue: Catalogue, language: Language | undefined): string {
  const said = html.replace(/\{\{([^}]*)\}\}/g, (_, text: string) => {
    if (!language) return text
    const [form] = catalogue.get(keyOf(text, undefined))?.forms ?? []
    if (!form) throw new Error(`index.html: no translation of “${text}” in ${language.id}`)
    return form.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  })
  return language ? said.replace('<html lang="en" dir="ltr">', `<html lang="${language.id}" dir="${language.direction}">`) : said
}

/** The document of the screens that are not the start page. */
export function withoutShell(html: string): string {
  if (!shell.test(html)) throw new Error('index.html has no part for the start page')
  return html.replace(shell, '')
}
