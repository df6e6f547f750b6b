// The types of the model as people know them: a kind, which decides colour and shape, and a name.

export type Kind = 'data' | 'job' | 'report' | 'person' | 'meaning' | 'place' | 'model'

type Row = readonly [kind: Kind, one: string, many: string]

const named = (kind: Kind, one: string, many = `${one}s`): Row => [kind, one, many]

const types: Record<string, Row> = {
  agentSkill: named('model', 'Agent skill'),
  aiAgent: named('model', 'AI agent'),
  announcedChange: named('meaning', 'Announced change'),
  api: named('data', 'API'),
  application: named('place', 'Application'),
  assertion: named('meaning', 'Assertion'),
  businessAttribute: named('meaning', 'Business attribute'),
  chart: named('report', 'Chart'),
  container: named('place', 'Container'),
  corpGroup: named('person', 'Group'),
  corpuser: named('person', 'Person', 'People'),
  dashboard: named('report', 'Dashboard'),
  dataContract: named('meaning', 'Data contract'),
  dataFlow: named('job', 'Pipeline'),
  dataHubAccessToken: named('place', 'Access token'),
  dataHubAction: named('job', 'Action'),
  dataHubConnection: named('place', 'Connection'),
  dataHubExecutionRequest: named('job', 'Execution request'),
  dataHubFile: named('data', 'File'),
  dataHubIngestionSource: named('job', 'Ingestion source'),
  dataHubOpenAPISchema: named('meaning', 'OpenAPI schema'),
  dataHubPageModule: named('place', 'Page module'),
  dataHubPageTemplate: named('place', 'Page template'),
  dataHubPersona: named('person', 'Persona'),
  dataHubPolicy: named('meaning', 'Policy', 'Policies'),
  dataHubRetention: named('meaning', 'Retention policy', 'Retention policies'),
  dataHubRole: named('person', 'Server role'),
  dataHubSecret: named('place', 'Secret'),
  dataHubStepState: named('place', 'Step state'),
  dataHubUpgrade: named('job', 'Upgrade'),
  dataHubView: named('place', 'View'),
  dataJob: named('job', 'Job'),
  dataPlatform: named('place', 'Platform'),
  dataPlatformInstance: named('place', 'Platform instance'),
  dataProcess: named('job', 'Process', 'Processes'),
  dataProcessInstance: named('job', 'Job run'),
  dataProduct: named('meaning', 'Data product'),
  dataType: named('meaning', 'Data type'),
  dataset: named('data', 'Dataset'),
  document: named('meaning', 'Document'),
  domain: named('meaning', 'Domain'),
  entityType: named('meaning', 'Entity type'),
  erModelRelationship: named('data', 'Table relationship'),
  form: named('meaning', 'Form'),
  globalSettings: named('place', 'Settings', 'Settings'),
  glossaryNode: named('meaning', 'Term group'),
  glossaryTerm: named('meaning', 'Glossary term'),
  incident: named('meaning', 'Incident'),
  inviteToken: named('place', 'Invite token'),
  lifecycleStageType: named('meaning', 'Lifecycle stage'),
  metric: named('report', 'Metric'),
  mlFeature: named('model', 'Feature'),
  mlFeatureTable: named('model', 'Feature table'),
  mlModel: named('model', 'ML model'),
  mlModelDeployment: named('model', 'Model deployment'),
  mlModelGroup: named('model', 'Model group'),
  mlPrimaryKey: named('model', 'Feature key'),
  notebook: named('report', 'Notebook'),
  ownershipType: named('meaning', 'Ownership type'),
  platformResource: named('place', 'Platform resource'),
  post: named('meaning', 'Post'),
  query: named('job', 'Query', 'Queries'),
  repository: named('place', 'Repository', 'Repositories'),
  role: named('person', 'Role'),
  schemaField: named('data', 'Column'),
  searchTemplate: named('place', 'Search template'),
  semanticModel: named('data', 'Semantic model'),
  service: named('place', 'Service'),
  structuredProperty: named('meaning', 'Structured property', 'Structured properties'),
  tag: named('meaning', 'Tag'),
  telemetry: named('place', 'Telemetry', 'Telemetry'),
  test: named('meaning', 'Metadata test'),
  versionSet: named('place', 'Version set'),
}

/** The types that have a name of their own here; a test compares them with the model. */
export const knownTypes: readonly string[] = Object.keys(types)

/** The kind of a type. Types that this page does not know are places. */
export function kindOf(type: string): Kind {
  return row(type)?.[0] ?? 'place'
}

/** The name of a type for people: Dataset; with many, Datasets. */
export function typeLabel(type: string, many = false): string {
  const [, one, plural] = row(type) ?? named('place', words(type))
  return many ? plural : one
}

function row(type: string): Row | undefined {
  return Object.hasOwn(types, type) ? types[type] : undefined
}

/** someNewType → Some new type. */
function words(type: string): string {
  const text = type.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}
