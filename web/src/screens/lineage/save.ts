// The visible graph, as files.

import type { GraphHandle } from '../../graph/types'
import { download } from '../../lib/download'
import { toast } from '../../lib/toasts.svelte'
import type { Explorer } from './explorer.svelte'
import { edgesCSV, mermaid, nodesCSV } from './exports'

/** Browsers refuse larger canvases. */
const greatestSide = 16_000
const greatestArea = 120_000_000

function fileName(explorer: Explorer, end: string): string {
  const name = (explorer.start?.name ?? 'graph').replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 60)
  return `lineage-${name}${end}`
}

export function saveSVG(explorer: Explorer, handle: GraphHandle | undefined): void {
  if (handle) download(fileName(explorer, '.svg'), 'image/svg+xml', handle.svg())
}

/**
 * The SVG contains no addresses or fonts of other servers, so that the canvas may be read after drawing it.
 */
export async function savePNG(explorer: Explorer, handle: GraphHandle | undefined): Promise<void> {
  if (!handle) return
  const address = URL.createObjectURL(new Blob([handle.svg()], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = address
    await image.decode()
    const canvas = document.createElement('canvas')
    const scale = scaleOf(image.naturalWidth, image.naturalHeight)
    canvas.width = Math.max(1, Math.round(image.naturalWidth * scale))
    canvas.height = Math.max(1, Math.round(image.naturalHeight * scale))
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
    if (!picture) throw new Error('the browser made no picture of this size')
    download(fileName(explorer, '.png'), 'image/png', picture)
  } catch (error) {
    toast(`The picture was not made: ${error instanceof Error ? error.message : String(error)}. SVG has no greatest size.`, 'bad')
  } finally {
    URL.revokeObjectURL(address)
  }
}

/** Twice the size for sharp text, or as large as a canvas can be. */
export function scaleOf(width: number, height: number): number {
  return Math.min(2, greatestSide / Math.max(width, height, 1), Math.sqrt(greatestArea / Math.max(width * height, 1)))
}

export function saveMermaid(explorer: Explorer): void {
  download(fileName(explorer, '.mmd'), 'text/plain', mermaid(explorer.all, explorer.shown, explorer.root))
}

export function saveNodes(explorer: Explorer): void {
  download(fileName(explorer, '-nodes.csv'), 'text/csv', nodesCSV(explorer.all, explorer.shown))
}

export function saveEdges(explorer: Explorer): void {
  download(fileName(explorer, '-edges.csv'), 'text/csv', edgesCSV(explorer.all, explorer.shown))
}
