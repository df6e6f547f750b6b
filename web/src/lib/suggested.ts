import { paths } from './paths'

/** The page of a suggestion: that of the entity or, for a column, the column's place there. */
export function placeOf(suggestion: { kind: string; column?: string | null; entity: { urn: string } }): string {
  const { entity, column } = suggestion
  return column ? paths.entity(entity.urn, { tab: 'columns', column }) : paths.entity(entity.urn)
}
