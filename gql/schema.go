package gql

import (
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/headwater-io/headwater/gql/generated"
)

// directiveDefinition is a place for @deprecated that the draft of September 2025 added. Clients
// that know only earlier places refuse a whole schema with it: graphql-core 3.2, by which the
// Python client 0.10.5 reads the schema before its first query.
const directiveDefinition = "DIRECTIVE_DEFINITION"

// schemaForClients returns the schema as clients can read it by introspection.
func schemaForClients() *ast.Schema {
	schema := *generated.NewExecutableSchema(generated.Config{}).Schema()
	schema.Directives = maps.Clone(schema.Directives)
	for name, d := range schema.Directives {
		known := *d
		known.Locations = slices.DeleteFunc(slices.Clone(d.Locations), func(l ast.DirectiveLocation) bool { return l == directiveDefinition })
		schema.Directives[name] = &known
	}
	return &schema
}
