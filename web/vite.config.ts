import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'
import { documents } from './documents'
import { languages } from './languages/languages'
import { startPage, translated } from './languages/plugin'

const server = process.env.HEADWATER_URL ?? 'http://127.0.0.1:8080'

// One build of the page is in one language. English is the language of the source.
const id = process.env.HEADWATER_LANGUAGE ?? 'en'
const language = languages.find((one) => one.id === id)
if (!language && id !== 'en') throw new Error(`no language ${id} in languages/languages.ts`)

export default defineConfig({
  plugins: [...(language ? [translated(language)] : []), startPage(language), svelte(), documents()],
  define: { 'import.meta.env.VITE_LANGUAGE': JSON.stringify(id) },
  // The server delivers the page at / and at /ui/…, its files at /ui/assets/….
  base: '/ui/',
  build: {
    target: 'es2022',
    outDir: 'build',
    emptyOutDir: !language,
    // Each language has a folder of its own; English has the folder itself.
    assetsDir: language ? `assets/${id}` : 'assets',
    // No file is inlined as a data: URL, because the content security policy would have to allow that for
    // each kind of file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The licences of the libraries in the page, which they require.
    license: language ? false : { fileName: 'licences.txt' },
    reportCompressedSize: false,
    // The start page is one file with all that it needs: over a slow connection, each further file would wait for its turn.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', test: /src\/(main\.ts|screens\/home\/Home\.svelte)$/ }] } } },
  },
  worker: { format: 'es' },
  server: { proxy: { '^/(api|openapi|events|entities|aspects|runs|config|health|browser|docs|restli|auth|authenticate|audit|sso|callback|logIn|logOut|signUp|resetNativeUserCredentials)': server } },
  resolve: {
    ...(process.env.VITEST ? { conditions: ['browser'] } : {}),
    alias: {
      // The browser knows the names of characters that the library brings a table of.
      entities: fileURLToPath(new URL('./src/lib/entities.ts', import.meta.url)),
      '#locale': fileURLToPath(new URL(`./src/lib/locale/${id}.ts`, import.meta.url)),
    },
  },
  test: { include: ['src/**/*.test.ts', 'languages/*.test.ts', '*.test.ts'], environment: 'node', server: { deps: { inline: ['markdown-it'] } } },
})
