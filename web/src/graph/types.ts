// The input and the events of the graph engine. The engine knows nothing of the server or of screens: a
// screen turns the server's answers into these types, and keeps them in $state.raw (thousands of nodes must
// not become proxies).

/** The same as in kinds.ts of the page: the kind decides shape and colour. */
export type NodeKind = 'data' | 'job' | 'report' | 'person' | 'meaning' | 'place' | 'model'

/** The difference from another moment. Ended nodes and edges are drawn dashed. */
export type Change = 'added' | 'ended'

export type Direction = 'up' | 'down'

export interface GraphColumn {
  /** Unique in its node; the path of the column. */
  id: string
  name: string
  /** The data type of the column, shown behind the name. */
  type?: string
  /**
   * Whether the column has lineage. Only then can it be hovered and followed; otherwise it has a softer
   * colour.
   */
  linked?: boolean
  change?: Change
}

export interface Badge {
  label: string
  tone?: 'owner' | 'tag' | 'term' | 'domain' | 'warn' | 'bad'
}

export interface GraphNode {
  /** The URN, which is unique in the graph. */
  id: string
  kind: NodeKind
  /** The type in words, such as Dataset. */
  type: string
  title: string
  platform?: string
  /** Shown behind the platform in place of the type. */
  subtitle?: string
  /** Owners first; as many as fit are shown, the others counted. */
  badges?: readonly Badge[]
  /** The number of columns. If it is more than 0, the node has a bar that opens them. */
  columnCount?: number
  /** The columns that an open node shows; undefined for a closed node. */
  columns?: readonly GraphColumn[]
  /** Set for a node that stands for several neighbours of a hub. */
  fold?: { count: number; label: string }
  /** The number of neighbours that are not in the graph: the +n handles at both sides. */
  moreUp?: number
  moreDown?: number
  /** Whether the neighbours of the node are being read. */
  busy?: boolean
  /** Whether the node is faded, for example because it does not match a filter. */
  dim?: boolean
  /** Whether the view began at this node. */
  start?: boolean
  change?: Change
  /** Whether nothing is stored of the entity; only an edge names it. */
  missing?: boolean
  /** Whether the entity is soft-deleted: its name is struck through. */
  removed?: boolean
}

export interface GraphEdge {
  /** Unique in the graph. */
  id: string
  /** Ids of nodes; data goes from left to right. Edges of unknown nodes are left out. */
  from: string
  to: string
  /** Columns of the two nodes. The edge is drawn by itself while one of the two nodes is open. */
  fromColumn?: string
  toColumn?: string
  dim?: boolean
  change?: Change
  /** The tooltip of the edge. */
  title?: string
}

export interface Graph {
  nodes: readonly GraphNode[]
  edges: readonly GraphEdge[]
}

/** The lit part of the graph; the other parts fade. */
export interface Lit {
  nodes: ReadonlySet<string>
  edges: ReadonlySet<string>
  /** Keys of columns, made by columnKey(). */
  columns?: ReadonlySet<string>
}

export type Selection =
  | { node: string; column?: string }
  | { edge: string }

/** The point of the drawing in the middle of the view, and the scale. */
export interface View {
  x: number
  y: number
  zoom: number
}

/** The properties of GraphView.svelte. */
export interface GraphViewProps {
  graph: Graph
  /** The name of the drawing for screen readers. */
  label: string
  selected?: Selection | null
  /** Without it, hovering or selecting a column lights its path within the graph. */
  lit?: Lit | null
  /**
   * The node that does not move when the graph changes: the expanded one. By default, the node nearest to the
   * middle.
   */
  anchor?: string | null
  /**
   * The view at the beginning; later changes are followed too. Without it, the view shows the whole graph.
   */
  view?: View | null
  minimap?: boolean
  onselect?: (selection: Selection | null) => void
  /** A double click, or Enter on the selected node. */
  onopen?: (node: GraphNode) => void
  onexpand?: (node: GraphNode, direction: Direction) => void
  /** Asks to open the columns, or to close them (open: false). */
  onopencolumns?: (node: GraphNode, open: boolean) => void
  onhovercolumn?: (node: GraphNode, column: GraphColumn | null) => void
  /** A click on a line; a line may stand for several edges. */
  onedge?: (edges: GraphEdge[]) => void
  /** The node that got the focus, for example by the arrow keys along the edges. */
  onfocusnode?: (node: GraphNode) => void
  /** The view after a movement has ended. */
  onmove?: (view: View) => void
  /** Called after a layout has been shown. */
  onlayout?: (result: { nodes: number; edges: number; milliseconds: number }) => void
}

/** The functions that `bind:this` of GraphView.svelte offers. */
export interface GraphHandle {
  /** Shows the whole graph. */
  fit(): void
  /**
   * Brings a node to the middle, and zooms in if it is too far away to be read. With focus, the node gets the
   * focus.
   */
  centre(id: string, options?: { zoom?: number; focus?: boolean }): void
  zoomBy(factor: number): void
  setView(view: View): void
  /** The node nearest to the middle of the view, and the place of its upper left corner. */
  nearest(): { id: string; x: number; y: number } | null
  /** The place of the upper left corner of a node; null before the node has been laid out. */
  position(id: string): { x: number; y: number } | null
  /** Lays the graph out again, without keeping the places of nodes. */
  tidy(): void
  /** The whole graph as a picture: SVG text with the colours of the theme. */
  svg(): string
}

/** Returns the key of a column in Lit. */
export function columnKey(node: string, column: string): string {
  return `${node}\n${column}`
}
