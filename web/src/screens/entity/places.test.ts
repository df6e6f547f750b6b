import { expect, it } from 'vitest'
import entities from '../../../../model/tables/entities.json'
import { editedAspects, hasAspect } from './places'

it('knows which types of the model can have what people edit', () => {
  for (const aspect of editedAspects) {
    const can = entities.filter((entity) => entity.aspects.includes(aspect)).map((entity) => entity.name)
    expect(can.length).toBeGreaterThan(5)
    expect(entities.filter((entity) => hasAspect(entity.name, aspect)).map((entity) => entity.name)).toEqual(can)
  }
})
