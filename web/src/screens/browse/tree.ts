// The tree: nodes that are read when they are opened.

export interface TreeNode {
  /** Unique in the tree; the ids of a node's children begin with its own. */
  id: string
  label: string
  count: number
  /** The search that finds the content of the node. */
  href: string
  /** A type of the model, for the icon; a folder if there is none. */
  type?: string
  /** Reads the children of the node; undefined for a node without further levels. */
  read?: (signal: AbortSignal) => Promise<TreeNode[]>
}

/** The state of an opened node. */
export interface Opened {
  children: TreeNode[] | undefined
  error: string
}

/** A line of the tree as it is shown. */
export interface Line {
  node: TreeNode
  level: number
  /** The place of the node among its neighbours, from 1, and their number. */
  place: number
  of: number
  parent: TreeNode | undefined
  opened: Opened | undefined
}

/** The lines from top to bottom. */
export function linesOf(roots: readonly TreeNode[], opened: ReadonlyMap<string, Opened>): Line[] {
  const lines: Line[] = []
  const add = (nodes: readonly TreeNode[], level: number, parent: TreeNode | undefined) => {
    nodes.forEach((node, i) => {
      const state = opened.get(node.id)
      lines.push({ node, level, place: i + 1, of: nodes.length, parent, opened: state })
      if (state?.children) add(state.children, level + 1, node)
    })
  }
  add(roots, 1, undefined)
  return lines
}

/** The effect of a key in a tree, as the patterns of ARIA describe it. */
export type Step = { go: number } | { open: TreeNode } | { close: TreeNode } | undefined

export function stepOf(key: string, lines: readonly Line[], at: number): Step {
  const line = lines[at]
  if (!line) return undefined
  switch (key) {
    case 'ArrowDown':
      return { go: Math.min(at + 1, lines.length - 1) }
    case 'ArrowUp':
      return { go: Math.max(at - 1, 0) }
    case 'Home':
      return { go: 0 }
    case 'End':
      return { go: lines.length - 1 }
    case 'ArrowRight':
      if (!line.node.read) return undefined
      if (!line.opened) return { open: line.node }
      return line.opened.children?.length ? { go: at + 1 } : undefined
    case 'ArrowLeft':
      if (line.opened) return { close: line.node }
      return line.parent ? { go: lines.findIndex((one) => one.node === line.parent) } : undefined
    case ' ':
      if (!line.node.read) return undefined
      return line.opened ? { close: line.node } : { open: line.node }
  }
  if (key.length !== 1) return undefined
  // Letters go to the next label that begins with them.
  const wanted = key.toLowerCase()
  for (let i = 1; i <= lines.length; i++) {
    const next = (at + i) % lines.length
    if (lines[next]!.node.label.toLowerCase().startsWith(wanted)) return { go: next }
  }
  return undefined
}
