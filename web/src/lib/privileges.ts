// The names of privileges for people. The privileges that controls need are listed here; the screens about
// policies read most others from the server, but the server lists no privileges of programs. A test compares
// this list with the server's.

const labels: Readonly<Record<string, string>> = {
  CREATE_DOMAINS: 'Create domains',
  CREATE_GROUPS: 'Create groups',
  CREATE_TAGS: 'Create tags',
  CREATE_USERS_AND_GROUPS: 'Create users and groups',
  DELETE_ENTITY: 'Delete',
  EDIT_DATASET_COL_DESCRIPTION: 'Edit descriptions of columns',
  EDIT_DATASET_COL_GLOSSARY_TERMS: 'Edit glossary terms of columns',
  EDIT_DATASET_COL_TAGS: 'Edit tags of columns',
  EDIT_DEPRECATION_PRIVILEGE: 'Edit deprecation',
  EDIT_DOMAINS_PRIVILEGE: 'Edit the domain',
  EDIT_ENTITY: 'Edit everything',
  EDIT_ENTITY_DOCS: 'Edit the description',
  EDIT_ENTITY_DOC_LINKS: 'Edit links',
  EDIT_ENTITY_GLOSSARY_TERMS: 'Edit glossary terms',
  EDIT_ENTITY_OWNERS: 'Edit owners',
  EDIT_ENTITY_STATUS: 'Edit the status',
  EDIT_ENTITY_TAGS: 'Edit tags',
  EDIT_GROUP_MEMBERS: 'Edit members',
  ES_EXPLAIN_QUERY_PRIVILEGE: 'Explain searches',
  GENERATE_PERSONAL_ACCESS_TOKENS: 'Make personal access tokens',
  GET_COUNTS_PRIVILEGE: 'Count entities',
  GET_ENTITY_PRIVILEGE: 'Read entities by API',
  GET_TIMELINE_PRIVILEGE: 'Read timelines',
  GET_TIMESERIES_ASPECT_PRIVILEGE: 'Read time series',
  MANAGE_ACCESS_TOKENS: 'Manage all access tokens',
  MANAGE_DOCUMENTS: 'Manage documents',
  MANAGE_DOMAINS: 'Manage domains',
  MANAGE_GLOBAL_VIEWS: 'Manage shared views',
  MANAGE_GLOSSARIES: 'Manage glossaries',
  MANAGE_INGESTION: 'Manage ingestion',
  MANAGE_POLICIES: 'Manage policies',
  MANAGE_SERVICE_ACCOUNTS: 'Manage service accounts',
  MANAGE_SYSTEM_OPERATIONS: 'Operate the server',
  MANAGE_TAGS: 'Manage tags',
  MANAGE_USER_CREDENTIALS: 'Manage credentials',
  MANAGE_USERS_AND_GROUPS: 'Manage users and groups',
  SEARCH_PRIVILEGE: 'Search by API',
  UPDATE_GROUPS: 'Change groups',
  UPDATE_USERS: 'Change users',
  VIEW_ENTITY_PAGE: 'See the entity',
}

export const labelledPrivileges: readonly string[] = Object.keys(labels)

/** The name of a privilege for people. */
export function privilegeLabel(name: string): string {
  const known = labels[name]
  if (known) return known
  const words = name.replace(/_PRIVILEGE$/, '').replaceAll('_', ' ').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
