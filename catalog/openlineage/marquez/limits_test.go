package marquez

import (
	"context"
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog/openlineage"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// manyStore has as many datasets, and one job with as many runs, as its number says.
type manyStore struct {
	Store
	n int
}

func (s manyStore) Entities(_ context.Context, urns []string) ([]graphstore.Entity, error) {
	found := make([]graphstore.Entity, len(urns))
	for i, urn := range urns {
		found[i] = graphstore.Entity{URN: urn, Exists: true}
	}
	return found, nil
}

func (s manyStore) ListEntities(_ context.Context, _ string, page graphstore.Page) ([]string, int64, error) {
	var urns []string
	for i := range min(s.n, page.Count) {
		urns = append(urns, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,d%06d,PROD)", i))
	}
	return urns, int64(s.n), nil
}

func (s manyStore) Edges(_ context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	page := graphstore.EdgePage{Total: int64(s.n)}
	for i := q.Start; i < min(s.n, q.Start+q.Count); i++ {
		page.Edges = append(page.Edges, graphstore.Edge{Source: fmt.Sprintf("urn:li:dataProcessInstance:r%06d", i), Destination: q.URNs[0], Since: int64(i)})
	}
	return map[string]graphstore.EdgePage{q.URNs[0]: page}, nil
}

// noStates are states before the first event.
type noStates struct{ States }

func (noStates) NamesOf(context.Context, []string) (map[string]openlineage.Name, error) {
	return map[string]openlineage.Name{}, nil
}
func (noStates) Settings() *naming.Settings { return &naming.Settings{} }

// TestListsAtTheirLimits: a list has as many entities as it looks at, and the last runs of a job.
func TestListsAtTheirLimits(t *testing.T) {
	for _, more := range []int{0, 1} {
		s := New(Options{Store: manyStore{n: limits.MarquezListed + more}, States: noStates{}})
		found, err := s.entries(t.Context(), model.EntityDataset, "")
		if err != nil || len(found) != limits.MarquezListed || found[0].id != (ID{Namespace: "hive", Name: "d000000"}) {
			t.Errorf("%d more datasets: %d are listed, %v", more, len(found), err)
		}
		s = New(Options{Store: manyStore{n: limits.MarquezRuns + more}, States: noStates{}})
		runs, total, err := s.runEdges(t.Context(), "urn:li:dataJob:(urn:li:dataFlow:(airflow,a,b),c)")
		newest := fmt.Sprintf("urn:li:dataProcessInstance:r%06d", limits.MarquezRuns+more-1)
		if err != nil || len(runs) != limits.MarquezRuns || total != limits.MarquezRuns+more || runs[0] != newest {
			t.Errorf("%d more runs: %d of %d are read, the first is %s, %v", more, len(runs), total, runs[0], err)
		}
	}
}
