// The visible graph, as text for other programs.

import { csv } from '../../lib/csv'
import { typeLabel } from '../../lib/kinds'
import type { Known, LineageNode, Ref } from './known'
import { foldLabel } from './drawing'
import type { Shown } from './shown'

const names = (list: readonly Ref[]) => list.map(({ name, urn }) => name || urn).join('; ')

/** A flowchart for documents that show mermaid. */
export function mermaid(known: Known, shown: Shown, root: string): string {
  const ids = new Map([...shown.nodes.keys()].map((urn, i) => [urn, `n${i}`]))
  const lines = ['flowchart LR']
  for (const [urn, id] of ids) {
    const node = known.nodes.get(urn)
    const name = node?.name || urn
    const platform = node?.platformName ? `<br/>${escaped(node.platformName)}` : ''
    lines.push(`  ${id}["${escaped(name)}${platform}"]`)
  }
  for (const [i, fold] of shown.folds.entries()) {
    const at = ids.get(fold.of)
    if (!at) continue
    lines.push(`  f${i}(["${escaped(foldLabel(fold.counts))}"])`)
    lines.push(fold.direction === 'up' ? `  f${i} --> ${at}` : `  ${at} --> f${i}`)
  }
  for (const { up, down, links } of shown.edges) {
    lines.push(`  ${ids.get(up)} ${links.every(({ manual }) => manual) ? '-.->' : '-->'} ${ids.get(down)}`)
  }
  const start = ids.get(root)
  if (start) lines.push(`  style ${start} stroke-width:3px`)
  return lines.join('\n') + '\n'
}

// In quoted text of mermaid, the characters of its syntax, of its directives (%%{ }) and of HTML are written
// as entities.
function escaped(text: string): string {
  return text.replace(/[\s]+/g, ' ').replace(/[#"<>&`\\%{}]/g, (c) => `#${c.charCodeAt(0)};`)
}

export function nodesCSV(known: Known, shown: Shown): string {
  const rows = [...shown.nodes]
    .map(([urn, degree]): [LineageNode | undefined, string, number] => [known.nodes.get(urn), urn, degree])
    .sort((a, b) => a[2] - b[2])
    .map(([node, urn, degree]) => [
      urn,
      node?.name,
      node ? typeLabel(node.type) : '',
      node?.platformName,
      degree,
      node ? names(node.owners) : '',
      node ? names(node.tags) : '',
      node ? names(node.terms) : '',
      node?.domain?.name,
      node?.columns,
      node?.upstreams,
      node?.downstreams,
      node?.deprecated,
      node?.removed,
    ])
  const header = ['urn', 'name', 'type', 'platform', 'degree', 'owners', 'tags', 'terms', 'domain', 'columns', 'upstreams', 'downstreams']
  return csv([...header, 'deprecated', 'removed'], rows)
}

export function edgesCSV(known: Known, shown: Shown): string {
  const name = (urn: string) => known.nodes.get(urn)?.name ?? ''
  const time = (at: number | null | undefined) => (at ? new Date(at).toISOString() : '')
  const rows = shown.edges.flatMap(({ up, down, links }) =>
    links.map((link) => [
      up,
      name(up),
      down,
      name(down),
      link.type,
      link.transformOperation,
      link.confidence,
      link.manual,
      link.query,
      link.statedBy.join('; '),
      time(link.since),
      link.sinceRun,
      link.sinceActor?.urn,
    ]),
  )
  const header = ['upstream', 'upstream name', 'downstream', 'downstream name', 'relationship', 'transformation', 'confidence', 'by hand', 'query']
  return csv([...header, 'stated by', 'since', 'run', 'actor'], rows)
}
