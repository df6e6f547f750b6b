// What a person says of themself to become a user.

export const passwordHint = 'At least 8 characters.'

export interface NewUser {
  fullName: string
  email: string
  password: string
  again: string
}

/** Fails if the two passwords differ, in words for the person who typed them. */
export function agree(password: string, again: string): void {
  if (password !== again) throw new Error('The two passwords are not the same.')
}
