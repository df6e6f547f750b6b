import { expect, test } from 'vitest'
import { plainText } from './plain'

test('markdown as a line', () => {
  expect(plainText('# Orders\n\nOne row per **order**.\n\n- see [docs](https://x.org)\n- `id`')).toBe('Orders One row per order. see docs id')
  expect(plainText('```sql\nselect 1\n```')).toBe('select 1')
  expect(plainText('')).toBe('')
})

test('markup stays text, and a long text is cut', () => {
  expect(plainText('<script>alert(1)</script>')).toBe('<script>alert(1)</script>')
  expect(plainText('x'.repeat(5000), 10)).toBe('xxxxxxxxxx…')
})
