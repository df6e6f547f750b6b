package gql_test

import (
	"context"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testcatalog"
)

// withoutBefore is a store that cannot read older versions.
type withoutBefore struct{ graphstore.Store }

func (withoutBefore) VersionsBefore(context.Context, []graphstore.AspectKey, graphstore.Origin) ([]*graphstore.Aspect, error) {
	return nil, graphstore.ErrUnavailable
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
