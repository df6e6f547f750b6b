// The details that a person enters to become a user.

export interface NewUser {
  fullName: string
  email: string
  password: string
  again: string
}

/** Says how long a new password must be. */
export function passwordHint(least: number): string {
  return `At least ${String(least)} characters.`
}

/** Fails if the two passwords differ, in words for the person who typed them. */
export function agree(password: string, again: string): void {
  if (password !== again) throw new Error('The two passwords are not the same.')
}
