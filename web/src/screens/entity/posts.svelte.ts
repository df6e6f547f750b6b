// The announcements that people write about an entity or a column. They are entities of their own.

import { EntityPostCreateDocument, EntityPostDeleteDocument, EntityPostsDocument, type EntityPostsQuery } from '../../gql/graphql'
import { columnUrn } from '../../lib/columns'
import { messageOf, mutate, query } from '../../lib/graphql'
import { namesOf, type Named } from '../../lib/names'
import type { Refusal } from '../../lib/refusal'
import { lacking } from '../../lib/rights.svelte'
import { signed } from '../../lib/signed.svelte'
import { toast } from '../../lib/toasts.svelte'

/** The most announcements that are shown of an entity, and of a column. */
export const mostPosts = 20

export type Post = NonNullable<EntityPostsQuery['listPosts']>['posts'][number]

/** The types that the model allows announcements about, without columns: those of a dataset have theirs. */
export const announcedAbout: ReadonlySet<string> = new Set([
  'chart',
  'container',
  'dashboard',
  'dataFlow',
  'dataJob',
  'dataProduct',
  'dataset',
  'domain',
  'glossaryNode',
  'glossaryTerm',
  'mlFeature',
  'mlFeatureTable',
  'mlModel',
  'mlModelGroup',
  'mlPrimaryKey',
  'notebook',
])

/** What announcements are about: an entity, or its column of a path. */
export interface About {
  urn: string
  column?: string | undefined
}

/** The title and the text of an announcement. */
export interface Written {
  title: string
  text: string
}

/** Why somebody may not announce anything; undefined if they may. */
export const noAnnouncement = (): Refusal | undefined => lacking('announce something', 'CREATE_GLOBAL_ANNOUNCEMENTS', 'MANAGE_GLOBAL_ANNOUNCEMENTS')

let changes = $state(0)

/** Counts the changes that this page makes, so that the list of announcements is read again. */
export const madeChanges = (): number => changes

/** The announcements about an entity without those about its columns, or about a column; the last changed first. */
export async function readPosts({ urn, column }: About, signal?: AbortSignal): Promise<{ posts: readonly Post[]; total: number; names: ReadonlyMap<string, Named> }> {
  const { listPosts } = await query(EntityPostsDocument, { urn: column === undefined ? urn : columnUrn(urn, column), count: mostPosts }, signal)
  const posts = listPosts?.posts ?? []
  const names = await namesOf(posts.map(({ lastModified }) => lastModified.actor ?? ''), signal)
  return { posts, total: listPosts?.total ?? 0, names }
}

/** Announces something about an entity or a column, and offers to undo that. */
export async function announce(about: About, { title, text }: Written): Promise<void> {
  if (!(await signed.asked())) throw new Error('Nothing was announced.')
  const former = new Set((await readPosts(about)).posts.map((post) => post.urn))
  await mutate(EntityPostCreateDocument, { input: { postType: 'ENTITY_ANNOUNCEMENT', resourceUrn: about.urn, ...(about.column === undefined ? {} : { subResource: about.column, subResourceType: 'DATASET_FIELD' as const }), content: { contentType: 'TEXT', title, description: text || null } } })
  changes++
  toast('The announcement is published', 'good', () =>
    void told(async () => {
      const made = (await readPosts(about)).posts.find((post) => !former.has(post.urn) && post.content.title === title)
      if (made) await mutate(EntityPostDeleteDocument, { urn: made.urn })
    }),
  )
}

/** Takes an announcement away, and offers to undo that. */
export async function withdraw(about: About, post: Post): Promise<void> {
  if (!(await signed.asked())) return
  await told(async () => {
    await mutate(EntityPostDeleteDocument, { urn: post.urn })
    toast('The announcement is withdrawn', 'good', () => void announce(about, { title: post.content.title, text: post.content.description ?? '' }).catch((error: unknown) => toast(messageOf(error), 'bad')))
  })
}

async function told(change: () => Promise<void>): Promise<void> {
  try {
    await change()
  } catch (error) {
    toast(messageOf(error), 'bad')
  }
  changes++
}
