import { svelte, vitePreprocess } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

// A page of its own: the engine itself, built as for the product, and the other libraries beside it.
export default defineConfig({
  root: import.meta.dirname,
  plugins: [svelte({ configFile: false, preprocess: vitePreprocess(), compilerOptions: { runes: undefined } })],
  resolve: { dedupe: ['svelte'] },
  build: {
    target: 'es2022',
    outDir: 'build',
    emptyOutDir: true,
    reportCompressedSize: false,
    rolldownOptions: { input: ['index.html', 'flow.html'].map((name) => `${import.meta.dirname}/${name}`) },
  },
  worker: { format: 'es' },
})
