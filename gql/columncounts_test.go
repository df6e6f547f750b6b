package gql_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// broadStore is a store in which every entity has a number of columns with lineage.
type broadStore struct {
	graphstore.Store
	columns *int
}

func (b broadStore) WithPrefix(_ context.Context, prefix string, limit int) ([]string, error) {
	var urns []string
	for i := range min(*b.columns, limit) {
		urns = append(urns, fmt.Sprintf("%sc%05d)", prefix, i))
	}
	return urns, nil
}

// TestColumnCountsWarn: the counts of a table warn if the table has more columns with lineage than are counted, and not
// if it has as many.
func TestColumnCountsWarn(t *testing.T) {
	columns := limits.MaxLineageColumns
	c := testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store { return broadStore{s, &columns} })
	const table = "urn:li:dataset:(urn:li:dataPlatform:hive,broad,PROD)"
	writeAspect(t, c, table, "datasetProperties", `{"name":"broad"}`)
	h := gql.New(gql.Options{Catalog: c})
	query := fmt.Sprintf("{ columnLineageCounts(urn: %q) { fieldPath } }", table)
	if got := ask(t, h, query, nil); strings.Contains(got, "warnings") || strings.Contains(got, "errors") {
		t.Errorf("%d columns: %.300s", columns, got)
	}
	columns++
	if got := ask(t, h, query, nil); !strings.Contains(got, `"warnings":["columnLineageCounts of `+table+": it has more columns with lineage than are counted") {
		t.Errorf("%d columns: %.300s", columns, got)
	}
}
