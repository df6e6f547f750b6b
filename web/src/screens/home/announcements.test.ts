import { expect, test } from 'vitest'
import { concerning } from './announcements'

const post = (urn: string, about?: string) => ({
  urn,
  postType: about ? ('ENTITY_ANNOUNCEMENT' as const) : ('HOME_PAGE_ANNOUNCEMENT' as const),
  content: { title: urn, description: null, link: null },
  lastModified: { time: 1, actor: null },
  relationships: { relationships: about ? [{ entity: { urn: about } }] : [] },
})

test('an announcement concerns everybody, or whoever owns or follows what it is about', () => {
  const posts = [post('all'), post('mine', 'urn:li:dataset:a'), post('others', 'urn:li:dataset:b')]
  expect(concerning(posts as never, new Set(['urn:li:dataset:a'])).map(({ urn }) => urn)).toEqual(['all', 'mine'])
  expect(concerning(posts as never, new Set()).map(({ urn }) => urn)).toEqual(['all'])
})

test('an announcement about a column concerns whoever owns or follows its dataset', () => {
  const dataset = 'urn:li:dataset:(urn:li:dataPlatform:x,a,PROD)'
  const posts = [post('column', `urn:li:schemaField:(${dataset},id)`), post('other', 'urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:x,b,PROD),id)')]
  expect(concerning(posts as never, new Set([dataset])).map(({ urn }) => urn)).toEqual(['column'])
})

test('few are shown, and an announcement without what it is about is for nobody', () => {
  expect(concerning(Array.from({ length: 20 }, (_, i) => post(`${i}`)) as never, new Set()).length).toBe(5)
  const lost = { ...post('lost', 'x'), relationships: null }
  expect(concerning([lost] as never, new Set(['x']))).toEqual([])
})
