// The queries of the screens of sources, and the storing of the form of a source.

import { SourceCreateDocument, SourceFormDocument, SourceProblemsDocument, SourceSecretCreateDocument, SourceSecretUpdateDocument, SourceUpdateDocument, type SourceFormQuery, type SourcePageQuery, type SourceProblemsQuery } from '../../gql/graphql'
import { mutate, query } from '../../lib/graphql'
import { secretIn, secretNameOf, settingOf, stored, typeOfRecipe, withSetting, type Recipe } from './recipe'
import { storedOf, type Schedule } from './schedule'

export type Form = NonNullable<SourceFormQuery['ingestionForm']>
export type Setting = Form['settings'][number]
export type Problem = SourceProblemsQuery['ingestionRecipeProblems'][number]
export type Source = NonNullable<SourcePageQuery['ingestionSource']>

/** Reads the settings of a type; undefined if the type has no form. */
export async function readForm(type: string, signal: AbortSignal): Promise<Form | undefined> {
  return type ? ((await query(SourceFormDocument, { type }, signal)).ingestionForm ?? undefined) : undefined
}

export async function readProblems(recipe: Recipe, signal: AbortSignal): Promise<readonly Problem[]> {
  return (await query(SourceProblemsDocument, { recipe: stored(recipe) }, signal)).ingestionRecipeProblems
}

/** The content of the form of a source. */
export interface Draft {
  name: string
  recipe: Recipe
  schedule: Schedule
  /** The typed values of secrets by the path of their setting. They are stored as secrets of the server. */
  secrets: Record<string, string>
  version: string
  executorId: string
  debug: boolean
  extraArgs: { key: string; value: string }[]
}

/**
 * Stores the typed secrets, and returns the recipe with their names in the places of their values. A secret that
 * the form has made before gets the new value; one of another source keeps its value.
 */
export async function withSecrets(draft: Draft, taken: readonly { urn: string; name: string }[]): Promise<Recipe> {
  let recipe = draft.recipe
  const names = new Set(taken.map(({ name }) => name))
  for (const [path, value] of Object.entries(draft.secrets)) {
    if (!value) continue
    const wanted = secretNameOf(draft.name || typeOfRecipe(draft.recipe), path)
    const own = secretIn(settingOf(draft.recipe, path)) === wanted ? taken.find(({ name }) => name === wanted) : undefined
    const name = own?.name ?? freeName(wanted, names)
    names.add(name)
    if (own) await mutate(SourceSecretUpdateDocument, { input: { urn: own.urn, name, value } })
    else await mutate(SourceSecretCreateDocument, { input: { name, value, description: `${draft.name}: ${path}` } })
    recipe = withSetting(recipe, path, `\${${name}}`)
  }
  return recipe
}

/** A name that no secret has yet: SHOP_PASSWORD, SHOP_PASSWORD_2. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let i = 2; ; i++) if (!taken.has(`${name}_${i}`)) return `${name}_${i}`
}

/** Stores a source, and returns its URN. The recipe has no values of secrets any more. */
export async function store(draft: Draft, recipe: Recipe, urn?: string): Promise<string> {
  const schedule = storedOf(draft.schedule)
  const input = {
    name: draft.name.trim(),
    type: typeOfRecipe(recipe),
    ...(schedule ? { schedule } : {}),
    config: {
      recipe: stored(recipe),
      executorId: draft.executorId || 'default',
      ...(draft.version ? { version: draft.version } : {}),
      debugMode: draft.debug,
      ...(draft.extraArgs.length ? { extraArgs: draft.extraArgs } : {}),
    },
  }
  if (urn) return (await mutate(SourceUpdateDocument, { urn, input })).updateIngestionSource ?? urn
  return (await mutate(SourceCreateDocument, { input })).createIngestionSource ?? ''
}
