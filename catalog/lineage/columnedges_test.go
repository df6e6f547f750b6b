package lineage

import (
	"context"
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// broad is a store in which every entity has a number of columns with lineage, and a job that produces one table.
type broad struct {
	Store
	columns    int
	walkedFrom int
}

const broadTable = "urn:li:dataset:(urn:li:dataPlatform:hive,broad,PROD)"

func (b *broad) Entities(_ context.Context, urns []string) ([]graphstore.Entity, error) {
	return []graphstore.Entity{{URN: urns[0], Type: "dataset", Exists: true}}, nil
}

func (*broad) LatestAspects(context.Context, []string, []string) (map[string][]graphstore.Aspect, error) {
	return nil, nil
}

func (b *broad) WithPrefix(_ context.Context, prefix string, limit int) ([]string, error) {
	var urns []string
	for i := range min(b.columns, limit) {
		urns = append(urns, fmt.Sprintf("%sc%05d)", prefix, i))
	}
	return urns, nil
}

func (*broad) Edges(_ context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	found := map[string]graphstore.EdgePage{}
	for _, urn := range q.URNs {
		found[urn] = graphstore.EdgePage{Total: 1, Edges: []graphstore.Edge{{Source: urn, Destination: broadTable, Owners: []string{broadJob}}}}
	}
	return found, nil
}

func (b *broad) Walk(_ context.Context, q graphstore.WalkQuery) (graphstore.Walk, error) {
	b.walkedFrom = len(q.From)
	return graphstore.Walk{}, nil
}

const broadJob = "urn:li:dataJob:(urn:li:dataFlow:(airflow,f,PROD),j)"

// TestLimitOfLineageColumns: up to limits.MaxLineageColumns columns of an entity are counted and walked from. For an
// entity with one more, the answers say that columns are missing.
func TestLimitOfLineageColumns(t *testing.T) {
	for _, n := range []int{limits.MaxLineageColumns, limits.MaxLineageColumns + 1} {
		b := &broad{columns: n}
		s := New(Options{Registry: model.Default(), Store: b})
		counts, partial, err := s.ColumnCounts(t.Context(), model.StoredURN(broadTable), 0)
		if err != nil || len(counts) != limits.MaxLineageColumns || (partial != "") != (n > limits.MaxLineageColumns) {
			t.Errorf("%d columns: %d are counted, %q, %v", n, len(counts), partial, err)
		}
		for _, urn := range []string{broadTable, broadJob} {
			walk, err := s.Walk(t.Context(), WalkQuery{URN: model.StoredURN(urn), Direction: Upstream, Columns: true})
			if err != nil {
				t.Fatal(err)
			}
			if b.walkedFrom != limits.MaxLineageColumns || walk.Partial() != (n > limits.MaxLineageColumns) {
				t.Errorf("%s with %d columns: the walk begins at %d, partial %v", urn, n, b.walkedFrom, walk.Partial())
			}
		}
	}
}
