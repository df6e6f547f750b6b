/** The languages that the page is translated into, beside English. */
export interface Language {
  id: string
  /** The plural categories of Intl.PluralRules, in the order of a message's forms in the catalogue. */
  forms: readonly Intl.LDMLPluralRule[]
  direction: 'ltr' | 'rtl'
}

export const languages: readonly Language[] = [
  { id: 'de', forms: ['one', 'other'], direction: 'ltr' },
  { id: 'fr', forms: ['one', 'other'], direction: 'ltr' },
]
