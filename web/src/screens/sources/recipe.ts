// Recipes, which say how a source is read: as an object, as the YAML that people write, and as the JSON that is stored.

import { CORE_SCHEMA, dump, load, YAMLException } from 'js-yaml'

export type Recipe = Record<string, unknown>

/** The most values of a recipe. */
const mostValues = 100_000

/** Reads YAML or JSON; an error says where it is wrong. */
export function parseRecipe(text: string): { recipe: Recipe } | { error: string } {
  let value: unknown
  try {
    value = text.trim() ? load(text, { schema: CORE_SCHEMA }) : undefined
  } catch (error) {
    return { error: error instanceof YAMLException && error.mark ? `${error.reason} at line ${error.mark.line + 1}, column ${error.mark.column + 1}` : error instanceof Error ? error.message : String(error) }
  }
  if (!isObject(value)) return { error: 'A recipe is an object with the member source.' }
  if (isLarge(value)) return { error: `A recipe has at most ${mostValues} values, those behind aliases counted each time.` }
  return { recipe: value }
}

// Aliases can make a small text very large, and an alias within its own anchor makes it endless. The text itself is read in time that
// its length bounds, because aliases are the same object.
function isLarge(recipe: Recipe): boolean {
  const left: unknown[] = [recipe]
  for (let count = 0; left.length; count++) {
    if (count + left.length > mostValues) return true
    const value = left.pop()
    if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) left.push(each)
  }
  return false
}

/** A recipe as YAML. */
export function written(recipe: Recipe): string {
  return dump(recipe, { lineWidth: -1, noRefs: true })
}

/** The stored form. */
export function stored(recipe: Recipe): string {
  return JSON.stringify(recipe)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The type of the source that a recipe reads. */
export function typeOfRecipe(recipe: Recipe): string {
  const source = recipe.source
  return isObject(source) && typeof source.type === 'string' ? source.type : ''
}

function configOf(recipe: Recipe): Record<string, unknown> {
  const source = recipe.source
  return isObject(source) && isObject(source.config) ? source.config : {}
}

/** The value of a setting of the source. */
export function settingOf(recipe: Recipe, path: string): unknown {
  let value: unknown = configOf(recipe)
  for (const name of path.split('.')) value = isObject(value) ? value[name] : undefined
  return value
}

/** The recipe with another value of a setting; undefined takes the setting out. Objects that become empty go with it. */
export function withSetting(recipe: Recipe, path: string, value: unknown): Recipe {
  const source = isObject(recipe.source) ? recipe.source : {}
  return { ...recipe, source: { ...source, config: put(configOf(recipe), path.split('.'), value) ?? {} } }
}

function put(object: Record<string, unknown>, [name = '', ...below]: string[], value: unknown): Record<string, unknown> | undefined {
  const inner = object[name]
  const next = below.length ? put(isObject(inner) ? inner : {}, below, value) : value
  const changed = { ...object }
  if (next === undefined) delete changed[name]
  else changed[name] = next
  return Object.keys(changed).length ? changed : undefined
}

/** The name of the secret that a text stands for: NAME of ${NAME}. */
export function secretIn(value: unknown): string | undefined {
  return typeof value === 'string' ? /^\$\{([A-Za-z_]\w*)\}$/.exec(value.trim())?.[1] : undefined
}

/** A name for the secret of a source: SHOP_PASSWORD. */
export function secretNameOf(source: string, path: string): string {
  const name = `${source}_${path}`
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase()
  return /^[A-Z_]/.test(name) ? name : `S_${name}`
}

const labels: Record<string, string> = {
  host_port: 'Host and port',
  connect_uri: 'Address',
  base_url: 'Address',
  sqlalchemy_uri: 'Address for SQLAlchemy',
  username: 'User',
  env: 'Environment',
  platform_instance: 'Instance, if there are several',
  schema_pattern: 'Schemas',
  table_pattern: 'Tables',
  view_pattern: 'Views',
  database_pattern: 'Databases',
  topic_patterns: 'Topics',
  'profiling.enabled': 'Read the data for profiles',
  'stateful_ingestion.enabled': 'Hide what the source no longer has',
  'connection.bootstrap': 'Bootstrap servers',
  'connection.schema_registry_url': 'Address of the schema registry',
}

/** The name of a setting as people read it: Host and port, Profiling: limit. */
export function labelOf(path: string): string {
  const known = labels[path]
  if (known) return known
  const parts = path.split('.').map((part) => part.replaceAll('_', ' ').replace(/\b(url|uri|id|sql|aws|api|ssl|iam)(s?)\b/gi, (_, word: string, many: string) => word.toUpperCase() + many))
  const text = parts.join(': ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Lines of a text, for settings that are lists of texts. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}
