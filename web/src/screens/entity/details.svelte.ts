import { getContext, setContext } from 'svelte'
import { EntityDetailsDocument, EntityUndoDocument, type EntityDetailsQuery, type EntityEditKind, type EntityNamedFragment, type UndoInput } from '../../gql/graphql'
import { reads } from '../../lib/cache'
import { aborted, messageOf, mutate, query, RequestError } from '../../lib/graphql'
import type { Refusal } from '../../lib/refusal'
import { toast } from '../../lib/toasts.svelte'
import { signed } from '../../lib/signed.svelte'
import type { Part, Patch } from './edits'
import { columnsOf, type Column } from './columns'
import { nameOf, typeOf } from '../../lib/urns'
import { named, type Named } from './facts'
import { parse, tree, type Tree } from './json'

/** A stored aspect, as raw views show it. */
export interface Stored {
  name: string
  version: number
  /** The number of versions up to and including this one. */
  number: number
  /** JSON, as the server sent it. */
  value: string
  written: number | null | undefined
  run: string | null | undefined
  actor: Named | undefined
}

interface Answer {
  ref: EntityNamedFragment
  subTypes: string[]
  stored: Stored[]
  aspects: Record<string, Tree>
  timeSeries: string[]
  names: Map<string, Named>
  hasLineage: boolean
  edits: EntityDetailsQuery['entityDetails']['edits']
  recorded: boolean
  firstRecorded: number | undefined
  unsure: readonly string[]
  lost: readonly string[]
}

/** An edit: how the page shows it at once, and how it is made. */
export interface Edit {
  patch: Patch
  change: () => Promise<unknown>
}

/** The words for kinds of edits that follow "You may not". */
const deeds: Record<EntityEditKind, string> = {
  DESCRIPTION: 'edit the description',
  TAGS: 'edit the tags',
  TERMS: 'edit the glossary terms',
  OWNERS: 'edit the owners',
  DOMAIN: 'set the domain',
  LINKS: 'edit the links',
  DEPRECATION: 'deprecate it',
  STATUS: 'remove or restore it',
  COLUMN_DESCRIPTION: 'edit descriptions of columns',
  COLUMN_TAGS: 'edit tags of columns',
  COLUMN_TERMS: 'edit glossary terms of columns',
}

/** The entity of the page: the answer of the server, with the edits on top that the server has not confirmed yet. */
export class Details {
  readonly urn: string
  /** The moment that is shown; undefined for today. */
  asOf = $state.raw<number>()
  error = $state.raw<unknown>()
  loading = $state(true)
  #answer = $state.raw<Answer>()
  #patches = $state.raw<readonly Patch[]>([])
  #reads = 0
  #newest: Promise<void> = Promise.resolve()
  #stopped = false
  #control: AbortController | undefined

