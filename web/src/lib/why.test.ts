import { expect, test } from 'vitest'
import { explained, urnsOf } from './why'

const nothing = { allowed: false, enforced: true, sentence: 'ned may not use X. No policy allows it.', privilege: null, policyUrn: null, policyName: null, effect: null, because: null, becauseOf: null, near: [] }
const nameOf = (urn: string) => urn.split(':').pop() ?? urn

test('a policy that denies, allows, or is missing is told in words', () => {
  const denied = { ...nothing, privilege: 'EDIT_ENTITY_TAGS', policyUrn: 'urn:li:dataHubPolicy:f', policyName: 'Freeze', effect: 'DENY' as const, because: 'everybody' }
  expect(explained(denied, nameOf, true)).toMatchObject({ policy: { name: 'Freeze' }, verdict: 'denies “Edit tags” to everybody, whatever other policies allow.' })
  const allowed = { ...denied, allowed: true, effect: 'ALLOW' as const, because: 'role', becauseOf: 'urn:li:dataHubRole:Editor' }
  expect(explained(allowed, nameOf, true)).toMatchObject({ verdict: 'allows “Edit tags” to the role Editor.', ask: '' })
  expect(explained({ ...allowed, because: 'owner', becauseOf: 'urn:li:corpGroup:a' }, nameOf, false).verdict).toBe('allows “Edit tags” to owners, such as a.')
  expect(explained(nothing, nameOf, true)).toMatchObject({ policy: undefined, verdict: 'No policy allows it.', ask: 'Somebody who manages policies can change that.' })
  expect(explained({ ...nothing, sentence: 'ned may not use X. The user is suspended.' }, nameOf, false)).toMatchObject({ verdict: 'The user is suspended.', ask: '' })
})

test('policies that would allow it have names instead of URNs', () => {
  const near = [
    { policyUrn: 'urn:li:dataHubPolicy:e', policyName: 'Editors', privilege: 'X', lacks: ['it concerns urn:li:dataHubRole:Editor or urn:li:corpuser:ada', 'DOMAIN must be urn:li:domain:sales, and is nothing'] },
    { policyUrn: 'urn:li:dataHubPolicy:o', policyName: 'Owners', privilege: 'X', lacks: ['it does not concern the actor'] },
  ]
  const e = { ...nothing, near }
  expect(urnsOf(e)).toEqual(['urn:li:dataHubRole:Editor', 'urn:li:corpuser:ada', 'urn:li:domain:sales'])
  expect(explained(e, nameOf, true).near.map((one) => one.lacks)).toEqual(['it concerns Editor or ada, and DOMAIN must be sales, and is nothing', 'it does not concern you'])
  expect(explained(e, nameOf, false).near[1]?.lacks).toBe('it does not concern this person')
})
