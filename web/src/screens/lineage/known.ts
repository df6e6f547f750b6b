// The part of the lineage that the server has told: entities and the edges between them. The known
// graph only grows; shown.ts decides which part is shown.

export type Direction = 'up' | 'down'

/** An entity as lists name it. */
export interface Ref {
  urn: string
  type: string
  name: string
  platform?: string | null
  platformName?: string | null
  exists?: boolean
  removed?: boolean
}

export interface LineageNode {
  urn: string
  type: string
  subType?: string | null
  name: string
  platform?: string | null
  platformName?: string | null
  parent?: Ref | null
  exists: boolean
  removed: boolean
  deprecated: boolean
  owners: readonly Ref[]
  tags: readonly Ref[]
  terms: readonly Ref[]
  domain?: Ref | null
  /** Entities one hop away, shown or not. */
  upstreams: number
  downstreams: number
  columns: number
  /** At a past moment: the facts about the entity that are as of today. */
  asOfToday?: readonly string[]
  /** The time at which a run last wrote the entity, epoch milliseconds, once it is read. */
  seen?: number
}

/** An entity that is the same thing as others in other systems, such as a dbt model and its table. */
export interface Sibling {
  /** The sibling that stands for all siblings; it may be this entity. */
  first: string
  /** The names of the platforms of the others. */
  platforms: readonly string[]
}

/** The place that contains an entity. */
export interface Places {
  container: Ref | undefined
  product: Ref | undefined
}

/** One statement that data comes from the one to the other. */
export interface Link {
  upstream: string
  downstream: string
  type: string
  manual: boolean
  transformOperation?: string | null
  confidence?: number | null
  query?: string | null
  statedBy: readonly string[]
  since: number
  sinceRun?: string | null
  sinceActor?: Ref | null
  until?: number | null
  untilRun?: string | null
  untilActor?: Ref | null
  /** Set if later good runs of the edge's source have not stated the edge again. */
  fading?: { lastSeen: number; lastSeenRun?: string | null; runs: number } | null
  provenance?: {
    source?: string | null
    statedAt?: number | null
    run?: string | null
    /** Whether the server has read the edge from SQL, and no source has stated it. */
    derived?: boolean
    /** The readings of a client's SQL parser and of the server, where they differ. */
    readings?: Readings | null
  } | null
}

/** Two readings of the same SQL. */
export interface Readings {
  downstream: { urn: string }
  preferred: 'CLIENT' | 'OWN'
  client: Reading
  own: Reading
}

export interface Reading {
  upstreams: readonly { urn: string }[]
  operation?: string | null
  confidence?: number | null
}

/** All statements between two entities in one direction. */
export interface Edge {
  key: string
  up: string
  down: string
  links: Link[]
}

/** An answer of the server. */
export interface Answer {
  nodes: readonly (LineageNode & { degree: number })[]
  edges: readonly Link[]
  total: number
  partial: boolean
  reason?: string | null
  note?: string | null
}

/** The key that distinguishes the statements between two entities. */
export const linkKey = ({ upstream, downstream, type, since, query }: Link): string => JSON.stringify([upstream, downstream, type, since, query ?? null])

export const edgeKey = (up: string, down: string): string => `${up} ${down}`

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const shorts = new Map<string, string>()

/** Six letters that stand for a URN in an address. */
export function short(urn: string): string {
  const known = shorts.get(urn)
  if (known) return known
  // FNV-1a, twice with different starts: 36 bits are enough to tell 10,000 URNs apart.
  let a = 0x811c9dc5
  let b = 0x9747b28c
  for (let i = 0; i < urn.length; i++) {
    const c = urn.charCodeAt(i)
    a = Math.imul(a ^ c, 0x01000193)
    b = Math.imul(b ^ c, 0x85ebca6b) ^ (b >>> 13)
  }
  let text = ''
  for (let i = 0; i < 3; i++) text += letters[(a >>> (6 * i + 7)) & 63]
  for (let i = 0; i < 3; i++) text += letters[(b >>> (6 * i + 7)) & 63]
  shorts.set(urn, text)
  return text
}

