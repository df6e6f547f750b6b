import { expect, test } from 'vitest'
import { accepting, placeOf, unanswered, type SuggestedTag } from './suggested'

const tag = { urn: 'urn:li:tag:PII', type: 'tag', name: 'PII', platform: null, platformName: null, exists: true, removed: false }
const suggestion = (fieldPath: string | null): SuggestedTag => ({ fieldPath, tag, reason: 'r' })

test('the place is the readable name of the column, or the dataset', () => {
  expect(placeOf('[version=2.0].email', new Map([['[version=2.0].email', 'email']]))).toBe('the column email')
  expect(placeOf('gone', new Map())).toBe('the column gone')
  expect(placeOf(null, new Map())).toBe('this dataset')
})

test('a suggestion is accepted where it belongs', () => {
  expect(accepting('urn:d', suggestion('email'))).toEqual({ tagUrn: tag.urn, resourceUrn: 'urn:d', subResourceType: 'DATASET_FIELD', subResource: 'email' })
  expect(accepting('urn:d', suggestion(null))).toEqual({ tagUrn: tag.urn, resourceUrn: 'urn:d' })
})

test('what is tagged already is suggested no longer', () => {
  const all = [suggestion(null), suggestion('email'), suggestion('phone')]
  expect(unanswered(all, (column) => column === 'email').map((one) => one.fieldPath)).toEqual([null, 'phone'])
  expect(unanswered(all, (column) => column === undefined).map((one) => one.fieldPath)).toEqual(['email', 'phone'])
})
