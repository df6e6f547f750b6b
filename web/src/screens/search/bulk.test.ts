import { expect, test } from 'vitest'
import { actions, sorted, summary, undoOf, whereOf, type Outcome } from './bulk'

const one = (name: string, changed: boolean, refused: string | null, made: Outcome['made'] = changed ? [{ aspect: 'globalTags', number: 2 }] : []): Outcome => ({
  entity: { urn: `urn:li:tag:${name}`, type: 'tag', name, platformName: null },
  changed,
  refused,
  made,
})

test('a preview tells what changes, what is so already and what is refused', () => {
  expect(summary(sorted([one('a', true, null), one('b', true, null), one('c', false, null), one('d', false, 'not you')]))).toBe('2 entities would change; 1 is so already; 1 cannot be changed')
  expect(summary(sorted([one('c', false, null), one('e', false, null)]))).toBe('Nothing would change; 2 are so already')
  expect(summary(sorted([one('a', true, null)]))).toBe('1 entity would change')
})

test('one undo takes back everything that was made, or is not offered', () => {
  expect(undoOf([one('a', true, null), one('c', false, null), one('d', false, 'no')])).toEqual([{ urn: 'urn:li:tag:a', aspect: 'globalTags', made: 2 }])
  expect(undoOf([one('a', true, null), one('b', true, null, [])])).toBeUndefined()
})

test.each([
  ['add-owner', { addOwners: [{ ownerUrn: 'u', ownerEntityType: 'CORP_GROUP', ownershipTypeUrn: 'urn:li:ownershipType:__system__technical_owner' }] }],
  ['no-domain', { domain: '' }],
  ['deprecate', { deprecation: { deprecated: true, note: 'u' } }],
  ['remove-tag', { removeTags: ['u'] }],
])('%s asks the server for the right change', (id, input) => {
  expect(actions.find((action) => action.id === id)?.input('u', 'corpGroup')).toEqual(input)
})

test('entities of the same name are told apart', () => {
  const urn = (platform: string, name: string) => `urn:li:dataset:(urn:li:dataPlatform:${platform},${name},PROD)`
  const at = (platform: string, path: string, name: string) => whereOf({ urn: urn(platform, path), type: 'dataset', name, platformName: platform })
  expect(at('snowflake', 'analytics.raw.refunds', 'refunds')).toBe('snowflake · analytics.raw.refunds')
  expect(at('postgres', 'refunds', 'refunds')).toBe('postgres')
  expect(whereOf({ urn: 'urn:li:tag:PII', type: 'tag', name: 'PII', platformName: null })).toBe('')
})
