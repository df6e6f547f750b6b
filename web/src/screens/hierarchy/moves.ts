import type { Line } from '../browse/tree'

const mark = '␟'

/** The URN of a node of the tree, whose id is the way to it. */
export function urnOf(id: string): string {
  return id.slice(id.lastIndexOf(mark) + 1)
}

/** The id of a node in another one. */
export function idIn(parent: string, urn: string): string {
  return parent ? `${parent}${mark}${urn}` : urn
}

/** The id of the parent of a node; '' at the top. */
export function parentOf(id: string): string {
  const at = id.lastIndexOf(mark)
  return at < 0 ? '' : id.slice(0, at)
}

/** Whether a node may be put into another one, or with '' to the top: not where it is, and not into itself. */
export function movable(moved: string, into: string): boolean {
  return moved !== '' && moved !== into && parentOf(moved) !== into && !into.startsWith(`${moved}${mark}`)
}

/** The ids of the nodes above one, the outermost first. */
export function above(id: string): string[] {
  const parts = id.split(mark)
  return parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join(mark))
}

/** The place in the lines of the node with a URN; -1 if it is not shown. */
export function lineOf(lines: readonly Line[], urn: string): number {
  return lines.findIndex((line) => urnOf(line.node.id) === urn)
}
