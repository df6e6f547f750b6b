import { RunsRollbackPartDocument } from '../../gql/graphql'
import { messageOf, mutate } from '../../lib/graphql'
import { begun, proceed, restored, type Progress, type Totals } from './rollback'

// The rollbacks that this page does. They go on while other screens are shown, and are stored in this browser
// until they are done, so that a closed page can continue them.

let shown = $state.raw<ReadonlyMap<string, Progress>>(new Map())
const stopping = new Set<string>()

const key = (runId: string) => `headwater.rollback.${runId}`

function keep(progress: Progress) {
  shown = new Map(shown).set(progress.runId, progress)
  try {
    if (progress.phase === 'done') localStorage.removeItem(key(progress.runId))
    else localStorage.setItem(key(progress.runId), JSON.stringify(progress))
  } catch {
    // Private windows may refuse to store it; the server can begin the rollback again at any time.
  }
}

function forget(runId: string) {
  const rest = new Map(shown)
  rest.delete(runId)
  shown = rest
  try {
    localStorage.removeItem(key(runId))
  } catch {
    // Private windows may refuse to remove the stored progress.
  }
}

async function run(from: Progress): Promise<Progress> {
  stopping.delete(from.runId)
  return proceed(
    from,
    async (after) => {
      const input = { runId: from.runId, confirm: from.runId, hard: from.hard, after: after || undefined }
      return (await mutate(RunsRollbackPartDocument, { input })).rollbackRun
    },
    keep,
    () => !stopping.has(from.runId),
    messageOf,
  )
}

export const rollbacks = {
  of(runId: string): Progress | undefined {
    return shown.get(runId)
  },
  /** Finds a rollback of an earlier visit. */
  find(runId: string) {
    if (shown.has(runId)) return
    let left: Progress | undefined
    try {
      left = restored(localStorage.getItem(key(runId)))
    } catch {
      // Private windows may refuse to read the stored progress.
    }
    if (left?.runId === runId) shown = new Map(shown).set(runId, left)
  },
  start(runId: string, hard: boolean, expected: Totals): Promise<Progress> {
    return run(begun(runId, hard, expected))
  },
  async continue(runId: string): Promise<Progress | undefined> {
    const left = shown.get(runId)
    return left && left.phase !== 'running' ? run(left) : left
  },
  /** Stops after the current part. */
  stop(runId: string) {
    stopping.add(runId)
  },
  forget,
}
