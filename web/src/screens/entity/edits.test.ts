import { describe, expect, it } from 'vitest'
import { addLink, addOwner, deprecate, describe as describeEntity, describeColumn, label, removeLink, removeOwner, setDomain, softDelete, type Patch } from './edits'
import type { Aspects, Named } from './facts'

const tag: Named = { urn: 'urn:li:tag:X', type: 'tag', name: 'X' }
const term: Named = { urn: 'urn:li:glossaryTerm:T', type: 'glossaryTerm', name: 'T' }
const ada: Named = { urn: 'urn:li:corpuser:ada', type: 'corpuser', name: 'Ada' }
const steward: Named = { urn: 'urn:li:ownershipType:__system__data_steward', type: 'ownershipType', name: 'Data Steward' }

const start: Aspects = {
  globalTags: { tags: [{ tag: 'urn:li:tag:Old' }] },
  ownership: { owners: [{ owner: ada.urn, type: 'TECHNICAL_OWNER' }] },
  institutionalMemory: { elements: [{ url: 'https://a.example', description: 'a' }] },
  tagProperties: { name: 'x', description: 'old' },
}

// While an edit is under way, the server's answer may already contain it.
const all: [string, Patch][] = [
  ['tag', label('tag', tag, true)],
  ['no tag', label('tag', { ...tag, urn: 'urn:li:tag:Old' }, false)],
  ['term', label('term', term, true)],
  ['tag of a column', label('tag', tag, true, 'a')],
  ['description of a column', describeColumn('a', 'text')],
  ['description', describeEntity('dataset', 'text')],
  ['owner', addOwner(ada, steward)],
  ['no owner', removeOwner(ada, '')],
  ['domain', setDomain({ urn: 'urn:li:domain:d', type: 'domain', name: 'd' })],
  ['no domain', setDomain(undefined)],
  ['link', addLink('https://b.example', 'b')],
  ['no link', removeLink('https://a.example')],
  ['deprecation', deprecate({ deprecated: true, note: 'n', when: 5 })],
  ['soft delete', softDelete(true)],
]

describe('edits', () => {
  it.each(all)('%s changes the aspects once and leaves the former ones alone', (_, patch) => {
    const before = structuredClone(start)
    const once = patch.apply(start)
    expect(start).toEqual(before)
    expect(once).not.toEqual(start)
    expect(patch.apply(once)).toEqual(once)
  })
})

it('labels of columns are put where people edit them', () => {
  const once = label('term', term, true, 'a').apply({})
  expect(once).toEqual({ editableSchemaMetadata: { editableSchemaFieldInfo: [{ fieldPath: 'a', glossaryTerms: { terms: [{ urn: term.urn }] } }] } })
  expect(label('term', term, false, 'a').apply(once)).toEqual({ editableSchemaMetadata: { editableSchemaFieldInfo: [{ fieldPath: 'a', glossaryTerms: { terms: [] } }] } })
})

it('an owner is removed with one type of ownership, or with all', () => {
  const two = addOwner(ada, steward).apply(start)
  expect(removeOwner(ada, steward.urn).apply(two)).toEqual(start)
  expect(removeOwner(ada, '').apply(two).ownership).toEqual({ owners: [] })
})

it('a description is not shown where it cannot be saved', () => {
  expect(describeEntity('tag', 'new').apply({})).toEqual({})
  expect(describeEntity('tag', 'new').apply(start).tagProperties).toEqual({ name: 'x', description: 'new' })
})
