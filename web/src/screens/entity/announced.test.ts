import { expect, test } from 'vitest'
import { expectedOf, sentenceOf, type AnnouncedChange } from './announced'

type Member = AnnouncedChange['changes'][number]
const member = (kind: string, more: Partial<Member> = {}): Member => ({ kind, datasets: [{ urn: 'a' }], column: null, newName: null, oldType: null, newType: null, arrivals: [], ...more })

test('the parts that are expected of a dataset', () => {
  const change = {
    changes: [member('columnDropped', { column: 'x' }), member('tableRemoved', { datasets: [{ urn: 'b' }] }), member('columnRenamed', { column: 'y', arrivals: [{ dataset: { urn: 'a' } }] })],
  } as unknown as AnnouncedChange
  expect(expectedOf(change, 'a').map((one) => one.kind)).toEqual(['columnDropped'])
  expect(expectedOf(change, 'b').map((one) => one.kind)).toEqual(['tableRemoved'])
})

test.each([
  [member('tableRemoved'), 'The table will be removed'],
  [member('columnDropped', { column: 'x' }), 'The column x will be dropped'],
  [member('columnRenamed', { column: 'x', newName: 'y' }), 'The column x will be renamed to y'],
  [member('columnRetyped', { column: 'x', newType: 'text' }), 'The type of x will be text'],
  [member('nullabilityChanged', { column: 'x' }), 'Whether x may be empty will change'],
  [member('lineageLost'), 'The lineage will be lost'],
  [member('meaningChanged', { column: 'x' }), 'The values of x will be computed in another way'],
  [member('rowsChanged'), 'The table will have other rows'],
  [member('somethingNew'), 'The table will change'],
])('%o', (one, sentence) => expect(sentenceOf(one)).toBe(sentence))
