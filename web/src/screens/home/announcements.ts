import { HomeFollowedDocument, HomeFoundDocument, HomePostsDocument, type HomePostsQuery } from '../../gql/graphql'
import { columnOf } from '../../lib/columns'
import { query } from '../../lib/graphql'
import { namesOf, type Named } from '../../lib/names'

// The announcements of the start page: those to everybody, and those about what somebody owns or follows.

type Post = NonNullable<HomePostsQuery['listPosts']>['posts'][number]

/** How many of the newest announcements are looked at. */
export const mostRead = 100
/** How many are shown. */
const mostShown = 5

export interface Announcement {
  post: Post
  /** What it is about; undefined if it is to everybody. */
  about: Named | undefined
  /** The entity that has the column that the announcement is about; undefined if it is about no column. */
  within: Named | undefined
  author: Named | undefined
}

/** The entity or the column that an announcement is about. */
function aboutOf(post: Post): string | undefined {
  return post.relationships?.relationships[0]?.entity?.urn
}

/** The entity that an announcement is about, or that has the column. People own and follow entities. */
function entityOf(post: Post): string {
  const about = aboutOf(post) ?? ''
  return columnOf(about)?.entity ?? about
}

/** The announcements that concern somebody: those to everybody, and those about entities that are theirs and their columns. */
export function concerning(posts: readonly Post[], theirs: ReadonlySet<string>): Post[] {
  return posts.filter((post) => post.postType === 'HOME_PAGE_ANNOUNCEMENT' || theirs.has(entityOf(post))).slice(0, mostShown)
}

/** Reads the announcements for a person, '' for nobody in particular; the last changed first. */
export async function readAnnouncements(person: string, signal: AbortSignal): Promise<Announcement[]> {
  const posts = (await query(HomePostsDocument, { count: mostRead }, signal)).listPosts?.posts ?? []
  const about = [...new Set(posts.map(entityOf).filter(Boolean))]
  const shown = concerning(posts, about.length > 0 && person ? await theirsOf(person, about, signal) : new Set())
  const names = await namesOf(shown.flatMap((post) => [aboutOf(post) ?? '', entityOf(post), post.lastModified.actor ?? '']).filter(Boolean), signal)
  return shown.map((post) => {
    const about = aboutOf(post) ?? ''
    return { post, about: names.get(about), within: columnOf(about) ? names.get(entityOf(post)) : undefined, author: names.get(post.lastModified.actor ?? '') }
  })
}

// Which of some entities somebody owns or follows.
async function theirsOf(person: string, about: string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
  const filters = [{ field: 'owners', values: [person] }, { field: 'urn', values: about }]
  const [owned, followed] = await Promise.all([query(HomeFoundDocument, { filters, count: mostRead }, signal), query(HomeFollowedDocument, {}, signal)])
  return new Set([...(owned.searchAcrossEntities?.searchResults.map(({ entity }) => entity.urn) ?? []), ...followed.subscriptions.map(({ entity }) => entity.urn)])
}
