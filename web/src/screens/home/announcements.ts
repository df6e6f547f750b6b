import { HomeFollowedDocument, HomeFoundDocument, HomePostsDocument, type HomePostsQuery } from '../../gql/graphql'
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
  author: Named | undefined
}

/** The entity that an announcement is about. */
function aboutOf(post: Post): string | undefined {
  return post.relationships?.relationships[0]?.entity?.urn
}

/** The announcements that concern somebody: those to everybody and those about entities that are theirs. */
export function concerning(posts: readonly Post[], theirs: ReadonlySet<string>): Post[] {
  return posts.filter((post) => post.postType === 'HOME_PAGE_ANNOUNCEMENT' || theirs.has(aboutOf(post) ?? '')).slice(0, mostShown)
}

/** Reads the announcements for a person, '' for nobody in particular; the last changed first. */
export async function readAnnouncements(person: string, signal: AbortSignal): Promise<Announcement[]> {
  const posts = (await query(HomePostsDocument, { count: mostRead }, signal)).listPosts?.posts ?? []
  const about = [...new Set(posts.flatMap((post) => aboutOf(post) ?? []))]
  const shown = concerning(posts, about.length > 0 && person ? await theirsOf(person, about, signal) : new Set())
  const names = await namesOf(shown.flatMap((post) => [aboutOf(post) ?? '', post.lastModified.actor ?? '']).filter(Boolean), signal)
  return shown.map((post) => ({ post, about: names.get(aboutOf(post) ?? ''), author: names.get(post.lastModified.actor ?? '') }))
}

// Which of some entities somebody owns or follows.
async function theirsOf(person: string, about: string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
  const filters = [{ field: 'owners', values: [person] }, { field: 'urn', values: about }]
  const [owned, followed] = await Promise.all([query(HomeFoundDocument, { filters, count: mostRead }, signal), query(HomeFollowedDocument, {}, signal)])
  return new Set([...(owned.searchAcrossEntities?.searchResults.map(({ entity }) => entity.urn) ?? []), ...followed.subscriptions.map(({ entity }) => entity.urn)])
}
