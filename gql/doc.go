// Package gql serves the GraphQL interface. It has the engine of gqlgen over the schema in
// schema/, resolvers that are a thin layer over package catalog and the packages below it, and
// the envelope of errors and responses.
package gql

//go:generate go run ./generate
