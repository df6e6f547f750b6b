// Graphs for tests.

import { type Answer, Known, type LineageNode, type Link, type Ref } from './known'

export const dataset = (name: string): string => `urn:li:dataset:(urn:li:dataPlatform:x,${name},PROD)`

export function node(name: string, changes: Partial<LineageNode> = {}): LineageNode {
  return {
    urn: dataset(name),
    type: 'dataset',
    name,
    platform: 'urn:li:dataPlatform:x',
    platformName: 'X',
    exists: true,
    removed: false,
    deprecated: false,
    owners: [],
    tags: [],
    terms: [],
    upstreams: 0,
    downstreams: 0,
    columns: 0,
    ...changes,
  }
}

export function link(up: string, down: string, changes: Partial<Link> = {}): Link {
  return { upstream: dataset(up), downstream: dataset(down), type: 'DownstreamOf', manual: false, statedBy: [], since: 1, ...changes }
}

export const person = (name: string): Ref => ({ urn: `urn:li:corpuser:${name}`, type: 'corpuser', name })

/** A graph from lines such as "a > b", with the numbers of neighbours that follow from the lines. */
export function graph(edges: readonly string[], changes: Record<string, Partial<LineageNode>> = {}): Known {
  const known = new Known()
  known.add(answer(edges, changes), '', [], 0)
  return known
}

export function answer(edges: readonly string[], changes: Record<string, Partial<LineageNode>> = {}): Answer {
  const pairs = edges.map((edge): [string, string] => {
    const [up = '', down = ''] = edge.split(' > ')
    return [up, down]
  })
  const names = [...new Set(pairs.flat())]
  return {
    nodes: names.map((name) => ({
      ...node(name, {
        upstreams: pairs.filter(([, down]) => down === name).length,
        downstreams: pairs.filter(([up]) => up === name).length,
        ...changes[name],
      }),
      degree: 0,
    })),
    edges: pairs.map(([up, down]) => link(up, down)),
    total: names.length,
    partial: false,
  }
}
