// Entities of the sample catalog (docs/sample.md).

export const dataset = (platform: string, name: string) => `urn:li:dataset:(urn:li:dataPlatform:${platform},${name},PROD)`
export const mart = (name: string) => dataset('snowflake', `analytics.marts.${name}`)
export const column = (of: string, path: string) => `urn:li:schemaField:(${of},${path})`
export const user = (name: string) => `urn:li:corpuser:${name}`

export const orders = mart('orders')
export const customers = mart('customers')
export const refundRate = mart('refund_rate')
export const removedEmployees = dataset('snowflake', 'analytics.raw.employees')
export const board = 'urn:li:dashboard:(looker,board)'

/** One entity of each type that the sample has, with the name that people see. */
export const oneOfEach: { type: string; urn: string; name: string }[] = [
  { type: 'dataset', urn: orders, name: 'orders' },
  { type: 'schemaField', urn: column(orders, 'net_revenue'), name: 'net_revenue' },
  { type: 'dataJob', urn: 'urn:li:dataJob:(urn:li:dataFlow:(airflow,build_marts,prod),build_orders)', name: 'build_orders' },
  { type: 'dataFlow', urn: 'urn:li:dataFlow:(airflow,build_marts,prod)', name: 'build_marts' },
  { type: 'chart', urn: 'urn:li:chart:(looker,net_revenue)', name: 'Net revenue by month' },
  { type: 'dashboard', urn: board, name: 'Board overview' },
  { type: 'container', urn: 'urn:li:container:larkspur-marts', name: 'marts' },
  { type: 'corpuser', urn: user('bela.norris'), name: 'Bela Norris' },
  { type: 'corpGroup', urn: 'urn:li:corpGroup:data-platform', name: 'Data Platform' },
  { type: 'domain', urn: 'urn:li:domain:finance', name: 'Finance' },
  { type: 'dataProduct', urn: 'urn:li:dataProduct:revenue', name: 'Revenue' },
  { type: 'tag', urn: 'urn:li:tag:PII', name: 'PII' },
  { type: 'glossaryTerm', urn: 'urn:li:glossaryTerm:NetRevenue', name: 'NetRevenue' },
  { type: 'glossaryNode', urn: 'urn:li:glossaryNode:Money', name: 'Money' },
  { type: 'mlModel', urn: 'urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn_v2,PROD)', name: 'churn_v2' },
  { type: 'mlModelGroup', urn: 'urn:li:mlModelGroup:(urn:li:dataPlatform:mlflow,churn,PROD)', name: 'churn' },
  { type: 'mlFeatureTable', urn: 'urn:li:mlFeatureTable:(urn:li:dataPlatform:feast,churn)', name: 'churn' },
  { type: 'mlFeature', urn: 'urn:li:mlFeature:(churn,visits)', name: 'visits' },
  { type: 'mlPrimaryKey', urn: 'urn:li:mlPrimaryKey:(churn,customer_id)', name: 'customer_id' },
  { type: 'assertion', urn: 'urn:li:assertion:larkspur-not-empty-orders', name: 'row_count orders > 0' },
  { type: 'query', urn: 'urn:li:query:larkspur-close', name: 'Figures of the close' },
  { type: 'dataPlatform', urn: 'urn:li:dataPlatform:snowflake', name: 'Snowflake' },
]

// The addresses of the page, written independently of the page's own code, so that a mistake there makes the
// tests fail.
const part = encodeURIComponent
const screen = (name: string) => (urn: string, params: Record<string, string> = {}) => {
  const query = new URLSearchParams(params).toString()
  return `/ui/${name}/${part(urn)}${query ? `?${query}` : ''}`
}
export const at = {
  entity: screen('entity'),
  lineage: screen('lineage'),
  impact: screen('impact'),
  time: screen('time'),
  run: (id: string) => `/ui/runs/${part(id)}`,
}
