package lineage

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

const failingSource = "urn:li:dataHubIngestionSource:s"

// reported is a store with the runs of a source that a client has reported, the oldest first, each a status.
type reported struct {
	Store
	statuses []string
}

func (r *reported) urn(i int) string { return fmt.Sprintf("urn:li:dataHubExecutionRequest:%04d", i) }

func (r *reported) Edges(_ context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	page := graphstore.EdgePage{Total: int64(len(r.statuses))}
	for i := range r.statuses {
		page.Edges = append(page.Edges, graphstore.Edge{Source: r.urn(i), Destination: q.URNs[0], Since: int64(i + 1)})
	}
	return map[string]graphstore.EdgePage{failingSource: page}, nil
}

func (r *reported) Entities(_ context.Context, urns []string) ([]graphstore.Entity, error) {
	var nodes []graphstore.Entity
	for i, status := range r.statuses {
		if slices.Contains(urns, r.urn(i)) {
			nodes = append(nodes, graphstore.Entity{URN: r.urn(i), Properties: map[string]any{requestStatus: status, requestStarted: int64(i + 1)}})
		}
	}
	return nodes, nil
}

func many(n int, status string) []string { return slices.Repeat([]string{status}, n) }

// TestFailingSince: a source fails since the first run that failed after its last good one, and not since the last
// that failed. Runs that go on or were rolled back tell nothing.
func TestFailingSince(t *testing.T) {
	for name, c := range map[string]struct {
		statuses []string
		want     *FailedRun
	}{
		"never ran":                   {nil, nil},
		"good":                        {[]string{"FAILURE", "SUCCESS"}, nil},
		"the last failed":             {[]string{"SUCCESS", "FAILURE"}, &FailedRun{Run: "0001", Status: "FAILURE", At: 2, Runs: 1, LastAt: 2}},
		"three have failed":           {[]string{"FAILURE", "SUCCESS", "TIMEOUT", "FAILURE", "CANCELLED"}, &FailedRun{Run: "0002", Status: "TIMEOUT", At: 3, Runs: 3, LastAt: 5}},
		"one goes on":                 {[]string{"SUCCESS", "FAILURE", "RUNNING", "FAILURE", "RUNNING"}, &FailedRun{Run: "0001", Status: "FAILURE", At: 2, Runs: 2, LastAt: 4}},
		"the good one is rolled back": {[]string{"SUCCESS", "FAILURE", "ROLLED_BACK", "FAILURE"}, &FailedRun{Run: "0001", Status: "FAILURE", At: 2, Runs: 2, LastAt: 4}},
		"many have failed":            {slices.Concat(many(3, "SUCCESS"), many(41, "FAILURE")), &FailedRun{Run: "0003", Status: "FAILURE", At: 4, Runs: 41, LastAt: 44}},
		"the last is the limit":       {slices.Concat(many(1, "SUCCESS"), many(limits.FailingRuns, "FAILURE")), &FailedRun{Run: "0001", Status: "FAILURE", At: 2, Runs: limits.FailingRuns, LastAt: limits.FailingRuns + 1}},
		"beyond the limit":            {many(limits.FailingRuns+1, "FAILURE"), &FailedRun{Run: "0001", Status: "FAILURE", At: 2, Runs: limits.FailingRuns, LastAt: limits.FailingRuns + 1}},
	} {
		s := &Service{store: &reported{statuses: c.statuses}}
		found, err := s.failing(t.Context(), []string{failingSource}, 1000, false)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, found[failingSource]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestFailingByRecord: the record of a source that has a good run tells since when the source fails, and its runs are
// not read. Of one without a good run, the reported runs count too.
func TestFailingByRecord(t *testing.T) {
	kept := &FailedRun{Run: "r", Status: "FAILURE", At: 40, Runs: 2, LastAt: 50}
	s := &Service{store: &reported{statuses: []string{"FAILURE", "SUCCESS", "FAILURE"}}}
	for name, c := range map[string]struct {
		runs SourceRuns
		past bool
		want *FailedRun
	}{
		"good":             {SourceRuns{Good: []GoodRun{{Run: "g"}}}, false, nil},
		"fails":            {SourceRuns{Good: []GoodRun{{Run: "g"}}, Failing: kept}, false, kept},
		"fails for longer": {SourceRuns{Failing: kept}, false, &FailedRun{Run: "0002", Status: "FAILURE", At: 3, Runs: 3, LastAt: 50}},
		"at a past moment": {SourceRuns{Good: []GoodRun{{Run: "g"}}}, true, &FailedRun{Run: "0002", Status: "FAILURE", At: 3, Runs: 1, LastAt: 3}},
	} {
		s.runs = func(context.Context, []string) (map[string]SourceRuns, error) {
			return map[string]SourceRuns{failingSource: c.runs}, nil
		}
		found, err := s.failing(t.Context(), []string{failingSource}, 1000, c.past)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, found[failingSource]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
