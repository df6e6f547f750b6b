// Generate makes the generated code of package gql, as gqlgen's own command
// does, but so that the fields of an object are resolved one after the other,
// and without the parts that nothing calls.
//
// What a field needs is read for its whole object, and for all objects beside
// it, when the first field asks: the others have nothing to wait for, and a
// goroutine each would cost more than they do. The items of lists, and the
// operations of a query, are still resolved side by side.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

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
	if err := leanRequests(filepath.Join("generated", "root_.generated.go")); err != nil {
		return err
	}
	return leanContexts("generated")
}

// unmarshalers are what the engine collects anew for every request, for
// directives that read inputs. There are none, and collecting them took a
// seventh of what a small request allocates.
var unmarshalers = regexp.MustCompile(`(?m)^\t\tec\.unmarshalInput\w+,\n`)

// leanRequests takes them out of the generated code.
func leanRequests(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lean := unmarshalers.ReplaceAll(text, nil)
	if len(lean) == len(text) {
		return fmt.Errorf("%s has changed its form: no input unmarshalers in it", path)
	}
	return os.WriteFile(path, lean, 0o644)
}

// children are functions that find the context of a field below a field. Only
// directives that look ahead call them. There are none, and each function lists
// all fields of its type, so they were a third of the generated code.
var children = regexp.MustCompile(`(?ms)^\t\tChild: func\(.*?^\t\t},\n`)

// leanContexts removes these functions from the generated code in dir, and the
// imports that only they used.
func leanContexts(dir string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	found := false
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lean := children.ReplaceAll(text, nil)
		if len(lean) == len(text) {
			continue
		}
		found = true
		for _, name := range []string{"errors", "fmt"} {
			if !bytes.Contains(lean, []byte(name+".")) {
				lean = bytes.Replace(lean, []byte("\t\""+name+"\"\n"), nil, 1)
			}
		}
		if err := os.WriteFile(path, lean, 0o644); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("%s has changed its form: no contexts of children in it", dir)
	}
	return nil
}
