// The announcements that people write about an entity. They are entities of their own.

import { EntityPostCreateDocument, EntityPostDeleteDocument, EntityPostsDocument, type EntityPostsQuery } from '../../gql/graphql'
import { messageOf, mutate, query } from '../../lib/graphql'
import { namesOf, type Named } from '../../lib/names'
import { signed } from '../../lib/signed.svelte'
import { toast } from '../../lib/toasts.svelte'

/** The most announcements that the page of an entity shows. */
export const mostPosts = 20

export type Post = NonNullable<EntityPostsQuery['listPosts']>['posts'][number]

/** The types that the model allows announcements about, without columns, which have no place for one on the page. */
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

/** The title and the text of an announcement. */
export interface Written {
  title: string
  text: string
}

let changes = $state(0)

/** Counts the changes that this page makes, so that the list of announcements is read again. */
export const madeChanges = (): number => changes

/** The announcements about an entity, the last changed first. */
export async function readPosts(urn: string, signal?: AbortSignal): Promise<{ posts: readonly Post[]; total: number; names: ReadonlyMap<string, Named> }> {
  const { listPosts } = await query(EntityPostsDocument, { urn, count: mostPosts }, signal)
  const posts = listPosts?.posts ?? []
  const names = await namesOf(posts.map(({ lastModified }) => lastModified.actor ?? ''), signal)
  return { posts, total: listPosts?.total ?? 0, names }
}

/** Announces something about an entity, and offers to undo that. */
export async function announce(urn: string, { title, text }: Written): Promise<void> {
  if (!(await signed.asked())) throw new Error('Nothing was announced.')
  const former = new Set((await readPosts(urn)).posts.map((post) => post.urn))
  await mutate(EntityPostCreateDocument, { input: { postType: 'ENTITY_ANNOUNCEMENT', resourceUrn: urn, content: { contentType: 'TEXT', title, description: text || null } } })
  changes++
  toast('The announcement is published', 'good', () =>
    void told(async () => {
      const made = (await readPosts(urn)).posts.find((post) => !former.has(post.urn) && post.content.title === title)
      if (made) await mutate(EntityPostDeleteDocument, { urn: made.urn })
    }),
  )
}

/** Takes an announcement away, and offers to undo that. */
export async function withdraw(urn: string, post: Post): Promise<void> {
  if (!(await signed.asked())) return
  await told(async () => {
    await mutate(EntityPostDeleteDocument, { urn: post.urn })
    toast('The announcement is withdrawn', 'good', () => void announce(urn, { title: post.content.title, text: post.content.description ?? '' }).catch((error: unknown) => toast(messageOf(error), 'bad')))
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
