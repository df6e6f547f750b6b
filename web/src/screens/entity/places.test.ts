import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { editedAspects, hasAspect } from './places'

it('knows which types of the model can have what people edit', () => {
  const tables = new URL('../../../../model/tables/entities.json', import.meta.url)
  const entities = JSON.parse(readFileSync(tables, 'utf8')) as { name: string; aspects: string[] }[]
  expect(entities.length).toBeGreaterThan(50)
  for (const aspect of editedAspects)
    for (const entity of entities) expect([entity.name, aspect, hasAspect(entity.name, aspect)]).toEqual([entity.name, aspect, entity.aspects.includes(aspect)])
})
