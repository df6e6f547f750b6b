// Package resolver answers GraphQL fields from package catalog.
package resolver

import "github.com/headwater-io/headwater/catalog"

// Resolver is what every field is resolved from.
type Resolver struct{ Catalog *catalog.Catalog }
