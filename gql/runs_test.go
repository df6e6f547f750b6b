package gql_test

import (
	"context"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testcatalog"
)

// withoutBefore is a store that cannot read older versions.
type withoutBefore struct{ graphstore.Store }

func (withoutBefore) VersionsBefore(context.Context, []graphstore.AspectKey, graphstore.Origin) ([]*graphstore.Aspect, error) {
	return nil, graphstore.ErrUnavailable
}

// TestPreviewPosition: a preview is read on from where a part of it ended, and from
// nowhere else.
func TestPreviewPosition(t *testing.T) {
	c := testcatalog.New(t)
	_, err := c.Ingest(t.Context(), catalog.Proposal{
		EntityType: "dataset", EntityURN: orders, AspectName: "datasetProperties", Aspect: &catalog.GenericAspect{Value: []byte(`{"description":"d"}`), ContentType: "application/json"},
		System: &catalog.SystemMetadata{RunID: "previewed"},
	}, catalog.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h := gql.New(gql.Options{Catalog: c})
	for _, test := range []struct{ after, want string }{
		{"rows:", `{"rollbackPreview":{"entitiesAffected":1,"next":null}}`},
		{"rows:?", `"code":400`},
		{"nowhere", `is not a position of a rollback`},
	} {
		got := ask(t, h, `{ rollbackPreview(runId: "previewed", after: "`+test.after+`") { entitiesAffected next } }`, nil)
		if !strings.Contains(got, test.want) {
			t.Errorf("%q: %s", test.after, got)
		}
	}
}

// TestRunWithoutItsValues: a run whose values cannot be read is an error and not a page
// without values.
func TestRunWithoutItsValues(t *testing.T) {
	c := testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store { return withoutBefore{s} })
	write(t, c, orders, "editableDatasetProperties", `{"description":"d"}`)
	h := gql.New(gql.Options{Catalog: c})
	got := ask(t, h, `{ run(input: {runId: "no-run-id-provided", values: true}) { total effects { after } } }`, nil)
	if !strings.Contains(got, `"errors"`) || strings.Contains(got, "effects\":[") {
		t.Errorf("got %s", got)
	}
}
