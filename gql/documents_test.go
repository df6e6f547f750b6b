package gql_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/parser"
)

// documentsVariable names a directory of GraphQL documents that clients send.
// They are other people's and never committed.
const documentsVariable = "HEADWATER_CLIENT_DOCUMENTS"

// clientDocuments are the operations of a directory, each with the fragments
// that it needs from any of the files.
type clientDocuments struct {
	operations []*ast.OperationDefinition
	fragments  map[string]*ast.FragmentDefinition
}

// readDocuments reads every document of the directory, and skips the test
// where there is none.
func readDocuments(t *testing.T) *clientDocuments {
	t.Helper()
	dir := os.Getenv(documentsVariable)
	if dir == "" {
		t.Skip(documentsVariable + " names no directory of client documents")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.graphql"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no documents in %s: %v", dir, err)
	}
	docs := &clientDocuments{fragments: map[string]*ast.FragmentDefinition{}}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := parser.ParseQuery(&ast.Source{Name: filepath.Base(path), Input: string(text)})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		docs.operations = append(docs.operations, doc.Operations...)
		for _, f := range doc.Fragments {
			docs.fragments[f.Name] = f
		}
	}
	slices.SortFunc(docs.operations, func(a, b *ast.OperationDefinition) int { return strings.Compare(a.Name, b.Name) })
	return docs
}

// text is an operation with its fragments as a request has it.
func (d *clientDocuments) text(op *ast.OperationDefinition) string {
	doc := &ast.QueryDocument{Operations: ast.OperationList{op}}
	seen := map[string]bool{}
	var gather func(ast.SelectionSet)
	gather = func(set ast.SelectionSet) {
		for _, selected := range set {
			switch s := selected.(type) {
			case *ast.Field:
				gather(s.SelectionSet)
			case *ast.InlineFragment:
				gather(s.SelectionSet)
			case *ast.FragmentSpread:
				if f := d.fragments[s.Name]; f != nil && !seen[s.Name] {
					seen[s.Name] = true
					doc.Fragments = append(doc.Fragments, f)
					gather(f.SelectionSet)
				}
			}
		}
	}
	gather(op.SelectionSet)
	var b bytes.Buffer
	formatter.NewFormatter(&b).FormatQueryDocument(doc)
	return b.String()
}

// TestClientDocuments validates every operation that a client sends.
func TestClientDocuments(t *testing.T) {
	docs, schema := readDocuments(t), loadSchema(t)
	for _, op := range docs.operations {
		_, errs := gqlparser.LoadQuery(schema, docs.text(op))
		if errs == nil {
			continue
		}
		reasons := []string{}
		for _, err := range errs {
			if !slices.Contains(reasons, err.Message) {
				reasons = append(reasons, err.Message)
			}
		}
		t.Errorf("%s %s (%s):\n\t%s", op.Operation, op.Name, op.Position.Src.Name, strings.Join(reasons, "\n\t"))
	}
}
