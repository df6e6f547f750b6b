package gql_test

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// TestIngestionForms: the page can make a form of a type of sources, and check a recipe.
func TestIngestionForms(t *testing.T) {
	h := gql.New(gql.Options{Catalog: testcatalog.New(t)})
	answer := ask(t, h, `{ ingestionForms { client forms { type title } } ingestionForm(type: "postgres") { native settings { path kind required basic default choices } } nosuch: ingestionForm(type: "nosuch") { type } }`, nil)
	for _, want := range []string{
		`{"type":"unity-catalog","title":"Databricks Unity Catalog"}`, `"nosuch":null`,
		`{"path":"host_port","kind":"text","required":true,"basic":true,"default":null,"choices":[]}`,
		`{"path":"password","kind":"secret","required":false,"basic":true,"default":null,"choices":[]}`,
		`{"path":"profiling.enabled","kind":"boolean","required":false,"basic":true,"default":"false","choices":[]}`,
		`{"path":"auth_mode","kind":"choice","required":false,"basic":false,"default":"PASSWORD","choices":["PASSWORD","AWS_IAM"]}`,
	} {
		if !strings.Contains(answer, want) {
			t.Errorf("no %s in %s", want, answer)
		}
	}
	const problems = `query q($recipe: String!) { ingestionRecipeProblems(recipe: $recipe) { path message warning } }`
	answer = ask(t, h, problems, map[string]any{"recipe": `{"source": {"type": "postgres", "config": {"host_port": "a", "user": "b"}}}`})
	if !strings.Contains(answer, `"path":"source.config.user"`) || !strings.Contains(answer, `"warning":true`) {
		t.Error(answer)
	}
	for length, refused := range map[int]bool{limits.IngestionRecipe: false, limits.IngestionRecipe + 1: true} {
		answer = ask(t, h, problems, map[string]any{"recipe": strings.Repeat(" ", length)})
		if strings.Contains(answer, `"errors"`) != refused {
			t.Errorf("a recipe of %d bytes: %s", length, answer)
		}
	}
}
