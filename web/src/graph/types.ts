// The input of the graph engine and the events that it reports. The engine does not know the server or the
// screens: a screen turns its answers into this input, and keeps the input in $state.raw, because thousands
// of nodes must not become proxies.

/** As kinds.ts of the page: the kind decides shape and colour. */
export type NodeKind = 'data' | 'job' | 'report' | 'person' | 'meaning' | 'place' | 'model'

/** How a node or line compares with another moment. An ended one is drawn dashed. */
export type Change = 'added' | 'ended'

export type Direction = 'up' | 'down'

export interface GraphColumn {
  /** Unique in its node; the path of the column. */
  id: string
  name: string
  /** Its data type, shown behind the name. */
  type?: string
  /** Whether the column has lineage. A column without lineage is not hovered or followed, and has a softer colour. */
  linked?: boolean
  change?: Change
}

export interface Badge {
  label: string
  tone?: 'owner' | 'tag' | 'term' | 'domain' | 'warn' | 'bad'
}

export interface GraphNode {
  /** Unique in the graph: the URN. */
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
  /** The number of columns of the entity. If it is more than 0, the node offers to open them. */
  columnCount?: number
  /** The columns that are shown inside the node; undefined closes the node. */
  columns?: readonly GraphColumn[]
  /** Stands for several entities of a hub. */
  fold?: { count: number; label: string }
  /** How many neighbours are not in the graph: the +n handles at both sides. */
  moreUp?: number
  moreDown?: number
  /** Its neighbours are being read. */
  busy?: boolean
  /** Whether the node is faded, for example because it does not match a filter. */
  dim?: boolean
  /** Where the view began. */
  start?: boolean
  change?: Change
  /** A second mark beside the platform's, for example of the sibling that is drawn as one node with it. */
  alsoOn?: string
  /** Named by an edge, but nothing is stored of it. */
  missing?: boolean
  /** Soft-deleted: the name is struck through. */
  removed?: boolean
}

export interface GraphEdge {
  /** Unique in the graph. */
  id: string
  /** Ids of nodes; data goes from left to right. Edges of unknown nodes are left out. */
  from: string
  to: string
  /** Columns of these nodes. They are drawn singly while one of the two nodes is open. */
  fromColumn?: string
  toColumn?: string
  dim?: boolean
  /** Drawn with dots: derived from SQL, and stated by no source. */
  derived?: boolean
  change?: Change
  /** The text that is shown while the pointer is over the edge. */
  title?: string
  /** A node that is not drawn: it stands on the edge as a sign of its kind. */
  through?: NodeKind
}

export interface Graph {
  nodes: readonly GraphNode[]
  edges: readonly GraphEdge[]
}

/** The lit nodes and edges; all others fade. */
export interface Lit {
  nodes: ReadonlySet<string>
  edges: ReadonlySet<string>
  /** columnKey() of columns. */
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
  /** The lit parts. Without lit, hovering or selecting a column lights its path within the graph. */
  lit?: Lit | null
  /** The node that does not move when the graph changes: the expanded node, or else the node nearest to the middle. */
  anchor?: string | null
  /** The view at the beginning; later changes of it are followed too. Without view, the whole graph is fitted. */
  view?: View | null
  minimap?: boolean
  onselect?: (selection: Selection | null) => void
  /** A double click, or Enter on the selected node. */
  onopen?: (node: GraphNode) => void
  onexpand?: (node: GraphNode, direction: Direction) => void
  /** Asks to open the columns of a node, or to close them (open: false). */
  onopencolumns?: (node: GraphNode, open: boolean) => void
  onhovercolumn?: (node: GraphNode, column: GraphColumn | null) => void
  /** A click on an edge; several when more than one is drawn as this line. */
  onedge?: (edges: GraphEdge[]) => void
  /** Where the keyboard went, as by the arrow keys along the edges. */
  onfocusnode?: (node: GraphNode) => void
  /** When the view came to rest. */
  onmove?: (view: View) => void
  /** When a layout has been shown. */
  onlayout?: (result: { nodes: number; edges: number; milliseconds: number }) => void
}

/** The methods that `bind:this` of GraphView.svelte offers. */
export interface GraphHandle {
  /** Shows the whole graph. */
  fit(): void
  /** Shows the whole graph, or the part around the start if names could not be read otherwise. */
  read(): void
  /** Shows some nodes large enough to be read; the first node is in view in any case. */
  frame(ids: readonly string[]): void
  /** Brings a node to the middle; near enough to be read when it is far. With focus, the keyboard goes there. */
  centre(id: string, options?: { zoom?: number; focus?: boolean }): void
  zoomBy(factor: number): void
  setView(view: View): void
  /** The node nearest to the middle of the view, and where its upper left corner is. */
  nearest(): { id: string; x: number; y: number } | null
  /** Where the upper left corner of a node is; null before it has been laid out. */
  position(id: string): { x: number; y: number } | null
  /** Lays the graph out anew, without regard to the present places of nodes. */
  tidy(): void
  /** The whole graph as a picture: SVG text with the colours of the theme. */
  svg(): string
}

/** Names a column in Lit. */
export function columnKey(node: string, column: string): string {
  return `${node}\n${column}`
}
