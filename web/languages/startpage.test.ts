import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { languages } from './languages'
import { readCatalogue } from './source'
import { documentOf, withoutShell } from './startpage'

const html = readFileSync(new URL('../index.html', import.meta.url), 'utf8')

test('the start page has its search box in each language', () => {
  expect(documentOf(html, new Map(), undefined)).toContain('placeholder="Search names, columns, people, tags, terms"')
  for (const language of languages) {
    const said = documentOf(html, readCatalogue(language.id), language)
    expect(said).toContain(`<html lang="${language.id}"`)
    expect(said).not.toMatch(/\{\{|Search names/)
  }
})

test('a text without a translation stops the build', () => {
  expect(() => documentOf('<p>{{Nobody says this}}</p>', new Map(), languages[0])).toThrow('Nobody says this')
})

test('other screens have no search box of the start page, and keep the rest', () => {
  const other = withoutShell(html)
  expect(other).not.toMatch(/shell|<form/)
  expect(other).toContain('<div id="app"></div>')
  expect(other).toContain('<noscript>')
  expect(() => withoutShell('<body></body>')).toThrow()
})
