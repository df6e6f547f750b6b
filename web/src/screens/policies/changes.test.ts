import { expect, test } from 'vitest'
import { changesOf } from './changes'

const version = (written: number, value: object | null) => ({ written, value: value && JSON.stringify(value), actor: null })
const label = (name: string) => name.toLowerCase()

test('the changes of a policy in words, the newest first', () => {
  const info = [
    version(4, null),
    version(3, { displayName: 'B', state: 'INACTIVE', privileges: ['Y'], actors: { allUsers: true } }),
    version(2, { displayName: 'B', state: 'ACTIVE', privileges: ['X', 'Y'] }),
    version(1, { displayName: 'A', state: 'ACTIVE', privileges: ['X'], lastUpdatedTimestamp: 5 }),
  ]
  const rule = [version(3, { effect: 'DENY', state: 'ACTIVE', endsAt: 9 })]
  expect(changesOf(info, rule, label).map((one) => [one.at, one.words])).toEqual([
    [4, 'Removed'],
    [3, 'Took out “x”; made it deny; changed whom it concerns and the end'],
    [2, 'Added “y”; changed the name'],
    [1, 'Stored'],
  ])
  expect(changesOf([], [], label)).toEqual([])
})
