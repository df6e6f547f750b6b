import type { CodegenConfig } from '@graphql-codegen/cli'

// Generates the types of the page's GraphQL operations from the schema of the server.
const config: CodegenConfig = {
  schema: '../gql/generated/schema/*.graphql',
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
