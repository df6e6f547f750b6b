import type { Asked } from './layouter'
import { moved, solve } from './solve'

self.onmessage = ({ data }: MessageEvent<Asked>) => {
  const solved = solve(data.job)
  self.postMessage({ id: data.id, solved }, { transfer: moved(solved) })
}
