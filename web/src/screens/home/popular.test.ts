import { expect, test } from 'vitest'
import { popularOf } from './popular'

test('what was viewed and searched for most is told apart by module', () => {
  const module = (moduleId: string, value: string, count: number) => ({ moduleId, content: [{ value, params: { contentParams: { count } } }] })
  expect(popularOf([module('HighUsageEntities', 'urn:li:tag:a', 3), module('Platforms', 'x', 9), module('MostSearchedQueries', 'revenue', 2)])).toEqual({
    viewed: [{ value: 'urn:li:tag:a', count: 3 }],
    searched: [{ value: 'revenue', count: 2 }],
  })
  expect(popularOf([])).toEqual({ viewed: [], searched: [] })
  expect(popularOf([{ moduleId: 'HighUsageEntities', content: [{ value: 'urn:li:tag:a', params: null }] }]).viewed).toEqual([{ value: 'urn:li:tag:a', count: 0 }])
})
