package gql_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/sample"
)

// documentsVariable names the variable with a directory of GraphQL documents that clients send.
// These documents belong to other people and are never committed.
const documentsVariable = "HEADWATER_CLIENT_DOCUMENTS"

// clientDocuments are the operations of a directory, and the fragments of all its files.
type clientDocuments struct {
	operations []*ast.OperationDefinition
	fragments  map[string]*ast.FragmentDefinition
}

// readDocuments reads every document of the directory. If there is no directory, readDocuments
// skips the test.
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

// text is an operation with its fragments, as a request sends it.
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

// notHere are the queries that are valid and whose answer is always an error.
var notHere = []string{"getAccessToken", "getAccessTokenMetadata", "getInviteToken"}

// TestClientDocuments validates each operation that a client sends, and runs the queries among
// them on the sample catalog.
func TestClientDocuments(t *testing.T) {
	docs, schema := readDocuments(t), loadSchema(t)
	c, policies := testcatalog.WithPolicies(t, nil)
	if _, err := sample.Load(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	urns, h := sampleURNs(t, c, schema), gql.New(gql.Options{Catalog: c, Policies: policies})
	valid, ran := 0, 0
	for _, op := range docs.operations {
		text := docs.text(op)
		doc, errs := gqlparser.LoadQueryWithRules(schema, text, nil)
		if errs != nil {
			t.Errorf("%s %s (%s): %s", op.Operation, op.Name, op.Position.Src.Name, reasonsOf(errs))
			continue
		}
		valid++
		if op.Operation != ast.Query || slices.Contains(notHere, op.Name) {
			continue
		}
		for _, urn := range rootURNs(doc.Operations[0], urns) {
			ran++
			variables := map[string]any{}
			for _, v := range op.VariableDefinitions {
				if value, ok := (sampler{schema, urn}).value(v.Variable, v.Type); ok {
					variables[v.Variable] = value
				}
			}
			answer := ask(t, h, text, variables)
			if strings.HasPrefix(answer, `{"errors"`) {
				t.Errorf("%s (%s) %v: %.400s", op.Name, op.Position.Src.Name, variables, answer)
			}
		}
	}
	t.Logf("%d operations are valid; %d requests ran", valid, ran)
}

// reasonsOf returns the different messages of errors.
func reasonsOf(errs gqlerror.List) string {
	var reasons []string
	for _, err := range errs {
		if !slices.Contains(reasons, err.Message) {
			reasons = append(reasons, err.Message)
		}
	}
	return strings.Join(reasons, "; ")
}

// rootURNs returns the entities with which an operation is tested: the entities of the type
// that the operation reads, or else a dataset.
func rootURNs(op *ast.OperationDefinition, urns map[string][]string) []string {
	for _, selected := range op.SelectionSet {
		field, ok := selected.(*ast.Field)
		switch {
		case ok && field.Name == "listDataProductAssets":
			return urns["dataProduct"]
		case ok && len(urns[field.Name]) > 0:
			return urns[field.Name]
		}
	}
	return urns["dataset"][:1]
}

// sampler makes values of variables: required values, pages, and the entity of the test.
type sampler struct {
	schema *ast.Schema
	urn    string
}

// value returns a value for a variable with a name and a type. It returns false if the variable
// is left out.
func (s sampler) value(name string, t *ast.Type) (any, bool) {
	lower := strings.ToLower(name)
	switch {
	case t.Elem != nil:
		if lower == "urns" {
			return []any{s.urn}, true
		}
		return []any{}, t.NonNull || lower == "path"
	case strings.HasSuffix(lower, "viewurn"), strings.HasSuffix(lower, "default"):
		return nil, false
	case strings.HasSuffix(lower, "urn"):
		return s.urn, true
	case lower == "query":
		return "a", true
	case lower == "field":
		return "platform", t.NonNull
	}
	def := s.schema.Types[t.Name()]
	switch def.Kind {
	case ast.Enum:
		if def.Name == "EntityType" {
			return "DATASET", t.NonNull || lower == "type"
		}
		return def.EnumValues[0].Name, t.NonNull
	case ast.InputObject:
		if !t.NonNull {
			return nil, false
		}
		members := map[string]any{}
		for _, f := range def.Fields {
			if value, ok := s.value(f.Name, f.Type); ok {
				members[f.Name] = value
			}
		}
		return members, true
	}
	switch t.Name() {
	case "Int", "Long":
		if lower == "start" {
			return 0, true
		}
		return 5, t.NonNull || lower == "count"
	case "Boolean":
		return false, t.NonNull
	}
	return "x", t.NonNull
}
