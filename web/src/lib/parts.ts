import { inWords } from './words'

// People's words for the parts of an entity that the catalog stores. Only the tab Raw shows the names of the model.

const parts: Record<string, string> = {
  editableDatasetProperties: 'description',
  editableSchemaMetadata: 'notes on columns',
  schemaMetadata: 'columns',
  upstreamLineage: 'lineage',
  dataJobInputOutput: 'inputs and outputs',
  globalTags: 'tags',
  glossaryTerms: 'terms',
  ownership: 'owners',
  institutionalMemory: 'links',
  domains: 'domain',
  status: 'status',
  assertionRunEvent: 'results',
  dataPlatformInstance: 'platform',
  datasetProfile: 'profile',
  datasetUsageStatistics: 'usage',
  viewProperties: 'definition',
  browsePaths: 'folder (old form)',
  browsePathsV2: 'folder',
  subTypes: 'subtype',
  container: 'container',
  dataProducts: 'data product',
  structuredProperties: 'custom properties',
  testResults: 'test results',
  incidentsSummary: 'incidents',
  siblings: 'siblings',
  forms: 'forms',
}

/** People's word for a part of an entity, such as columns for schemaMetadata and properties for datasetProperties. */
export function partOf(aspect: string): string {
  if (Object.hasOwn(parts, aspect)) return parts[aspect]!
  const editable = /^editable[A-Z][a-zA-Z]*(Properties|Info)$/.test(aspect)
  if (editable) return 'edited properties'
  return /^[a-zA-Z]+(Properties|Info)$/.test(aspect) ? 'properties' : inWords(aspect)
}

/** The name of a part for a list of several: with the name of the model where two would have the same. */
export function partNames(aspects: readonly string[]): Map<string, string> {
  const count = new Map<string, number>()
  for (const aspect of aspects) count.set(partOf(aspect), (count.get(partOf(aspect)) ?? 0) + 1)
  return new Map(aspects.map((aspect) => [aspect, capital(count.get(partOf(aspect))! > 1 ? inWords(aspect) : partOf(aspect))]))
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
