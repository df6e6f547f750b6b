// Words for the constants of the server.

const kinds: Record<string, string> = {
  EMAIL: 'e-mail addresses',
  PHONE: 'phone numbers',
  PERSON_NAME: 'names of people',
  ADDRESS: 'addresses',
  PERSONAL_ID: 'numbers that identify people',
  BIRTH_DATE: 'dates of birth',
  PAYMENT: 'means of payment',
  IP_ADDRESS: 'IP addresses',
}

/** The kind of personal data that the name of a column suggests. */
export function kindWords(kind: string): string {
  return kinds[kind] ?? kind
}
