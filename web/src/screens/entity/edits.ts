import { descriptionPlace, type Aspects, type Named } from './facts'
import { text, tree, trees, type Json, type Tree } from './json'

// Edits as functions from aspects to aspects: the page shows their results until the server has answered. An
// edit does not change aspects that contain its result already, so that it can be applied to a fresh answer
// too.

export interface Patch {
  apply(aspects: Aspects): Aspects
  /** The part that the edit changes, which an undo restores. */
  part(aspects: Aspects): Part | undefined
  /** Entities that the edit names and that the answer of the server may not know yet. */
  names?: Named[]
}

/** An aspect, or a part of it: as the server undoes it. */
export interface Part {
  aspect: string
  column?: string
  member?: string
  label?: string
}

const columnsAspect = 'editableSchemaMetadata'

function withAspect(aspects: Aspects, name: string, change: (value: Tree) => Tree): Aspects {
  return { ...aspects, [name]: change(aspects[name] ?? {}) }
}

export function describe(type: string, value: string): Patch {
  return {
    part(aspects) {
      const place = descriptionPlace(type, aspects)
      return place && { aspect: place.aspect, member: place.member }
    },
    apply(aspects) {
      const place = descriptionPlace(type, aspects)
      return place ? withAspect(aspects, place.aspect, (was) => ({ ...was, [place.member]: value })) : aspects
    },
  }
}

const lists = { tag: ['globalTags', 'tags', 'tag'], term: ['glossaryTerms', 'terms', 'urn'] } as const

function labelled(value: Json | undefined, kind: 'tag' | 'term', urn: string, add: boolean): Tree {
  const [, list, member] = lists[kind]
  const was = tree(value)
  const others = trees(was[list]).filter((entry) => text(entry[member]) !== urn)
  if (!add) return { ...was, [list]: others }
  return others.length < trees(was[list]).length ? was : { ...was, [list]: [...others, { [member]: urn }] }
}

/** Adds a tag or term to the entity or one of its columns, or removes it. */
export function label(kind: 'tag' | 'term', entity: Named, add: boolean, column?: string): Patch {
  const [aspect] = lists[kind]
  return {
    names: [entity],
    part: () => (column === undefined ? { aspect, label: entity.urn } : { aspect: columnsAspect, column, label: entity.urn }),
    apply(aspects) {
      if (column !== undefined) return onColumn(aspects, column, (entry) => ({ ...entry, [aspect]: labelled(entry[aspect], kind, entity.urn, add) }))
      return withAspect(aspects, aspect, (was) => labelled(was, kind, entity.urn, add))
    },
  }
}

export function describeColumn(column: string, value: string): Patch {
  return {
    part: () => ({ aspect: columnsAspect, column, member: 'description' }),
    apply: (aspects) => onColumn(aspects, column, (entry) => ({ ...entry, description: value })),
  }
}

function onColumn(aspects: Aspects, column: string, change: (entry: Tree) => Tree): Aspects {
  return withAspect(aspects, columnsAspect, (was) => {
    const entries = trees(was.editableSchemaFieldInfo)
    const known = entries.some((entry) => text(entry.fieldPath) === column)
    const changed = known
      ? entries.map((entry) => (text(entry.fieldPath) === column ? change(entry) : entry))
      : [...entries, change({ fieldPath: column })]
    return { ...was, editableSchemaFieldInfo: changed }
  })
}

const sameOwner = (entry: Tree, urn: string, typeUrn: string) => text(entry.owner) === urn && (typeUrn === '' || text(entry.typeUrn) === typeUrn)

export function addOwner(owner: Named, type: Named): Patch {
  return {
    names: [owner, type],
    part: () => ({ aspect: 'ownership', label: owner.urn }),
    apply: (aspects) =>
      withAspect(aspects, 'ownership', (was) => {
        const entries = trees(was.owners)
        if (entries.some((entry) => sameOwner(entry, owner.urn, type.urn))) return was
        return { ...was, owners: [...entries, { owner: owner.urn, type: 'CUSTOM', typeUrn: type.urn }] }
      }),
  }
}

export function removeOwner(owner: Named, typeUrn: string): Patch {
  return {
    part: () => ({ aspect: 'ownership', label: owner.urn }),
    apply: (aspects) => withAspect(aspects, 'ownership', (was) => ({ ...was, owners: trees(was.owners).filter((entry) => !sameOwner(entry, owner.urn, typeUrn)) })),
  }
}

export function setDomain(domain: Named | undefined): Patch {
  const patch: Patch = { part: () => ({ aspect: 'domains' }), apply: (aspects) => withAspect(aspects, 'domains', (was) => ({ ...was, domains: domain ? [domain.urn] : [] })) }
  return domain ? { ...patch, names: [domain] } : patch
}

export function addLink(url: string, linkLabel: string): Patch {
  return {
    part: () => ({ aspect: 'institutionalMemory' }),
    apply: (aspects) =>
      withAspect(aspects, 'institutionalMemory', (was) => {
        const elements = trees(was.elements)
        if (elements.some((entry) => text(entry.url) === url && text(entry.description) === linkLabel)) return was
        return { ...was, elements: [...elements, { url, description: linkLabel }] }
      }),
  }
}

export function removeLink(url: string): Patch {
  return {
    part: () => ({ aspect: 'institutionalMemory' }),
    apply: (aspects) => withAspect(aspects, 'institutionalMemory', (was) => ({ ...was, elements: trees(was.elements).filter((entry) => text(entry.url) !== url) })),
  }
}

export function deprecate(value: { deprecated: boolean; note: string; when: number | undefined }): Patch {
  return {
    part: () => ({ aspect: 'deprecation' }),
    apply: (aspects) =>
      withAspect(aspects, 'deprecation', (was) => ({ ...was, deprecated: value.deprecated, note: value.note, decommissionTime: value.when ?? null })),
  }
}

export function softDelete(deleted: boolean): Patch {
  return { part: () => ({ aspect: 'status' }), apply: (aspects) => withAspect(aspects, 'status', (was) => ({ ...was, removed: deleted })) }
}
