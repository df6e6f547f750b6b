import { paths } from './paths'

/** Where a suggestion leads: to the entity, of a column to its place there. */
export function placeOf(suggestion: { kind: string; column?: string | null; entity: { urn: string } }): string {
  const { entity, column } = suggestion
  return column ? paths.entity(entity.urn, { tab: 'columns', column }) : paths.entity(entity.urn)
}
