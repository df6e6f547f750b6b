import { reachOf, written, type Reach } from './moment'
import { paths, carry } from './paths'
import { route, setParams } from './router.svelte'
import { momentOf } from './times'

/**
 * The moment that the whole page shows. It is in the address, so that a link shows others the same,
 * and links between screens carry it.
 */
export const moment = {
  /** Epoch milliseconds; undefined is now. A moment that is not past yet is now, too. */
  get at(): number | undefined {
    if (!reachOf(route.path)) return undefined
    const at = momentOf(route.search.get('asOf'))
    return at !== undefined && at < Date.now() ? at : undefined
  },
  get reach(): Reach | undefined {
    return reachOf(route.path)
  },
  /** Shows the page as of another moment; the back button leads back. */
  travel(at: number | undefined): void {
    setParams({ asOf: at === undefined ? undefined : written(at), ...(at === undefined && route.search.get('tab') === 'since' ? { tab: undefined } : {}) }, { push: true })
  },
  /** The address of the changes since the moment; undefined if the screen is about no entity. */
  get since(): string | undefined {
    const { urn } = route.params
    if (moment.at === undefined || !urn) return undefined
    if (route.path.startsWith('/ui/entity/')) return paths.entity(urn, { tab: 'since' })
    if (/^\/ui\/(lineage|impact)\//.test(route.path)) return paths.time(urn, { from: written(moment.at), direction: route.path.startsWith('/ui/impact/') ? 'downstream' : undefined })
    return undefined
  },
}

carry(() => (moment.at === undefined ? undefined : (route.search.get('asOf') ?? undefined)))
