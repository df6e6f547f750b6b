import { BrowseCountsDocument, BrowseFoldersDocument, type EntityType, type FacetFilterInput } from '../../gql/graphql'
import { query } from '../../lib/graphql'
import { typeLabel } from '../../lib/kinds'
import { namesOf } from '../../lib/names'
import { paths } from '../../lib/paths'
import { modelType } from '../../lib/types'
import { amount } from '../../lib/words'
import type { TreeNode } from './tree'

/** The most folders that are listed; a search finds the others. */
const most = 500

async function counts(field: string, filters: FacetFilterInput[], signal: AbortSignal) {
  const answer = await query(BrowseCountsDocument, { facets: [field], filters }, signal)
  return answer.aggregateAcrossEntities?.facets?.find((facet) => facet.field === field)?.aggregations ?? []
}

/** The platforms with their types and folders, and the types that belong to no platform. */
export async function rootsOf(signal: AbortSignal): Promise<{ platforms: TreeNode[]; others: TreeNode[] }> {
  const [platforms, others] = await Promise.all([
    counts('platform', [], signal),
    counts('_entityType', [{ field: 'platform', condition: 'EXISTS', negated: true }], signal),
  ])
  return {
    platforms: platforms.map(({ value, count, displayName }) => ({
      id: value,
      label: displayName || value,
      count,
      href: paths.search('', { platform: value }),
      type: 'dataPlatform',
      read: (inner) => typesOf(value, inner),
    })),
    others: others.map(({ value, count }) => {
      const type = modelType(value)
      return { id: type, label: typeLabel(type, true), count, href: paths.search('', { type }), type }
    }),
  }
}

/** The types that a platform has. */
async function typesOf(platform: string, signal: AbortSignal): Promise<TreeNode[]> {
  const found = await counts('_entityType', [{ field: 'platform', values: [platform] }], signal)
  return found.map(({ value, count }) => {
    const type = modelType(value)
    return {
      id: `${platform}␟${type}`,
      label: typeLabel(type, true),
      count,
      href: paths.search('', { platform, type }),
      type,
      read: (inner) => foldersOf(platform, value as EntityType, [], inner),
    }
  })
}

/** The folders below a path. */
async function foldersOf(platform: string, spelled: EntityType, path: string[], signal: AbortSignal): Promise<TreeNode[]> {
  const type = modelType(spelled)
  const filters = [{ field: 'platform', values: [platform] }]
  const found = (await query(BrowseFoldersDocument, { type: spelled, path, filters, count: most }, signal)).browseV2
  const groups = found?.groups ?? []
  const names = await namesOf(
    groups.flatMap((group) => group.entity?.urn ?? []),
    signal,
  )
  const nodes = groups.map((group): TreeNode => {
    const steps = [...path, group.name]
    const named = group.entity ? names.get(group.entity.urn) : undefined
    return {
      id: [platform, type, ...steps].join('␟'),
      label: named?.name ?? group.name,
      count: group.count,
      href: paths.search('', { platform, type, path: steps.map((step) => `␟${step}`).join('') }),
      ...(named ? { type: named.type } : {}),
      ...(group.hasSubGroups ? { read: (inner: AbortSignal) => foldersOf(platform, spelled, steps, inner) } : {}),
    }
  })
  const left = (found?.total ?? 0) - groups.length
  if (left > 0) {
    const place = path.map((step) => `␟${step}`).join('')
    nodes.push({ id: [platform, type, ...path, ''].join('␟'), label: `${amount(left, 'more folder')}: search here`, count: left, href: paths.search('', { platform, type, path: place }) })
  }
  return nodes
}
