import { expect, test } from 'vitest'
import { draftOf, emptyDraft, inputOf, levelsOf, missing, notEditable } from './draft'
import { aboutOf, criteriaOf, listed, sentenceOf, stateOf, wordsOf, type Policy } from './policy'

const nameOf = (urn: string) => urn.split(':').pop() ?? urn
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
const words = wordsOf({
  enabled: true,
  platformPrivileges: [{ type: 'MANAGE_POLICIES', displayName: 'Manage policies', description: '' }],
  resourcePrivileges: [
    { resourceType: 'dataset', resourceTypeDisplayName: 'Datasets', privileges: [{ type: 'EDIT_ENTITY_TAGS', displayName: 'Edit tags', description: '' }] },
    { resourceType: 'all', resourceTypeDisplayName: 'Everything', privileges: [{ type: 'EDIT_ENTITY_TAGS', displayName: 'Edit tags', description: '' }, { type: 'EDIT_ENTITY', displayName: 'Edit everything', description: '' }] },
  ],
})

const plain: Policy = {
  urn: 'urn:li:dataHubPolicy:p', type: 'METADATA', name: 'P', state: 'ACTIVE', effect: 'ALLOW', endsAt: null, description: null, editable: true, privileges: ['EDIT_ENTITY_TAGS'],
  actors: { users: null, groups: null, roles: ['urn:li:dataHubRole:Editor'], resourceOwners: false, resourceOwnersTypes: null, allUsers: false, allGroups: false }, resources: null,
}
const filter = (...criteria: { field: string; condition: 'EQUALS' | 'NOT_EQUALS' | 'STARTS_WITH'; values: string[] }[]): Policy['resources'] => ({
  type: null, resources: null, allResources: false, privilegeConstraints: null, filter: { criteria: criteria.map((one) => ({ ...one, values: one.values.map((value) => ({ value })) })) },
})
const everybody = { ...plain.actors, roles: null, allUsers: true }

test.each<[string, Partial<Policy>]>([
  ['The role Editor may edit tags on everything.', {}],
  ['Nobody may do anything on everything, until 2027-01-31.', { effect: 'DENY', privileges: ['*'], actors: everybody, endsAt: Date.UTC(2027, 0, 31) }],
  ['The group g and ada may not edit tags on datasets in the domain sales or hr.', {
    effect: 'DENY', actors: { ...plain.actors, roles: null, users: ['urn:li:corpuser:ada'], groups: ['urn:li:corpGroup:g'] },
    resources: filter({ field: 'TYPE', condition: 'EQUALS', values: ['dataset'] }, { field: 'DOMAIN', condition: 'EQUALS', values: ['urn:li:domain:sales', 'urn:li:domain:hr'] }),
  }],
  ['Owners of the type business may edit tags on everything without the tag PII.', {
    actors: { ...plain.actors, roles: null, resourceOwners: true, resourceOwnersTypes: ['urn:li:ownershipType:business'] }, resources: filter({ field: 'TAG', condition: 'NOT_EQUALS', values: ['urn:li:tag:PII'] }),
  }],
  ['Everybody may edit tags on everything whose URN begins with “urn:li:dataset:(urn:li:dataPlatform:hive”.', { actors: everybody, resources: filter({ field: 'URN', condition: 'STARTS_WITH', values: ['urn:li:dataset:(urn:li:dataPlatform:hive'] }) }],
  ['Everybody may manage policies.', { type: 'PLATFORM', privileges: ['MANAGE_POLICIES'], actors: everybody, resources: filter({ field: 'TYPE', condition: 'EQUALS', values: ['dataset'] }) }],
  ['It names no privileges, for nobody.', { privileges: [], actors: { ...plain.actors, roles: null } }],
])('%s', (sentence, changes) => {
  expect(sentenceOf({ ...plain, ...changes }, nameOf, words, dayOf)).toBe(sentence)
})

test('the older form of resources is the same conditions', () => {
  const older: Policy['resources'] = { type: 'dataset', resources: ['urn:li:dataset:x'], allResources: false, filter: null, privilegeConstraints: null }
  expect(criteriaOf({ resources: older }).map((one) => one.field)).toEqual(['TYPE', 'URN'])
  expect(criteriaOf({ resources: { ...older!, allResources: true } }).map((one) => one.field)).toEqual(['TYPE'])
  expect(criteriaOf({ resources: filter({ field: 'resource_urn', condition: 'EQUALS', values: ['a'] }) })[0]?.field).toBe('URN')
  expect(aboutOf({ ...plain, resources: older }, nameOf, words)).toBe('x of the type dataset')
})

test('a long list names a few and counts the others', () => {
  expect([listed([]), listed(['a']), listed(['a', 'b'], 'or'), listed(['a', 'b', 'c', 'd']), listed(['a', 'b', 'c', 'd', 'e'])]).toEqual(['', 'a', 'a or b', 'a, b, c and d', 'a, b, c and 2 more'])
})

