import { expect, test } from 'vitest'
import { withParams } from '../../lib/paths'
import { chosen, fromStart, inputOf, mostShown, paramOf, partsOf, readAddress, stepsOf, toggled, toParams, typeField, unfiltered } from './address'

const read = (text: string) => readAddress(new URLSearchParams(text))

test('an address and back', () => {
  const text = 'q=orders&in=columns&personal=true&type=dataset&type=chart&platform=urn%3Ali%3AdataPlatform%3As3&.type=LINE&sort=name&start=20&removed=true&path=%E2%90%9Fa'
  const asked = read(text)
  expect(asked).toEqual({
    q: 'orders',
    filters: [
      [typeField, ['dataset', 'chart']],
      ['platform', ['urn:li:dataPlatform:s3']],
      ['type', ['LINE']],
    ],
    sort: 'name',
    start: 20,
    removed: true,
    path: '␟a',
    columns: true,
    personal: true,
  })
  const again = withParams('/ui/search', { q: asked.q, ...toParams(asked) })
  expect(readAddress(new URL(again, 'http://x').searchParams)).toEqual(asked)
})

test('nothing, and nonsense', () => {
  const empty = { q: '', filters: [], sort: '', start: 0, removed: false, path: '', columns: false, personal: false }
  expect(read('')).toEqual(empty)
  expect(read('start=-5&sort=price&removed=yes&platform=&type=')).toEqual(empty)
  expect(read('start=1e99').start).toBe(0)
  expect(read('tags=a&tags=a').filters).toEqual([['tags', ['a']]])
})

test('fields that have the name of something else', () => {
  expect(['_entityType', 'type', 'path', 'platform', '.x'].map(paramOf)).toEqual(['type', '.type', '.path', 'platform', '..x'])
  expect(read('..x=1').filters).toEqual([['.x', ['1']]])
})

test('choosing a value goes back to the first page', () => {
  const asked = toggled(read('start=40&tags=a'), 'tags', 'b')
  expect(chosen(asked, 'tags')).toEqual(['a', 'b'])
  expect(asked.start).toBe(0)
  expect(toggled(toggled(asked, 'tags', 'a'), 'tags', 'b').filters).toEqual([])
  expect(unfiltered(read('q=x&tags=a&path=p&removed=true&start=20&sort=name'))).toEqual({ ...read('q=x&sort=name') })
})

test('what the server is asked', () => {
  expect(inputOf(read(''))).toEqual({ query: '*', start: 0, count: 100, searchFlags: { includeSoftDeleted: false, maxAggValues: 20, asTyped: true } })
  expect(inputOf(read('q=%20orders%20&tags=a&tags=b&sort=name-desc'))).toMatchObject({
    query: 'orders',
    orFilters: [{ and: [{ field: 'tags', values: ['a', 'b'] }] }],
    sortInput: { sortCriterion: { field: '_entityName', sortOrder: 'DESCENDING' } },
  })
})

test('a place is meant with what is below it', () => {
  const tags = { field: 'tags', values: ['a'] }
  expect(inputOf(read('path=␟x␟y&tags=a')).orFilters).toEqual([
    { and: [tags, { field: 'browsePathV2', values: ['␟x␟y'] }] },
    { and: [tags, { field: 'browsePathV2', values: ['␟x␟y␟'], condition: 'START_WITH' }] },
  ])
  expect(stepsOf('␟x␟y')).toEqual(['x', 'y'])
})

test('how much is shown', () => {
  expect(read('q=x').shown).toBeUndefined()
  expect(partsOf(read('q=x&start=40'))).toEqual([40])
  const more = read('q=x&start=40&shown=250')
  expect([more.shown, partsOf(more)]).toEqual([300, [40, 140, 240]])
  expect(readAddress(new URL(withParams('/ui/search', { q: 'x', ...toParams(more) }), 'http://x').searchParams)).toEqual(more)
  expect(read('shown=1000').shown).toBe(mostShown)
  for (const nonsense of ['1001', '1e9', 'Infinity']) expect(partsOf(read(`shown=${nonsense}`)), nonsense).toHaveLength(mostShown / 100)
  for (const nonsense of ['-1', '0', 'x', '']) expect(partsOf(read(`shown=${nonsense}`)), nonsense).toEqual([0])
  expect(fromStart(more, 140)).toEqual(read('q=x&start=140'))
  expect(toggled(more, 'tags', 'a').shown).toBeUndefined()
  expect(paramOf('shown')).toBe('.shown')
  expect(inputOf(more, 240)).toMatchObject({ start: 240, count: 100 })
})
