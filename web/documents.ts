import type { Plugin } from 'vite'

// The generated file has the documents of all screens. Each becomes a module of its own, so that a screen loads its
// own documents only, without the indentation that servers do not need.

const generated = '/src/gql/graphql'
const part = '?part='
const imports = /import\s*\{([^}]*)\}\s*from\s*(["'])([^"']*\/gql\/graphql)\2;?/g
const document = /^export const (\w+) = new TypedDocumentString\(`([^`]*)`(?:, \{[^}]*\})?\)/gm

/** The documents of the generated file, by name. */
export function documentsOf(source: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, name, text] of source.matchAll(document)) if (name !== undefined && text !== undefined) found.set(name, shortened(text))
  return found
}

/** A document without the white space that means nothing; texts within keep theirs. */
export function shortened(text: string): string {
  const pieces = text.split(/("(?:[^"\\]|\\.)*")/)
  return pieces.map((piece, i) => (i % 2 === 1 ? piece : piece.replace(/\s+/g, ' ').replace(/ ?([{}():,!=[\]]) ?/g, '$1'))).join('').trim()
}

/** Replaces the import of several documents by one import for each. */
export function importsSplit(code: string): string {
  return code.replace(imports, (_, names: string, __, file: string) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => `import { ${name} } from ${JSON.stringify(`${file}.ts${part}${name.split(/\s/)[0]}`)};`)
      .join(''),
  )
}

export function documents(): Plugin {
  let texts: Map<string, string> | undefined
  return {
    name: 'headwater-documents',
    apply: 'build',
    // After the compilers: the types among the imports are gone.
    enforce: 'post',
    transform(code) {
      return code.includes('/gql/graphql') ? { code: importsSplit(code), map: null } : undefined
    },
    load: {
      order: 'pre',
      async handler(id) {
        const [file, name] = id.split(part)
        if (file === undefined || name === undefined || !file.endsWith(`${generated}.ts`)) return undefined
        texts ??= documentsOf(await this.fs.readFile(file, { encoding: 'utf8' }))
        const text = texts.get(name)
        if (text === undefined) throw new Error(`${file} has no document ${name}`)
        return { code: `export const ${name} = ${JSON.stringify(text)}`, moduleSideEffects: false }
      },
    },
  }
}
