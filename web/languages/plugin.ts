import { relative, sep } from 'node:path'
import type { Plugin } from 'vite'
import { hasTexts, readCatalogue } from './source'
import type { Language } from './languages'
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
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => html.replace('<html lang="en" dir="ltr">', `<html lang="${language.id}" dir="${language.direction}">`),
    },
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const index = bundle['index.html']
        if (index?.type !== 'asset') return
        delete bundle['index.html']
        this.emitFile({ type: 'asset', fileName: `index.${language.id}.html`, source: index.source })
      },
    },
  }
}
