import { readablePath } from '../../lib/columns'
import { unique } from '../../lib/unique'
import { columnType, tagsOf, termsOf, type Aspects, type Label, type Names } from './facts'
import { numeric, text, tree, trees, type Json, type Tree } from './json'

/** A column of a dataset, or a field that a chart or dashboard uses. */
export interface Column {
  /** The stored path, which edits and URNs of columns use. */
  path: string
  /** The path without the markers of types that paths of version 2 have. */
  readable: string
  /** The last part of the readable path. */
  name: string
  depth: number
  /** The readable path of the column that contains this column, '' at the top. */
  parent: string
  type: string
  nativeType: string
  key: boolean
  nullable: boolean
  partition: boolean
  /** The description that people wrote or, without one, the ingested description. */
  description: string
  ingestedDescription: string
  /** The tags that people added; only these can be removed here. */
  tags: Label[]
  terms: Label[]
  ingestedTags: Label[]
  ingestedTerms: Label[]
  /** For a field of a chart: the column of the dataset behind it. */
  source: string
  /** The text that the search looks at, in lower case. */
  searched: string
}

export interface Profile {
  nullShare: number | undefined
  nulls: number | undefined
  unique: number | undefined
  uniqueShare: number | undefined
  min: string
  max: string
  mean: string
  median: string
  samples: string[]
}

/** The columns of an entity, in their order in the schema. */
export function columnsOf(aspects: Aspects, names: Names): Column[] {
  const written = new Map(trees(aspects.editableSchemaMetadata?.editableSchemaFieldInfo).map((entry) => [text(entry.fieldPath), entry]))
  const schema = aspects.schemaMetadata
  const keys = new Set((Array.isArray(schema?.primaryKeys) ? schema.primaryKeys : []).map(text))
  const fields: [Tree, string][] = trees(schema?.fields).map((field) => [field, ''])
  if (fields.length === 0)
    for (const entry of trees(aspects.inputFields?.fields)) fields.push([tree(entry.schemaField), text(entry.schemaFieldUrn)])
  const columns = fields.filter(([field]) => text(field.fieldPath)).map(([field, source]) => column(field, source, keys, written, names))
  return withParents(unique(columns, ({ path }) => path))
}

function column(field: Tree, source: string, keys: ReadonlySet<string>, written: ReadonlyMap<string, Tree>, names: Names): Column {
  const path = text(field.fieldPath)
  const readable = readablePath(path)
  const edit = written.get(path) ?? {}
  const tags = tagsOf(edit.globalTags, names)
  const terms = termsOf(edit.glossaryTerms, names)
  const ingestedTags = without(tagsOf(field.globalTags, names), tags)
  const ingestedTerms = without(termsOf(field.glossaryTerms, names), terms)
  const ingestedDescription = text(field.description)
  const description = text(edit.description) || ingestedDescription
  const type = columnType(field.type)
  const nativeType = text(field.nativeDataType)
  const labels = [...tags, ...terms, ...ingestedTags, ...ingestedTerms].map((label) => label.entity.name)
  return {
    path,
    readable,
    name: readable,
    depth: 0,
    parent: '',
    type,
    nativeType,
    key: field.isPartOfKey === true || keys.has(path) || path.startsWith('[version=2.0].[key=True]'),
    nullable: field.nullable === true,
    partition: field.isPartitioningKey === true,
    description,
    ingestedDescription,
    tags,
    terms,
    ingestedTags,
    ingestedTerms,
    source,
    searched: [readable, description, type, nativeType, ...labels].join('\n').toLowerCase(),
  }
}

function without(labels: Label[], others: Label[]): Label[] {
  const known = new Set(others.map((label) => label.entity.urn))
  return labels.filter((label) => !known.has(label.entity.urn))
}

// A column is within another if its path begins with the other's path; the longest such path counts.
function withParents(columns: Column[]): Column[] {
  const byPath = new Map(columns.map((one) => [one.readable, one]))
  for (const one of columns) {
    let dot = one.readable.lastIndexOf('.')
    while (dot > 0) {
      const parent = byPath.get(one.readable.slice(0, dot))
      if (parent && parent !== one) {
        one.parent = parent.readable
        one.name = one.readable.slice(dot + 1)
        one.depth = parent.depth + 1
        break
      }
      dot = one.readable.lastIndexOf('.', dot - 1)
    }
  }
  return columns
}

/** The columns in which all words occur. The columns that contain a match are kept, for the indentation. */
export function matching(columns: readonly Column[], query: string): Column[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return [...columns]
  const byPath = new Map(columns.map((one) => [one.readable, one]))
  const kept = new Set<Column>()
  for (const one of columns) {
    if (!wanted.every((word) => one.searched.includes(word))) continue
    let at: Column | undefined = one
    while (at && !kept.has(at)) {
      kept.add(at)
      at = at.parent ? byPath.get(at.parent) : undefined
    }
  }
  return columns.filter((one) => kept.has(one))
}

/** The visible columns: columns within folded ones are left out. */
export function unfolded(columns: readonly Column[], folded: ReadonlySet<string>): Column[] {
  if (folded.size === 0) return [...columns]
  const hidden = new Set<string>()
  return columns.filter((one) => {
    if (one.parent && (folded.has(one.parent) || hidden.has(one.parent))) {
      hidden.add(one.readable)
      return false
    }
    return true
  })
}

/** The profiles of the columns in a value of datasetProfile, by path. */
export function profiles(value: Json): Map<string, Profile> {
  const found = new Map<string, Profile>()
  const rows = numeric(tree(value).rowCount)
  for (const entry of trees(tree(value).fieldProfiles)) {
    const nulls = numeric(entry.nullCount)
    const unique = numeric(entry.uniqueCount)
    found.set(text(entry.fieldPath), {
      nulls,
      nullShare: numeric(entry.nullProportion) ?? (nulls !== undefined && rows ? nulls / rows : undefined),
      unique,
      uniqueShare: numeric(entry.uniqueProportion) ?? (unique !== undefined && rows ? unique / rows : undefined),
      min: text(entry.min),
      max: text(entry.max),
      mean: text(entry.mean),
      median: text(entry.median),
      samples: Array.isArray(entry.sampleValues) ? entry.sampleValues.map(text).filter(Boolean) : [],
    })
  }
  return found
}

/** A share such as 0.0123 as "1.2 %". */
export function percent(share: number): string {
  const of = share * 100
  if (of === 0 || of === 100) return `${of} %`
  if (of < 0.1) return '< 0.1 %'
  if (of > 99.9) return '> 99.9 %'
  return `${of.toFixed(of < 10 ? 1 : 0)} %`
}
