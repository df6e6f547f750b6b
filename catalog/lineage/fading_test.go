package lineage

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// stating is a store with one aspect of each entity.
type stating struct {
	Store
	aspects map[string]graphstore.Aspect
}

func (s *stating) LatestAspects(_ context.Context, urns, _ []string) (map[string][]graphstore.Aspect, error) {
	found := map[string][]graphstore.Aspect{}
	for _, urn := range urns {
		if a, ok := s.aspects[urn]; ok {
			found[urn] = []graphstore.Aspect{a}
		}
	}
	return found, nil
}

func (*stating) Entities(context.Context, []string) ([]graphstore.Entity, error) { return nil, nil }

func (*stating) ListEntities(context.Context, string, graphstore.Page) ([]string, int64, error) {
	return []string{failingSource}, 1, nil
}

// TestFading: an edge fades when as many good runs of its source as the setting says have begun since it was last
// stated. Failed runs and runs of other sources do not count, and edges that people state do not fade.
func TestFading(t *testing.T) {
	const table, run = "urn:li:dataset:(urn:li:dataPlatform:hive,t,PROD)", "urn:li:dataHubExecutionRequest:r"
	hours := func(n int) int64 { return (time.Duration(n) * time.Hour).Milliseconds() }
	good := func(n int, name string) GoodRun {
		return GoodRun{Run: run + name, Started: hours(n), Ended: hours(n) + 1000}
	}
	runs := SourceRuns{Good: []GoodRun{good(5, "5"), good(4, "4"), good(3, "3"), good(2, "2")}}
	for name, c := range map[string]struct {
		after     int
		system    graphstore.SystemMetadata
		edge      Link
		createdOn int64
		want      *Fading
	}{
		"three later runs":           {3, graphstore.SystemMetadata{PipelineName: failingSource, LastObserved: hours(2) + 500}, Link{}, 1, &Fading{LastSeen: hours(2) + 500, LastSeenRun: run + "2", Runs: 3}},
		"one too few":                {4, graphstore.SystemMetadata{PipelineName: failingSource, LastObserved: hours(2) + 500}, Link{}, 1, nil},
		"seen by a run that failed":  {3, graphstore.SystemMetadata{PipelineName: failingSource, LastObserved: hours(2) + hours(1)/2}, Link{}, 1, &Fading{LastSeen: hours(2) + hours(1)/2, Runs: 3}},
		"seen by the last run":       {1, graphstore.SystemMetadata{PipelineName: failingSource, LastObserved: hours(5) + 1}, Link{}, 1, nil},
		"a clock that is late":       {1, graphstore.SystemMetadata{PipelineName: failingSource, LastObserved: hours(5) - 30_000}, Link{}, 1, nil},
		"a clock that is too late":   {1, graphstore.SystemMetadata{PipelineName: failingSource, LastObserved: hours(5) - 60_001}, Link{}, 1, &Fading{LastSeen: hours(5) - 60_001, Runs: 1}},
		"never":                      {0, graphstore.SystemMetadata{PipelineName: failingSource, LastObserved: hours(2)}, Link{}, 1, nil},
		"another pipeline":           {1, graphstore.SystemMetadata{PipelineName: "nightly", LastObserved: hours(2)}, Link{}, 1, nil},
		"of nobody":                  {1, graphstore.SystemMetadata{LastObserved: hours(2)}, Link{}, 1, nil},
		"drawn by hand":              {1, graphstore.SystemMetadata{PipelineName: failingSource, LastObserved: hours(2)}, Link{Manual: true}, 1, nil},
		"derived":                    {1, graphstore.SystemMetadata{PipelineName: failingSource, LastObserved: hours(2)}, Link{derived: true}, 1, nil},
		"ended":                      {1, graphstore.SystemMetadata{PipelineName: failingSource, LastObserved: hours(2)}, Link{Until: 7}, 1, nil},
		"written, and not yet again": {3, graphstore.SystemMetadata{PipelineName: failingSource}, Link{}, hours(2), &Fading{LastSeen: hours(2), LastSeenRun: run + "2", Runs: 3}},
	} {
		store := &stating{aspects: map[string]graphstore.Aspect{table: {URN: table, Name: model.AspectUpstreamLineage, CreatedOn: c.createdOn, System: c.system}}}
		s := New(Options{Registry: model.Default(), Store: store, FadingAfter: c.after, Runs: func(context.Context, []string) (map[string]SourceRuns, error) {
			return map[string]SourceRuns{failingSource: runs}, nil
		}})
		c.edge.Type, c.edge.StatedBy = "DownstreamOf", []string{table}
		edges := []Link{c.edge}
		if err := s.fade(t.Context(), pointers(edges)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, edges[0].Fading); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestFadingOfSeveral: an edge that several entities state does not fade as long as one of them is stated.
func TestFadingOfSeveral(t *testing.T) {
	const old, fresh = "urn:li:dataset:(urn:li:dataPlatform:hive,old,PROD)", "urn:li:dataset:(urn:li:dataPlatform:hive,fresh,PROD)"
	hour := time.Hour.Milliseconds()
	aspect := func(urn string, seen int64) graphstore.Aspect {
		return graphstore.Aspect{URN: urn, Name: model.AspectUpstreamLineage, System: graphstore.SystemMetadata{PipelineName: failingSource, LastObserved: seen}}
	}
	store := &stating{aspects: map[string]graphstore.Aspect{old: aspect(old, hour), fresh: aspect(fresh, 9*hour)}}
	s := New(Options{Registry: model.Default(), Store: store, FadingAfter: 1, Runs: func(context.Context, []string) (map[string]SourceRuns, error) {
		return map[string]SourceRuns{failingSource: {Good: []GoodRun{{Run: "r", Started: 9 * hour, Ended: 9*hour + 1}}}}, nil
	}})
	edges := []Link{{Type: "DownstreamOf", StatedBy: []string{old, fresh}}, {Type: "DownstreamOf", StatedBy: []string{old}}}
	if err := s.fade(t.Context(), pointers(edges)); err != nil {
		t.Fatal(err)
	}
	if edges[0].Fading != nil || edges[1].Fading == nil || edges[1].Fading.Runs != 1 {
		t.Errorf("%+v, %+v", edges[0].Fading, edges[1].Fading)
	}
}
