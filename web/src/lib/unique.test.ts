import { expect, test } from 'vitest'
import { unique } from './unique'

test('the first of each key is kept, in the order of the list', () => {
  const list = [{ k: 'b', n: 1 }, { k: 'a', n: 2 }, { k: 'b', n: 3 }]
  expect(unique(list, ({ k }) => k)).toEqual([{ k: 'b', n: 1 }, { k: 'a', n: 2 }])
})
