// Package gql serves the GraphQL interface: gqlgen's engine over the schema in
// schema/, resolvers that are a thin layer over package catalog and its rooms,
// and the error and response envelope of the interface.
package gql

//go:generate go run ./generate
