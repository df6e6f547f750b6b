import type { Locale } from 'date-fns'

/** The names of days and months; English ones are those of the library. */
export const dates: Locale | undefined = undefined
/** The plural categories of a message's forms, in their order. */
export const categories: readonly string[] = ['one', 'other']
/** Whether nouns have capitals within sentences. */
export const capitalNouns: boolean = false
