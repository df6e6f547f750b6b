import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

const server = process.env.HEADWATER_URL ?? 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [svelte()],
  // The server delivers the page at / and at /ui/…, its files at /ui/assets/….
  base: '/ui/',
  build: {
    target: 'es2022',
    outDir: 'build',
    // No file is inlined as a data: URL, because the content security policy would have to allow that for
    // each kind of file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The licences of the libraries in the page, which they require.
    license: { fileName: 'licences.txt' },
    reportCompressedSize: false,
  },
  worker: { format: 'es' },
  server: { proxy: { '^/(api|openapi|events|entities|aspects|runs|config|health|browser|docs|restli|auth|authenticate|audit|sso|callback|logIn|logOut|signUp|resetNativeUserCredentials)': server } },
  resolve: process.env.VITEST ? { conditions: ['browser'] } : {},
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
})
