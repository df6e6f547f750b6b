import { relative, sep } from 'node:path'
import type { Plugin } from 'vite'
import type { Catalogue } from './catalogue'
import type { Language } from './languages'
import { hasTexts, readCatalogue } from './source'
import { documentOf, withoutShell } from './startpage'
import { translate } from './translate'

/** Builds the page in another language: its source is translated before it is compiled. */
export function translated(language: Language): Plugin {
  const catalogue = readCatalogue(language.id)
  let root = ''
  return {
    name: 'headwater-translated',
    enforce: 'pre',
    configResolved(config) {
      root = config.root
    },
    transform(code, id) {
      const file = relative(root, id).split(sep).join('/')
      return hasTexts(file) ? { code: translate(code, file, catalogue), map: null } : undefined
    },
  }
}

/** Makes two documents of index.html: the one of the start page, and the one of all other screens. */
export function startPage(language: Language | undefined): Plugin {
  const catalogue: Catalogue = language ? readCatalogue(language.id) : new Map()
  return {
    name: 'headwater-start-page',
    transformIndexHtml: { order: 'pre', handler: (html) => documentOf(html, catalogue, language) },
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const index = bundle['index.html']
        if (index?.type !== 'asset') return
        delete bundle['index.html']
        const html = String(index.source)
        const end = language ? `.${language.id}.html` : '.html'
        this.emitFile({ type: 'asset', fileName: `index${end}`, source: withoutShell(html) })
        this.emitFile({ type: 'asset', fileName: `start${end}`, source: html })
      },
    },
  }
}
