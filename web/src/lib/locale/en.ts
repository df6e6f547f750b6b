/** The plural categories of a message's forms, in their order. */
export const categories: readonly string[] = ['one', 'other']
/** Whether nouns have capitals within sentences. */
export const capitalNouns: boolean = false
