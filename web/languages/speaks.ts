import { readFileSync } from 'node:fs'

/** Texts that look like words to people and are read by programs, and small words that people read; one a line. */
const list = (name: string) => new Set(readFileSync(new URL(name, import.meta.url), 'utf8').split('\n').filter((line) => line && !line.startsWith('#')))
const code = list('./code.txt')
const words = list('./words.txt')

/** Whether a text has words for people at all. */
export function speaks(text: string): boolean {
  return /\p{L}/u.test(text.replace(/\{\d+\}/g, '')) && !code.has(text.trim())
}

/** Whether a string among code is for people: it begins with a capital, has several words, or is in words.txt. */
export function inText(text: string, file = ''): boolean {
  if (!speaks(text)) return false
  if (words.has(text) || words.has(`${file}: ${text}`)) return true
  if (/^[a-z]+[A-Z]/.test(text)) return false
  const bare = text.replace(/\{\d+\}/g, 'x')
  if (/^[A-Z][a-z]+(-[A-Z][a-z]+)+$|^\S*[a-z_.][A-Z]\S*$|^[A-Z0-9_]+$|^[<#./?&]|:\/\/|^\S*[=_/]\S*$|^\S+:\S/.test(bare)) return false
  if (/^\p{Lu}\p{Ll}/u.test(bare)) return true
  return /\p{L}{2,}[,.:;]? \p{L}|\p{L} \p{L}{2,}/u.test(text.replace(/\{\d+\}/g, '0'))
}

/** A text as one line. */
export function lineUp(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
