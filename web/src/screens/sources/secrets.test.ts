import { expect, it } from 'vitest'
import { secretsIn, usesOf } from './secrets'

it('finds the secrets that a recipe names', () => {
  expect([...secretsIn('{"password":"${SHOP_PASSWORD}","url":"x${HOST:-localhost}y${SHOP_PASSWORD}","plain":"$NO ${5} ${A"}')]).toEqual(['SHOP_PASSWORD', 'HOST'])
})

it('knows the sources of each secret', () => {
  const shop = { urn: 'a', name: 'Shop', config: { recipe: '{"p":"${P}"}', extraArgs: [{ value: '${Q}' }] } }
  const mart = { urn: 'b', name: 'Mart', config: { recipe: '{"p":"${P}"}' } }
  const uses = usesOf([shop, mart, { urn: 'c', name: 'Other', config: null }])
  expect(uses.get('P')).toEqual([shop, mart])
  expect(uses.get('Q')).toEqual([shop])
  expect(uses.get('R')).toBeUndefined()
})