export class Known {
  readonly nodes = new Map<string, LineageNode>()
  readonly edges = new Map<string, Edge>()
  readonly #up = new Map<string, Set<string>>()
  readonly #down = new Map<string, Set<string>>()
  readonly #byShort = new Map<string, string>()
  readonly #read = new Set<string>()

  /**
   * Adds an answer to a walk from an entity of a number of hops in the directions given.
   * Returns whether anything was new.
   */
  add(answer: Answer, from: string, directions: readonly Direction[], hops: number): boolean {
    const before = this.nodes.size + this.edges.size
    for (const node of answer.nodes) this.addNode(node)
    for (const link of answer.edges) this.addLink(link)
    if (!answer.partial) {
      for (const direction of directions) {
        this.#read.add(direction + from)
        for (const { urn, degree } of answer.nodes) {
          const along = direction === 'up' ? -degree : degree
          if (along > 0 && along < hops) this.#read.add(direction + urn)
        }
      }
    }
    return this.nodes.size + this.edges.size > before
  }

  addNode(node: LineageNode): void {
    const seen = this.nodes.get(node.urn)?.seen
    this.nodes.set(node.urn, seen === undefined ? node : { ...node, seen })
    this.#byShort.set(short(node.urn), node.urn)
  }

  /** Notes when runs have written entities last. */
  addSeen(found: ReadonlyMap<string, number>): void {
    for (const [urn, seen] of found) {
      const node = this.nodes.get(urn)
      if (node) this.nodes.set(urn, { ...node, seen })
    }
  }

  addLink(link: Link): void {
    const key = edgeKey(link.upstream, link.downstream)
    const edge = this.edges.get(key)
    if (!edge) {
      this.edges.set(key, { key, up: link.upstream, down: link.downstream, links: [link] })
      put(this.#up, link.downstream, link.upstream)
      put(this.#down, link.upstream, link.downstream)
      return
    }
    const same = edge.links.findIndex((other) => linkKey(other) === linkKey(link))
    if (same >= 0) edge.links[same] = link
    else edge.links.push(link)
  }

  /** The known entities one hop away. */
  neighbours(urn: string, direction: Direction): ReadonlySet<string> {
    return (direction === 'up' ? this.#up : this.#down).get(urn) ?? none
  }

  /** How many entities are one hop away, known or not. */
  count(urn: string, direction: Direction): number {
    const node = this.nodes.get(urn)
    const stated = (direction === 'up' ? node?.upstreams : node?.downstreams) ?? 0
    return Math.max(stated, this.neighbours(urn, direction).size)
  }

  /** Whether everything one hop away is known. */
  complete(urn: string, direction: Direction): boolean {
    return this.#read.has(direction + urn) || this.neighbours(urn, direction).size >= this.count(urn, direction)
  }

  /** The URN that six letters stand for. */
  long(short: string): string | undefined {
    return this.#byShort.get(short)
  }
}

const none: ReadonlySet<string> = new Set()

function put(map: Map<string, Set<string>>, key: string, value: string): void {
  const set = map.get(key)
  if (set) set.add(value)
  else map.set(key, new Set([value]))
}

/** Everything upstream or downstream of an entity as far as it is known, with its distance. */
export function reach(known: Known, start: string, direction: Direction, hops = Infinity): Map<string, number> {
  const reached = new Map<string, number>()
  let frontier = [start]
  const seen = new Set(frontier)
  for (let degree = 1; frontier.length > 0 && degree <= hops; degree++) {
    const next: string[] = []
    for (const urn of frontier) {
      for (const other of known.neighbours(urn, direction)) {
        if (seen.has(other)) continue
        seen.add(other)
        reached.set(other, degree)
        next.push(other)
      }
    }
    frontier = next
  }
  return reached
}

/** The known origins of an entity: entities upstream of it that derive from nothing else. Jobs are no origins. */
export function sourcesOf(known: Known, start: string): LineageNode[] {
  return [...reach(known, start, 'up').keys()]
    .flatMap((urn) => known.nodes.get(urn) ?? [])
    .filter(({ urn, type }) => known.count(urn, 'up') === 0 && type !== 'dataJob' && type !== 'dataFlow')
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.urn < b.urn ? -1 : 1))
}
