// The types of the model as people know them: a kind, which decides colour and shape, and a name.

export type Kind = 'data' | 'job' | 'report' | 'person' | 'meaning' | 'place' | 'model'

type Row = [kind: Kind, one: string, many?: string]

const types: Record<string, Row> = {
  agentSkill: ['model', 'Agent skill'],
  aiAgent: ['model', 'AI agent'],
  api: ['data', 'API'],
  application: ['place', 'Application'],
  assertion: ['meaning', 'Assertion'],
  businessAttribute: ['meaning', 'Business attribute'],
  chart: ['report', 'Chart'],
  container: ['place', 'Container'],
  corpGroup: ['person', 'Group'],
  corpuser: ['person', 'Person', 'People'],
  dashboard: ['report', 'Dashboard'],
  dataContract: ['meaning', 'Data contract'],
  dataFlow: ['job', 'Pipeline'],
  dataHubAccessToken: ['place', 'Access token'],
  dataHubAction: ['job', 'Action'],
  dataHubConnection: ['place', 'Connection'],
  dataHubExecutionRequest: ['job', 'Execution request'],
  dataHubFile: ['data', 'File'],
  dataHubIngestionSource: ['job', 'Ingestion source'],
  dataHubOpenAPISchema: ['meaning', 'OpenAPI schema'],
  dataHubPageModule: ['place', 'Page module'],
  dataHubPageTemplate: ['place', 'Page template'],
  dataHubPersona: ['person', 'Persona'],
  dataHubPolicy: ['meaning', 'Policy', 'Policies'],
  dataHubRetention: ['meaning', 'Retention policy', 'Retention policies'],
  dataHubRole: ['person', 'Server role'],
  dataHubSecret: ['place', 'Secret'],
  dataHubStepState: ['place', 'Step state'],
  dataHubUpgrade: ['job', 'Upgrade'],
  dataHubView: ['place', 'View'],
  dataJob: ['job', 'Job'],
  dataPlatform: ['place', 'Platform'],
  dataPlatformInstance: ['place', 'Platform instance'],
  dataProcess: ['job', 'Process', 'Processes'],
  dataProcessInstance: ['job', 'Job run'],
  dataProduct: ['meaning', 'Data product'],
  dataType: ['meaning', 'Data type'],
  dataset: ['data', 'Dataset'],
  document: ['meaning', 'Document'],
  domain: ['meaning', 'Domain'],
  entityType: ['meaning', 'Entity type'],
  erModelRelationship: ['data', 'Table relationship'],
  form: ['meaning', 'Form'],
  globalSettings: ['place', 'Settings', 'Settings'],
  glossaryNode: ['meaning', 'Term group'],
  glossaryTerm: ['meaning', 'Glossary term'],
  incident: ['meaning', 'Incident'],
  inviteToken: ['place', 'Invite token'],
  lifecycleStageType: ['meaning', 'Lifecycle stage'],
  metric: ['report', 'Metric'],
  mlFeature: ['model', 'Feature'],
  mlFeatureTable: ['model', 'Feature table'],
  mlModel: ['model', 'ML model'],
  mlModelDeployment: ['model', 'Model deployment'],
  mlModelGroup: ['model', 'Model group'],
  mlPrimaryKey: ['model', 'Feature key'],
  notebook: ['report', 'Notebook'],
  ownershipType: ['meaning', 'Ownership type'],
  platformResource: ['place', 'Platform resource'],
  post: ['meaning', 'Post'],
  query: ['job', 'Query', 'Queries'],
  repository: ['place', 'Repository', 'Repositories'],
  role: ['person', 'Role'],
  schemaField: ['data', 'Column'],
  searchTemplate: ['place', 'Search template'],
  semanticModel: ['data', 'Semantic model'],
  service: ['place', 'Service'],
  structuredProperty: ['meaning', 'Structured property', 'Structured properties'],
  tag: ['meaning', 'Tag'],
  telemetry: ['place', 'Telemetry', 'Telemetry'],
  test: ['meaning', 'Metadata test'],
  versionSet: ['place', 'Version set'],
}

/** The types that have a name of their own here; a test compares them with the model. */
export const knownTypes: readonly string[] = Object.keys(types)

/** The kind of a type. Types that this page does not know are places. */
export function kindOf(type: string): Kind {
  return row(type)?.[0] ?? 'place'
}

/** The name of a type for people: Dataset; with many, Datasets. */
export function typeLabel(type: string, many = false): string {
  const [, one, plural] = row(type) ?? ['place', words(type)]
  return many ? (plural ?? `${one}s`) : one
}

function row(type: string): Row | undefined {
  return Object.hasOwn(types, type) ? types[type] : undefined
}

/** someNewType → Some new type. */
function words(type: string): string {
  const text = type.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}
