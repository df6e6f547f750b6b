package gql_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// packageVariable names the variable with the folder of an installed client package. Python
// imports this package as datahub.
const packageVariable = "HEADWATER_CLIENT_PACKAGE"

// testedRelease is the release of the client whose documents are validated.
const testedRelease = "1.7.0.17"

// clientPackage returns the folder of the client package: the one that HEADWATER_CLIENT_PACKAGE
// names, or else the one in a virtual environment of the Python tests. If there is neither, the
// test is skipped.
func clientPackage(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv(packageVariable); dir != "" {
		return dir
	}
	return installed(t, "acryl_datahub-"+testedRelease, "datahub")
}

// installed returns a folder of a Python package in one of the virtual environments of the
// Python tests. If none of them has the package, the test is skipped.
func installed(t *testing.T, release, folder string) string {
	t.Helper()
	cache := os.Getenv("HEADWATER_CACHE")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(home, ".cache", "headwater")
	}
	found, err := filepath.Glob(filepath.Join(cache, "venv-*", "lib", "python3*", "site-packages", release+".dist-info"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Skipf("%s is not installed in %s", release, cache)
	}
	return filepath.Join(filepath.Dir(found[0]), folder)
}

// packageText is a document of a package with its file and line.
type packageText struct{ Source, Text string }

// packageTexts returns the documents in the files and in the code of a package.
func packageTexts(t *testing.T, dir string) []packageText {
	t.Helper()
	list := exec.Command("python3", "../e2e/python/graphql_documents.py", dir)
	list.Stderr = os.Stderr
	text, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	var found []packageText
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&found); err != nil {
		t.Fatal(err)
	}
	return found
}

// packageDocuments returns the documents of a package, without documents for other services.
func packageDocuments(t *testing.T, dir string) (documents []*ast.QueryDocument, fragments map[string]*ast.FragmentDefinition) {
	t.Helper()
	fragments = map[string]*ast.FragmentDefinition{}
	for _, d := range packageTexts(t, dir) {
		if slices.ContainsFunc(otherServices, func(prefix string) bool { return strings.HasPrefix(d.Source, prefix) }) {
			continue
		}
		file, _, _ := strings.Cut(d.Source, ":")
		doc, err := parser.ParseQuery(&ast.Source{Name: file, Input: d.Text})
		if err != nil {
			t.Errorf("%s: %v", d.Source, err)
			continue
		}
		documents = append(documents, doc)
		for _, f := range doc.Fragments {
			fragments[f.Name] = f
		}
	}
	return documents, fragments
}

// otherServices are the parts of the package that send GraphQL to other services.
var otherServices = []string{"ingestion/source/dbt/", "ingestion/source/montecarlo/", "ingestion/source/tableau/"}

// TestClientPackage validates every GraphQL document of the client package.
func TestClientPackage(t *testing.T) {
	documents, fragments := packageDocuments(t, clientPackage(t))
	schema, all, valid := loadSchema(t), &clientDocuments{fragments: fragments}, 0
	for _, doc := range documents {
		for _, op := range doc.Operations {
			if _, errs := gqlparser.LoadQueryWithRules(schema, all.text(op), nil); errs != nil {
				t.Errorf("%s %s: %s", op.Position.Src.Name, nameOfOperation(op), reasonsOf(errs))
				continue
			}
			valid++
		}
	}
	if valid < 50 {
		t.Errorf("only %d operations were found", valid)
	}
	t.Logf("%d operations are valid", valid)
}

// nameOfOperation returns the name of an operation. For an operation without a name, it returns
// the name of the first field.
func nameOfOperation(op *ast.OperationDefinition) string {
	if op.Name != "" {
		return op.Name
	}
	if field, ok := op.SelectionSet[0].(*ast.Field); ok {
		return field.Name
	}
	return ""
}
