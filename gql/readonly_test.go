package gql_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/gql/generated"
)

// TestReadOnly: a read-only server refuses every mutation of the schema with 403, also if a
// request has other fields, and tells applications that it is read-only. Queries are answered.
func TestReadOnly(t *testing.T) {
	usual := func(urn string) string { return urn }
	r := newSpelledRun(t, usual)
	r.h.SetReadOnly(true)
	before := r.h.State()
	type errors struct {
		Errors []struct {
			Message    string
			Extensions struct{ Code int }
		}
		Data json.RawMessage
	}
	refused := func(what, text string) {
		t.Helper()
		var answer errors
		if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Errors) != 1 || answer.Errors[0].Extensions.Code != 403 ||
			!strings.Contains(answer.Errors[0].Message, "read-only") || string(answer.Data) != "null" {
			t.Errorf("%s: %.300s %v", what, text, err)
		}
	}
	tried := map[string]bool{}
	for _, step := range mutationSteps {
		name, _, _ := strings.Cut(strings.TrimPrefix(step, "!"), "(")
		tried[name] = true
		refused(step, r.do(step, usual))
	}
	for _, field := range generated.NewExecutableSchema(generated.Config{}).Schema().Mutation.Fields {
		if !tried[field.Name] {
			t.Errorf("%s is not tried", field.Name)
		}
	}
	refused("two at once", r.do(`a: deleteTag(urn: @pii) b: deleteTag(urn: @old)`, usual))
	if diff := cmp.Diff(before, r.h.State()); diff != "" {
		t.Errorf("a read-only server has changed (-before +after):\n%s", diff)
	}
	for _, readOnly := range []bool{true, false} {
		r.h.SetReadOnly(readOnly)
		said := ask(t, gql.New(gql.Options{Catalog: r.h.Services}), `{ appConfig { featureFlags { readOnlyModeEnabled } } }`, nil)
		if want := fmt.Sprintf(`"readOnlyModeEnabled":%t`, readOnly); !strings.Contains(said, want) {
			t.Errorf("%s, want %s", said, want)
		}
	}
	if text := r.do(`deleteTag(urn: @pii)`, usual); strings.Contains(text, "errors") {
		t.Errorf("a server that is not read-only any more: %s", text)
	}
}
