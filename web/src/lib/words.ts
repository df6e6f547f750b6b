import { capitalNouns, categories } from '#locale'
import { language } from './language'

const rules = new Intl.PluralRules(language)

/** Splits a name into words: customerOrders and customer_orders become customer orders. */
export function inWords(name: string): string {
  return name
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .trim()
}

/** 1,234; with decimal places up to a number. */
export function number(n: number, places = 3): string {
  return n.toLocaleString(language, { maximumFractionDigits: places })
}

/** A number with its noun: 1 dataset, 2 datasets. A translation has a form for each plural category of its language. */
export function amount(n: number, one: string, many = `${one}s`, ...more: string[]): string {
  const forms = [one, many, ...more]
  return `${number(n)} ${forms[categories.indexOf(rules.select(n))] ?? forms.at(-1)}`
}

/** The name of a type as a sentence has it. */
export function inSentence(name: string): string {
  return capitalNouns ? name : name.toLowerCase()
}

/** The number of things unread, for a badge; '' if there are none. */
export function badge(unread: number, more: boolean): string {
  if (unread === 0) return ''
  return more || unread > 99 ? '99+' : String(unread)
}
