package quality

import (
	"context"
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// checked is a store in which every entity has the same number of assertions.
type checked struct {
	Store
	assertions int
	read       map[string]bool
}

func (c *checked) Edges(_ context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	found := map[string]graphstore.EdgePage{}
	for _, urn := range q.URNs {
		page := graphstore.EdgePage{Total: int64(c.assertions)}
		for i := range min(c.assertions, q.Count) {
			page.Edges = append(page.Edges, graphstore.Edge{Source: fmt.Sprint("urn:li:assertion:a", i), Type: model.RelationshipAsserts, Destination: urn})
		}
		found[urn] = page
	}
	return found, nil
}

func (*checked) Entities(context.Context, []string) ([]graphstore.Entity, error) { return nil, nil }

func (c *checked) LatestAspects(_ context.Context, urns, _ []string) (map[string][]graphstore.Aspect, error) {
	for _, urn := range urns {
		c.read[urn] = true
	}
	return nil, nil
}

func (*checked) LatestTimeSeries(context.Context, []string, []string) (map[string][]graphstore.TimeSeriesValue, error) {
	return nil, nil
}

// TestLimitOfChecks: the assertions of an entity are read up to the limit, and the answer says
// that the entity has more.
func TestLimitOfChecks(t *testing.T) {
	const table = "urn:li:dataset:(urn:li:dataPlatform:hive,t,PROD)"
	for n, partial := range map[int]bool{limits.MaxQualityChecks: false, limits.MaxQualityChecks + 1: true} {
		store := &checked{assertions: n, read: map[string]bool{}}
		w := &work{reader: New(model.Default(), store, nil, nil).readerAt(0), states: []State{{URN: table}}, places: map[string][]place{table: {{}}}}
		if err := w.readChecks(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(store.read) != limits.MaxQualityChecks || w.states[0].Partial != partial || partial != (w.states[0].Reason != "") {
			t.Errorf("of %d assertions, %d are read; the answer is partial: %v", n, len(store.read), w.states[0].Partial)
		}
	}
}

// pastOf tells of which entities former versions were read.
type pastOf struct{ read map[string]bool }

func (p *pastOf) AspectsAt(_ context.Context, urns []string, _ int64, _ []string) (map[string]history.PastAspects, error) {
	for _, urn := range urns {
		p.read[urn] = true
	}
	return nil, nil
}

// TestLimitOfPastChecks: former versions are read of as many assertions as the limit says, and the
// answer says that there are more.
func TestLimitOfPastChecks(t *testing.T) {
	const table = "urn:li:dataset:(urn:li:dataPlatform:hive,t,PROD)"
	for n, partial := range map[int]bool{limits.QualityPastEntities: false, limits.QualityPastEntities + 1: true} {
		past := &pastOf{map[string]bool{}}
		store := &checked{assertions: n, read: map[string]bool{}}
		w := &work{reader: New(model.Default(), store, past, nil).readerAt(1), states: []State{{URN: table}}, places: map[string][]place{table: {{}}}}
		if err := w.readChecks(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(past.read) != limits.QualityPastEntities || (w.lacks != "") != partial || len(store.read) != 0 {
			t.Errorf("of %d assertions, the versions of %d are read; %q", n, len(past.read), w.lacks)
		}
	}
}
