package model

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// notHeld are the folders that may spell names as text: programs that check the server
// share no code with it, stores do not know the model, and fields of GraphQL in gql/object
// often have the names of aspects.
var notHeld = map[string]bool{
	"catalog/catalogtest": true,
	"attack":              true, "oracle": true, "bench": true, "e2e": true, "graphstore": true, "cypher": true, "indexer/indextest": true,
	"gql/generated": true, "gql/object": true, ".git": true, "bin": true,
	"gql/costtable.go": true, // names fields of the GraphQL schema
	"model/lineage.go": true, // has the constant of a relationship that is not in the tables
}

// TestNamesAreConstants finds names of aspects, entity types and relationships that are
// written as text. It ignores single words, and names that a member of a record or a search
// field also has, because these may mean something else.
func TestNamesAreConstants(t *testing.T) {
	names := unmistakable(t)
	root := ".."
	parsed := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, _ := filepath.Rel(root, path) // cannot fail, because path is below root
		if entry.IsDir() {
			if notHeld[filepath.ToSlash(below)] {
				return filepath.SkipDir
			}
			return nil
		}
		if notHeld[filepath.ToSlash(below)] || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_gen.go") {
			return nil
		}
		parsed++
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if constant := names[text]; err == nil && constant != "" {
				t.Errorf("%s: write model.%s instead of %q", files.Position(literal.Pos()), constant, text)
			}
			return true
		})
		return nil
	})
	if err != nil || parsed < 100 {
		t.Fatalf("%d files were read: %v", parsed, err)
	}
}

// unmistakable returns the names of more than one word that nothing else in the model has,
// with their constants.
func unmistakable(t *testing.T) map[string]string {
	t.Helper()
	r := Default()
	names := map[string]string{}
	add := func(prefix, name string) {
		if strings.ContainsFunc(name[1:], unicode.IsUpper) {
			names[name] = prefix + strings.ToUpper(name[:1]) + name[1:]
		}
	}
	for name := range r.aspects {
		add("Aspect", name)
	}
	for name := range r.entities {
		add("Entity", name)
	}
	for _, name := range r.names {
		add("Relationship", name)
	}
	for _, a := range r.aspects {
		for _, field := range a.search {
			delete(names, field.Name)
		}
	}
	for _, record := range r.types {
		for _, field := range record.fields {
			delete(names, field.Name)
		}
	}
	for _, name := range []string{AspectUpstreamLineage, EntityGlossaryTerm, RelationshipTaggedWith} {
		if names[name] == "" {
			t.Errorf("%s is not looked for", name)
		}
	}
	return names
}
