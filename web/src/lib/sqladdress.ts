import { paths } from './paths'
import { keyOf, split, typeOf } from './urns'

/** A text of SQL, with the dialect and the defaults by which it is read. */
export interface SqlQuestion {
  sql: string
  dialect: string
  database: string
  schema: string
}

/** The address of the screen that tells what SQL reads, with a statement filled in. The SQL is behind the #, so that it is not sent to the server. */
export function sqlAddress({ sql, dialect, database, schema }: SqlQuestion): string {
  return `${paths.sql({ dialect, database, schema })}#${encodeURIComponent(sql)}`
}

/**
 * The dialect and defaults for SQL about a dataset: the dialect of its platform, and the database and schema in
 * its name.
 */
export function placeOf(dataset: string): Omit<SqlQuestion, 'sql'> | undefined {
  const [platform, name] = split(keyOf(dataset).slice(1, -1))
  if (typeOf(dataset) !== 'dataset' || !platform || !name) return undefined
  const parts = name.split('.')
  return { dialect: keyOf(platform), database: parts.slice(0, -2).join('.'), schema: parts.at(-2) ?? '' }
}