  aspects = $derived.by(() => this.#patches.reduce((aspects, patch) => patch.apply(aspects), (this.#answer?.aspects ?? {}) as Readonly<Record<string, Tree>>))
  names = $derived.by(() => {
    const names = new Map(this.#answer?.names)
    for (const patch of this.#patches) for (const entity of patch.names ?? []) if (!names.has(entity.urn)) names.set(entity.urn, entity)
    return names as ReadonlyMap<string, Named>
  })
  columns: Column[] = $derived(columnsOf(this.aspects, this.names))

  constructor(urn: string) {
    this.urn = urn
  }

  get loaded(): boolean {
    return this.#answer !== undefined
  }
  get ref(): Named & { exists: boolean; removed: boolean } {
    const ref = this.#answer?.ref
    return ref ?? { urn: this.urn, type: typeOf(this.urn), name: nameOf(this.urn), exists: false, removed: false }
  }
  get type(): string {
    return this.ref.type
  }
  get subTypes(): string[] {
    return this.#answer?.subTypes ?? []
  }
  get stored(): Stored[] {
    return this.#answer?.stored ?? []
  }
  get timeSeries(): string[] {
    return this.#answer?.timeSeries ?? []
  }
  get hasLineage(): boolean {
    return this.#answer?.hasLineage ?? false
  }
  /** Whether anything had been recorded of the entity at the shown moment. */
  get recorded(): boolean {
    return this.#answer?.recorded ?? true
  }
  get firstRecorded(): number | undefined {
    return this.#answer?.firstRecorded
  }
  /** Aspects that may have been different at the moment, and aspects whose versions are not kept. */
  get doubtful(): { unsure: readonly string[]; lost: readonly string[] } {
    return { unsure: this.#answer?.unsure ?? [], lost: this.#answer?.lost ?? [] }
  }
  /** Whether edits are offered: edits change the present, so a page that shows the past offers none. */
  get editable(): boolean {
    return this.asOf === undefined
  }
  /** The reason why an edit would be refused; undefined if it would not be. */
  refusal(kind: EntityEditKind): Refusal | undefined {
    const edit = this.#answer?.edits.find((one) => one.kind === kind)
    return edit && !edit.allowed ? { deed: deeds[kind], privileges: edit.privileges, urn: this.urn } : undefined
  }
  get code(): number | undefined {
    return this.error instanceof RequestError ? this.error.code : undefined
  }

  named(urn: string): Named {
    return named(urn, this.names)
  }

  /**
   * Reads the entity; the former answer is shown until the new one is here. A read that a newer
   * read overtakes ends together with it: until then, nothing newer is shown. */
  read(): Promise<void> {
    if (!this.#stopped) this.#newest = this.#read()
    return this.#newest
  }

  async #read(): Promise<void> {
    const read = ++this.#reads
    this.#control?.abort()
    const control = new AbortController()
    this.#control = control
    reads(control.signal, () => void this.read())
    this.loading = true
    try {
      const { entityDetails } = await query(EntityDetailsDocument, { urn: this.urn, asOf: this.asOf ?? null }, control.signal)
      if (read !== this.#reads) return this.#overtaken()
      const { ref, subTypes, aspects, timeSeries, refs, hasLineage, edits, recorded, firstRecorded, unsure, lost } = entityDetails
      this.#answer = {
        ref,
        subTypes,
        timeSeries,
        hasLineage,
        edits,
        recorded: recorded ?? true,
        firstRecorded: firstRecorded ?? undefined,
        unsure: unsure ?? [],
        lost: lost ?? [],
        stored: aspects.map((aspect) => ({ ...aspect, actor: aspect.actor ?? undefined })),
        aspects: Object.fromEntries(aspects.map((aspect) => [aspect.name, tree(parse(aspect.value))])),
        names: new Map([...refs, ref].map((one) => [one.urn, one])),
      }
      this.error = undefined
    } catch (error) {
      if (read !== this.#reads) return this.#overtaken()
      if (aborted(error)) return
      this.error = error
    }
    this.loading = false
  }

  async #overtaken(): Promise<void> {
    if (!this.#stopped) await this.#newest
  }

  stop(): void {
    this.#stopped = true
    this.#reads++
    this.#control?.abort()
  }

  /**
   * Shows an edit at once and makes it. If it fails, it is taken back and the reason is
   * shown. Says whether it succeeded, so that a form can keep its text.
   */
  async edit(what: string, patch: Patch, change: () => Promise<unknown>): Promise<boolean> {
    if (!(await signed.asked())) return false
    const part = patch.part(this.aspects)
    const before = part && this.#version(part)
    this.#patches = [...this.#patches, patch]
    let done = true
    try {
      await change()
    } catch (error) {
      done = false
      toast(`${what} was not saved: ${messageOf(error)}`, 'bad')
    }
    if (done) await this.read()
    this.#patches = this.#patches.filter((other) => other !== patch)
    if (done && part && before !== undefined) this.#saved(what, part, before)
    return done
  }

  /**
   * Makes several edits one after the other, and offers to undo all of them at once. The first edit that fails
   * ends the series; the edits before it stay, and can be undone. Returns whether all succeeded. */
  async editTogether(what: string, edits: readonly Edit[]): Promise<boolean> {
    if (!(await signed.asked())) return false
    const made: UndoInput[] = []
    let sure = true
    let failure = ''
    for (const { patch, change } of edits) {
      const part = patch.part(this.aspects)
      const before = part && this.#version(part)
      this.#patches = [...this.#patches, patch]
      try {
        await change()
      } catch (error) {
        failure = messageOf(error)
      }
      // The number of the version that an edit made is seen before the next edit makes another one.
      if (!failure) await this.read()
      this.#patches = this.#patches.filter((other) => other !== patch)
      if (failure) break
      const after = part && this.#version(part)
      if (part && before !== undefined && after === before + 1) made.push({ urn: this.urn, made: after, ...part })
      else if (after !== before) sure = false
    }
    if (failure) toast(`${what} was not saved whole: ${failure}`, 'bad')
    const told = failure ? `${what} was saved in part` : `${what} is saved`
    if (made.length > 0 && sure && this.error === undefined) toast(told, failure ? 'plain' : 'good', () => void this.#undo(what, made))
    else if (!failure) toast(told, 'good')
    return !failure
  }

  #version(part: Part): number {
    return this.stored.find(({ name }) => name === part.aspect)?.number ?? 0
  }

  /** Tells that an edit is saved and offers to undo it, if the version that it made is known for sure. */
  #saved(what: string, part: Part, before: number): void {
    const made = this.#version(part)
    if (made <= before || this.error !== undefined) return
    if (made > before + 1) return toast(`${what} is saved. Something else was written at the same time, so it is undone in the history.`, 'good')
    toast(`${what} is saved`, 'good', () => void this.#undo(what, [{ urn: this.urn, made, ...part }]))
  }

  async #undo(what: string, changes: UndoInput[]): Promise<void> {
    try {
      await mutate(EntityUndoDocument, { changes })
      toast(`${what} is undone`, 'good')
    } catch (error) {
      toast(`${what} was not undone: ${messageOf(error)}`, 'bad')
    }
    await this.read()
  }
}

const key = Symbol('entity')

export function provideDetails(details: Details): void {
  setContext(key, details)
}

/** The entity that the page shows. */
export function useDetails(): Details {
  return getContext<Details>(key)
}
