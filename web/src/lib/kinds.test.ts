import { expect, test } from 'vitest'
import entities from '../../../model/tables/entities.json'
import own from '../../../model/tables/own.json'
import { kindOf, knownTypes, typeLabel } from './kinds'

test('every type of the model has a name and a kind', () => {
  const names = new Set([...entities, ...own.entities].map((type) => type.name))
  expect([...knownTypes].sort()).toEqual([...names].sort())
})

test('names', () => {
  expect(typeLabel('dataset')).toBe('Dataset')
  expect(typeLabel('dataset', true)).toBe('Datasets')
  expect(typeLabel('corpuser', true)).toBe('People')
  expect(kindOf('dataJob')).toBe('job')
})

test('a type that is not known is shown in words', () => {
  expect(typeLabel('someNewType')).toBe('Some new type')
  expect(kindOf('someNewType')).toBe('place')
  expect(typeLabel('constructor')).toBe('Constructor')
})