test('the state that counts', () => {
  expect([stateOf(plain, 5), stateOf({ ...plain, endsAt: 5 }, 5), stateOf({ ...plain, endsAt: 6 }, 5), stateOf({ ...plain, state: 'INACTIVE' }, 5), stateOf({ ...plain, state: 'DRAFT' }, 5)]).toEqual(['active', 'ended', 'active', 'inactive', 'draft'])
})

test('the form loses nothing that it does not show', () => {
  expect(notEditable(plain)).toBe('')
  expect(notEditable({ ...plain, editable: false })).toContain('belongs to the server')
  expect(notEditable({ ...plain, resources: filter({ field: 'COLOUR', condition: 'EQUALS', values: ['red'] }) })).toContain('COLOUR')
  expect(notEditable({ ...plain, actors: { ...plain.actors, resourceOwners: true, resourceOwnersTypes: [] } })).toContain('types of ownership')
  const whole: Policy = {
    ...plain, description: 'd', effect: 'DENY', endsAt: Date.UTC(2027, 0, 31), privileges: ['EDIT_ENTITY_TAGS', 'SEARCH_PRIVILEGE'],
    actors: { users: ['urn:li:corpuser:a'], groups: ['urn:li:corpGroup:g'], roles: ['urn:li:dataHubRole:R'], resourceOwners: true, resourceOwnersTypes: ['urn:li:ownershipType:b'], allUsers: false, allGroups: true },
    resources: filter({ field: 'CONTAINER', condition: 'NOT_EQUALS', values: ['urn:li:container:c'] }),
  }
  const input = inputOf(draftOf(whole, String), whole, Number)
  expect(input).toEqual({
    type: 'METADATA', name: 'P', description: 'd', state: 'ACTIVE', effect: 'DENY', endsAt: whole.endsAt, privileges: whole.privileges, actors: whole.actors,
    resources: { allResources: false, filter: { criteria: [{ field: 'CONTAINER', condition: 'NOT_EQUALS', values: ['urn:li:container:c'] }] } },
  })
  expect(inputOf(draftOf(plain, String), plain, Number).resources).toBeNull()
  // The field of the end shows no seconds.
  const ending = { ...plain, endsAt: 180_999 }
  expect(inputOf(draftOf(ending, () => '180000'), ending, Number).endsAt).toBe(180_999)
  expect(inputOf({ ...draftOf(ending, () => '180000'), ends: '240000' }, ending, Number).endsAt).toBe(240_000)
  expect(inputOf({ ...draftOf(ending, () => '180000'), ends: '' }, ending, Number).endsAt).toBe(0)
  // Members that a policy about the server ignores are kept too.
  const server: Policy = { ...whole, type: 'PLATFORM' }
  expect(inputOf(draftOf(server, String), server, Number)).toMatchObject({ actors: whole.actors, resources: { filter: { criteria: [{ field: 'CONTAINER' }] } } })
  // A policy about all entities does not become one about the server too.
  expect(inputOf(draftOf({ ...plain, resources: filter() }, String), { ...plain, resources: filter() }, Number).resources).toEqual({ allResources: true, filter: { criteria: [] } })
})

test('a draft says what is missing; a denial of everything names nothing else', () => {
  const draft = emptyDraft()
  expect(missing(draft)).toContain('name')
  draft.name = ' N '
  expect(missing(draft)).toContain('privilege')
  draft.privileges = ['*', 'EDIT_ENTITY']
  expect(missing(draft)).toContain('concerns')
  draft.everybody = true
  draft.criteria = [{ field: 'TAG', condition: 'EQUALS', values: [] }]
  expect(missing(draft)).toContain('value')
  draft.criteria = []
  expect(missing(draft)).toBe('')
  expect(inputOf(draft, undefined, Number).privileges).toEqual(['EDIT_ENTITY'])
  expect(inputOf({ ...draft, effect: 'DENY' }, undefined, Number)).toMatchObject({ name: 'N', privileges: ['*'], endsAt: 0, actors: { roles: [], users: null } })
  expect(inputOf({ ...draft, type: 'PLATFORM', owners: true }, undefined, Number)).toMatchObject({ resources: null, actors: { resourceOwners: false } })
})

test('privileges are told by level; those that no list has stay', () => {
  expect(levelsOf('METADATA', words, ['SEARCH_PRIVILEGE', '*']).map((level) => [level.title, level.privileges.map((one) => one.name)])).toEqual([
    ['Describe', ['EDIT_ENTITY_TAGS']],
    ['Create, change everything, delete', ['EDIT_ENTITY']],
    ['Others that the policy has', ['SEARCH_PRIVILEGE']],
  ])
})
