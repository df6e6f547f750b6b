//go:build tools

package gql

import _ "github.com/99designs/gqlgen" // the generator that doc.go runs
