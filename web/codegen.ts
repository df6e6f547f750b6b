import { existsSync } from 'node:fs'
import type { CodegenConfig } from '@graphql-codegen/cli'

// Until the server's schema has all that the page asks for.
const planned = '/tmp/web22/schema.graphql'

// Types of the page's GraphQL operations, from the schema that the server has.
const config: CodegenConfig = {
  schema: ['../gql/schema/*.graphql', ...(existsSync(planned) ? [planned] : [])],
  documents: 'src/**/*.graphql',
  generates: {
    'src/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        enumsAsTypes: true,
        useTypeImports: true,
        skipTypename: true,
        scalars: { Long: 'number' },
      },
    },
  },
}

export default config
