import { expect, test } from 'vitest'
import { csv } from './csv'

test('quotes what needs it', () => {
  expect(csv(['a', 'b'], [['x,y', 'he said "no"'], ['line\nbreak', null]])).toBe('a,b\r\n"x,y","he said ""no"""\r\n"line\nbreak",\r\n')
})

test('text that begins a formula is made harmless', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\t=1', '\r=1', '＝1+1', '＋1', '－1', ' ＠SUM(A1)']) {
    expect(csv([text], [])).toContain(`'${text}`)
  }
})

test('numbers and booleans stay what they are', () => {
  expect(csv(['n'], [[-1, true, undefined]])).toBe('n\r\n-1,true,\r\n')
})
