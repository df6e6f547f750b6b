// Generate makes the generated code of package gql, as gqlgen's own command does, with three
// differences. The fields of an object are resolved one after the other, parts that nothing
// calls are left out, and code that is equal for many fields is in one function. The reasons
// are in docs/decisions/0017-gqlgen.md.
//
// The data of a field is read for its whole object, and for all objects at the same place, when
// the first field needs it. The other fields then have nothing to wait for, and a goroutine for
// each would cost more than the field. The items of lists, and the operations of a query, are
// still resolved concurrently.
package main

import (
	"fmt"
	"os"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
)

// inOrder resolves the fields of objects one after the other.
type inOrder struct{}

func (inOrder) Name() string { return "in order" }

// GenerateCode runs before the code is written.
func (inOrder) GenerateCode(data *codegen.Data) error {
	for _, o := range data.Objects {
		o.DisableConcurrency = o.DisableConcurrency || o.Name != data.Schema.Query.Name
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	c, err := config.LoadConfig("gqlgen.yml")
	if err != nil {
		return err
	}
	if err := api.Generate(c, api.AddPlugin(inOrder{})); err != nil {
		return err
	}
	if err := lean("generated"); err != nil {
		return err
	}
	return share("generated")
}
