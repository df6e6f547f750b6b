// Columns: their URNs, and their paths in the form that people know.

import { split } from './urns'

const start = /^urn:[^:]+:schemaField:\(/

/** The entity and the path in the URN of a column; undefined for any other URN. */
export function columnOf(urn: string): { entity: string; path: string } | undefined {
  const before = start.exec(urn)?.[0]
  if (before === undefined || !urn.endsWith(')')) return undefined
  const [entity = '', ...path] = split(urn.slice(before.length, -1))
  // The path may hold anything, commas outside of brackets too.
  const text = decodePath(path.join(','))
  return text ? { entity, path: text } : undefined
}

/** The URN of a column of an entity. */
export function columnUrn(entity: string, path: string): string {
  const namespace = entity.split(':', 2)[1] ?? 'li'
  const encoded = path.replace(/[,()]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `urn:${namespace}:schemaField:(${entity},${encoded})`
}

/**
 * A path in its original form; in the URN of a column, its commas and brackets are written as %2C, %28 and
 * %29.
 */
export function decodePath(text: string): string {
  return text.replace(/%(2C|28|29)/gi, (whole) => decodeURIComponent(whole))
}

const marker = /^\[(?:version|type|key)=/

/** A path without the markers of version 2: [version=2.0].[type=struct].a.[type=int].b is a.b. */
export function readablePath(path: string): string {
  if (!path.includes('[')) return path
  const parts = steps(path).filter((part) => !marker.test(part))
  return parts.length > 0 ? parts.join('.') : path
}

// Dots within square brackets do not separate.
function steps(path: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i < path.length; i++) {
    const c = path[i]
    if (c === '[') depth++
    else if (c === ']') depth = Math.max(0, depth - 1)
    else if (c === '.' && depth === 0) {
      parts.push(path.slice(from, i))
      from = i + 1
    }
  }
  parts.push(path.slice(from))
  return parts.filter(Boolean)
}
