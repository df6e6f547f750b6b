import { SuggestDocument, type SuggestionKind, type SuggestQuery } from '../gql/graphql'
import { aborted, messageOf, query } from './graphql'

export type Suggestion = SuggestQuery['suggest'][number]

/** The pause in typing, in milliseconds, after which suggestions are asked for. */
const pause = 50

/** The suggestions of a combobox while somebody types: at most one request is under way. */
export class Suggestions {
  items = $state.raw<Suggestion[]>([])
  /** The text for which the items were found. */
  text = $state('')
  /** The item that the arrow keys have reached; -1 for none. */
  active = $state(-1)
  error = $state('')
  loading = $state(false)

  #timer: ReturnType<typeof setTimeout> | undefined
  #control: AbortController | undefined
  /** Called with the first item once the items of the typed text have come. */
  #waiting: ((first: Suggestion) => void) | undefined

  constructor(
    private readonly kinds?: () => SuggestionKind[] | undefined,
    private readonly limit = 10,
  ) {}

  /** Asks for suggestions for the text, once the typing pauses. */
  ask(typed: string): void {
    const text = typed.trim()
    this.#stop()
    if (!text) {
      this.clear()
      return
    }
    // The chosen item belonged to the text before: Enter now takes the typed text.
    if (text !== this.text) this.active = -1
    this.loading = true
    this.#timer = setTimeout(() => void this.#read(text), pause)
  }

  /** Forgets the items and cancels the request under way. */
  clear(): void {
    this.#stop()
    this.items = []
    this.text = ''
    this.active = -1
    this.error = ''
  }

  /**
   * Hands over the chosen item, or the first one if none is chosen. While the items of the typed text are still on
   * their way, the first of them is handed over when they come: Enter is not lost on somebody who types quickly.
   */
  choose(use: (suggestion: Suggestion) => void): void {
    if (this.loading) {
      this.#waiting = use
      return
    }
    const chosen = this.items[Math.max(this.active, 0)]
    if (chosen) use(chosen)
  }

  /** Moves to the next or previous item, around the end; -1 is the text itself. */
  move(by: 1 | -1): void {
    const stops = this.items.length + 1
    this.active = ((this.active + 1 + by + stops) % stops) - 1
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#control?.abort()
    this.loading = false
    this.#waiting = undefined
  }

  async #read(text: string): Promise<void> {
    const control = new AbortController()
    this.#control = control
    try {
      const answer = await query(SuggestDocument, { text, limit: this.limit, kinds: this.kinds?.() }, control.signal)
      if (control.signal.aborted) return
      this.items = answer.suggest
      this.text = text
      this.active = -1
      this.error = ''
    } catch (failure) {
      if (control.signal.aborted || aborted(failure)) return
      this.items = []
      this.error = messageOf(failure)
    }
    this.loading = false
    const use = this.#waiting
    this.#waiting = undefined
    if (use) this.choose(use)
  }
}
