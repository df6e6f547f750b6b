import { expect, test } from 'vitest'
import { privilegeLabel } from './privileges'
import { reasonOf } from './refusal'

test('a reason names the privilege in words', () => {
  expect(reasonOf({ deed: 'edit the tags', privileges: ['EDIT_ENTITY_TAGS', 'EDIT_ENTITY'] })).toBe('You may not edit the tags: that needs the privilege “Edit tags”.')
  expect(reasonOf({ deed: 'do that', privileges: [] })).toBe('You may not do that.')
})

test('privileges without a name of their own are told apart all the same', () => {
  expect(privilegeLabel('EDIT_TAG_COLOR')).toBe('Edit tag color')
  expect(privilegeLabel('SET_WRITEABLE_PRIVILEGE')).toBe('Set writeable')
})
