import { describe, expect, it } from 'vitest'
import { mostBytes, NoChange, overlayOf, overlayOfHash } from './overlay'

async function hashOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

describe('a change in an address', () => {
  it('is read', async () => {
    const overlay = [{ entityUrn: 'urn:li:dataset:(urn:li:dataPlatform:hive,größe,PROD)' }]
    expect(await overlayOfHash(await hashOf(JSON.stringify({ overlay })))).toEqual(overlay)
  })
  it('is refused if it is none', async () => {
    for (const hash of ['***', 'AAAA', await hashOf('{}'), await hashOf('no JSON'), (await hashOf(JSON.stringify({ overlay: [{ a: 'much text '.repeat(20) }] }))).slice(0, -9)]) await expect(overlayOfHash(hash), hash).rejects.toThrow(NoChange)
  })
  it('is refused if it unfolds to too much', async () => {
    const text = (size: number) => JSON.stringify({ overlay: ['x'.repeat(size - 16)] })
    expect(text(mostBytes)).toHaveLength(mostBytes)
    expect(await overlayOfHash(await hashOf(text(mostBytes)))).toHaveLength(1)
    await expect(overlayOfHash(await hashOf(text(mostBytes + 1)))).rejects.toThrow('too large')
  })
})

describe('a change in a file', () => {
  it('is read', () => expect(overlayOf('{"overlay":[]}')).toEqual([]))
  it('is refused if it is none', () => {
    for (const text of ['', '[]', 'null', '{"overlay":1}']) expect(() => overlayOf(text), text).toThrow(NoChange)
  })
})
