import { expect, test } from 'vitest'
import { excerpt, fieldName, mark, reasons, wordsOf } from './matches'

const shown = (text: string, q: string) =>
  mark(text, wordsOf(q))
    .map((piece) => (piece.marked ? `[${piece.text}]` : piece.text))
    .join('')

test('words of what was typed', () => {
  expect(wordsOf('Orders daily')).toEqual(['order', 'daily'])
  expect(wordsOf('fctUsers_created2')).toEqual(['fct', 'user', 'created', '2'])
  expect(wordsOf('*')).toEqual([])
  expect(wordsOf('tags:Engineering')).toEqual(['engineering'])
  expect(wordsOf('Zürich')).toEqual(['zurich'])
})

test('words of a structured query', () => {
  expect(wordsOf('/q revenue OR margin')).toEqual(['revenue', 'margin'])
  expect(wordsOf('/q orders NOT refund')).toEqual(['order'])
  expect(wordsOf('/q (revenue OR margin) -dashboard')).toEqual(['revenue', 'margin'])
  expect(wordsOf('/q description:margin owner:"Ada Wren"')).toEqual(['margin', 'ada', 'wren'])
  expect(wordsOf('/q -owners:*')).toEqual([])
})

test('what is marked', () => {
  expect(shown('order_id', 'orders')).toBe('[order]_id')
  expect(shown('stgOrders', 'orders')).toBe('stg[Orders]')
  expect(shown('One row per order with its revenue.', 'order reven')).toBe('One row per [order] with its [revenue].')
  expect(shown('reorder', 'order')).toBe('reorder')
  expect(shown('categories', 'category')).toBe('[categories]')
  expect(shown('Zürich', 'zurich')).toBe('[Zürich]')
  expect(shown('orders', '')).toBe('orders')
  expect(shown('', 'orders')).toBe('')
})

test('markup is text like any other', () => {
  expect(shown('<b>orders</b>', 'orders')).toBe('<b>[orders]</b>')
})

test('a long text is cut around the first mark', () => {
  const text = excerpt(mark(`${'before '.repeat(50)}orders ${'after '.repeat(100)}`, ['order']))
    .map((piece) => piece.text)
    .join('')
  expect(text).toMatch(/^….*before orders after .*…$/)
  expect(text.length).toBeLessThan(200)
})

test('the reasons, the most telling first', () => {
  const matched = [
    { name: 'urn', value: 'urn:li:dataset:orders' },
    { name: 'id', value: 'analytics.marts.orders' },
    { name: 'glossaryTerms', value: 'urn:li:glossaryTerm:nr' },
    { name: 'description', value: 'One row per order.' },
    { name: 'fieldPaths', value: 'order_id' },
    { name: 'name', value: 'orders' },
    { name: 'editedDescription', value: 'One row per order.' },
  ]
  const found = reasons(matched, ['order'], (urn) => (urn.endsWith(':nr') ? 'Net revenue' : undefined), { name: 'orders', description: 'One row per order.' })
  expect(found.map((match) => [match.field, match.pieces.map((piece) => piece.text).join('')])).toEqual([
    ['Name', ''],
    ['Column', 'order_id'],
    ['Description', ''],
    ['Term', 'Net revenue'],
  ])
})

test('a description that is not the one shown is quoted', () => {
  const found = reasons([{ name: 'description', value: 'As ingested: orders.' }], ['order'], () => undefined, { name: 'x', description: 'Edited.' })
  expect(found[0]?.pieces.map((piece) => piece.text)).toEqual(['As ingested: ', 'orders', '.'])
})

test('the URN is named only if nothing else says why', () => {
  const urn = { name: 'urn', value: 'urn:li:tag:x_y' }
  const shown = { name: 'Other', description: '' }
  expect(reasons([urn], ['y'], () => undefined, shown)[0]?.field).toBe('URN')
  expect(reasons([urn, { name: 'name', value: 'Other' }], ['y'], () => undefined, shown).map((match) => match.field)).toEqual(['Name'])
})

test('fields in plain words', () => {
  expect(['fieldPaths', 'editedFieldTags', 'someNewField', 'constructor'].map(fieldName)).toEqual(['Column', 'Tag of a column', 'Some new field', 'Constructor'])
})
