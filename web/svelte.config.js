import { vitePreprocess } from '@sveltejs/vite-plugin-svelte'

// The class that keeps the styles of a component to itself is short: the usual name is longer and compresses badly.
const classes = new Map()

export default {
  preprocess: vitePreprocess(),
  compilerOptions: {
    runes: true,
    cssHash: ({ hash, css, filename }) => {
      const name = `s${hash(filename ?? css).slice(0, 5)}`
      const other = classes.get(name)
      if (other !== undefined && other !== filename) throw new Error(`${filename} and ${other} have the same class ${name}`)
      classes.set(name, filename)
      return name
    },
  },
}
