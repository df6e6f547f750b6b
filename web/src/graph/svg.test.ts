import { describe, expect, it } from 'vitest'
import type { Palette } from './palette'
import { escapeXml, svgOf } from './svg'
import { anyGraph, nodeOf, solved } from './testing'

const palette = new Proxy({} as Palette, { get: (_, name) => (name === 'font' ? '"Some", sans-serif' : `#${String(name).length.toString(16).padStart(6, '0')}`) })
const svg = (graph: Parameters<typeof solved>[0]) => svgOf(solved(graph).scene, palette, () => 0)

describe('a picture', () => {
  it('has each node and each line', () => {
    const graph = anyGraph(4, 30, 40)
    const text = svg(graph)
    expect(text.match(/<title>/g)).toHaveLength(30)
    const { scene } = solved(graph)
    expect(text.match(/<path d="M[^"]*" fill="none" stroke="[^"]*" stroke-width="1.4"\/>/g)).toHaveLength(scene.structure.from.length)
  })

  it('shows names as text, whatever they are', () => {
    const text = svg({ nodes: [nodeOf('urn"><script>alert(1)</script>', { title: '<b onload="x">&\u0000', columns: [{ id: 'a', name: "'</text>" }] })], edges: [] })
    expect(text).not.toMatch(/<script|<b |\u0000|<\/text>'/)
    expect(text).toContain('&lt;b onload=&quot;x&quot;&gt;&amp;')
    expect(text).toContain('&#39;&lt;/text&gt;')
  })

  it('tells what was added and what ended', () => {
    const text = svg({
      nodes: [nodeOf('a', { change: 'ended' }), nodeOf('b', { change: 'added' })],
      edges: [{ id: 'e', from: 'a', to: 'b', change: 'ended' }],
    })
    expect(text.match(/stroke-dasharray="7 5"/g)).toHaveLength(2)
    expect(text).toContain(palette.added)
  })

  it('has the signs of jobs on the edges that they make, above the lines and between their ends', () => {
    const nodes = [nodeOf('a'), nodeOf('b')]
    const plain = svg({ nodes, edges: [{ id: 'e', from: 'a', to: 'b' }] })
    expect(plain).not.toContain('<circle')
    const text = svg({ nodes, edges: [{ id: 'e', from: 'a', to: 'b', through: 'job', title: 'by <load>', dim: true }] })
    const [, x, y] = /<g opacity="0.3"><title>by &lt;load&gt;<\/title><circle cx="([\d.-]+)" cy="([\d.-]+)" r="10"/.exec(text)!.map(Number)
    const { scene } = solved({ nodes, edges: [{ id: 'e', from: 'a', to: 'b' }] })
    const [from, to] = [scene.solved.x[0]! + 240, scene.solved.x[1]!].sort((one, other) => one - other)
    expect(x).toBeGreaterThan(from!)
    expect(x).toBeLessThan(to!)
    expect(y).toBeGreaterThan(scene.solved.y[0]!)
    expect(text.indexOf('<circle')).toBeGreaterThan(text.lastIndexOf('l-8 -4v8z'))
  })

  it('is escaped once', () => {
    expect(escapeXml('a & b < c')).toBe('a &amp; b &lt; c')
  })
})
