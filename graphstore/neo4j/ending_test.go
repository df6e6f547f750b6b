package neo4j_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/graphstore/storetest"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// watcher sees the transactions that run in the database, on a connection of its own.
type watcher struct {
	t testing.TB
	d driver.DriverWithContext
}

func watch(t testing.TB, uri string) *watcher {
	t.Helper()
	d, err := driver.NewDriverWithContext(uri, driver.NoAuth())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close(context.Background()) })
	return &watcher{t, d}
}

// running returns the statements of this program's transactions.
func (w *watcher) running() []string {
	w.t.Helper()
	result, err := driver.ExecuteQuery(context.Background(), w.d,
		"SHOW TRANSACTIONS YIELD metaData, currentQuery, status WHERE metaData.app = 'headwater' RETURN status + ': ' + currentQuery AS what",
		nil, driver.EagerResultTransformer)
	if err != nil {
		w.t.Fatal(err)
	}
	var found []string
	for _, r := range result.Records {
		what, _ := r.Get("what")
		found = append(found, fmt.Sprint(what))
	}
	return found
}

// after waits until no transaction of this program runs, up to a time, and returns the
// transactions that still run.
func (w *watcher) after(most time.Duration) string {
	w.t.Helper()
	var running []string
	testclock.Poll(most, func() bool {
		running = w.running()
		return len(running) == 0
	})
	return fmt.Sprintf("%.300s", strings.Join(running, "; "))
}

// fillGraph makes a chain of datasets with crossing edges. All have the same owner, and each
// has a status.
func fillGraph(t testing.TB, s graphstore.Store, entities int) (first string) {
	t.Helper()
	name := func(n int) string {
		return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:x,%s%06d,PROD)", strings.Repeat("ab", 60), n)
	}
	const batch = 500
	for from := 0; from < entities; from += batch {
		var b graphstore.Batch
		var urns []string
		for n := from; n < from+batch; n++ {
			u := name(n)
			urns = append(urns, u)
			b.Nodes = append(b.Nodes, graphstore.NodeUpdate{URN: u, Type: "dataset", Exists: true})
			b.PutVersions = append(b.PutVersions, graphstore.Aspect{URN: u, Name: "status", Seq: 1, Value: []byte(`{"removed":false}`), CreatedOn: 1, CreatedBy: "urn:li:corpuser:x", System: graphstore.SystemMetadata{RunID: fmt.Sprint("run", n%50)}})
			b.Changes = append(b.Changes, graphstore.Change{Time: 1, Actor: "urn:li:corpuser:x", Kind: graphstore.ChangeUpsert, URN: u, EntityType: "dataset", Aspect: "status", Seq: 1})
			for _, to := range []int{n / 2, n / 3, n - 1, 0} {
				if to < 0 || to == n {
					continue
				}
				b.AddEdges = append(b.AddEdges, graphstore.EdgeStatement{
					EdgeID:     graphstore.EdgeID{Owner: u, Aspect: "upstreamLineage", Path: fmt.Sprint(to), Source: u, Type: "DownstreamOf", Destination: name(to)},
					SourceType: "dataset", DestinationType: "dataset", Since: 1,
				})
			}
		}
		if err := s.Update(context.Background(), urns, func(tx graphstore.Tx) error { return tx.Write(b) }); err != nil {
			t.Fatal(err)
		}
	}
	return name(0)
}

// TestStatementsEnd: a statement of any kind ends in the database when its caller has left or
// the deadline has passed.
func TestStatementsEnd(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	t.Cleanup(func() { testservers.WipeNeo4j(t, uri) })
	s, err := neo4j.Open(context.Background(), neo4j.Options{URI: uri, RelationshipTypes: storetest.RelationshipTypes, Kinds: storetest.Kinds, Mirrored: storetest.Mirrored})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first := fillGraph(t, s, 4000)
	w := watch(t, uri)
	steps := []graphstore.Step{{EdgeKind: graphstore.EdgeKind{Type: "DownstreamOf", SourceType: "dataset", DestinationType: "dataset"}, Direction: graphstore.Incoming}}
	pattern := "%" + strings.Repeat("a%b%", 5) + "nothing"
	operations := map[string]func(context.Context) error{
		"walk": func(ctx context.Context) error {
			_, err := s.Walk(ctx, graphstore.WalkQuery{From: []string{first}, Steps: steps, Limit: 100_000})
			return err
		},
		"walk of the past": func(ctx context.Context) error {
			_, err := s.Walk(ctx, graphstore.WalkQuery{From: []string{first}, Steps: steps, Limit: 100_000, AsOf: 5})
			return err
		},
		"hub": func(ctx context.Context) error {
			_, err := s.Edges(ctx, graphstore.EdgeQuery{URNs: []string{first}, Direction: graphstore.Incoming, Page: graphstore.Page{Count: 10_000}})
			return err
		},
		"pattern":       func(ctx context.Context) error { _, err := s.CountAspects(ctx, "status", pattern); return err },
		"plain pattern": func(ctx context.Context) error { _, err := s.CountAspects(ctx, "status", "%b%"); return err },
		"listing": func(ctx context.Context) error {
			_, _, err := s.ListEntities(ctx, "dataset", graphstore.Page{Start: 3000, Count: 1000})
			return err
		},
		"scan": func(ctx context.Context) error { _, err := s.ScanEntities(ctx, "", 4000); return err },
		"runs": func(ctx context.Context) error {
			_, _, err := s.Runs(ctx, graphstore.RunsQuery{Page: graphstore.Page{Count: 50}})
			return err
		},
		"rows of a run": func(ctx context.Context) error {
			_, _, err := s.Rows(ctx, graphstore.RowQuery{Origin: graphstore.Origin{RunID: "run1"}, Limit: 4000})
			return err
		},
		"changes":        func(ctx context.Context) error { _, _, err := s.Changes(ctx, "", 1000); return err },
		"latest aspects": func(ctx context.Context) error { _, err := s.LatestAspects(ctx, []string{first}, nil); return err },
	}
	seen := 0
	for name, operation := range operations {
		for _, ending := range []string{"gone", "deadline"} {
			what := name + ", " + ending
			for try := range tries {
				leaveInTheMiddle(t, what, ending == "deadline", operation)
				seen += len(w.running())
				if left := w.after(time.Second); left == "" {
					break
				} else if try == tries-1 {
					t.Errorf("%s: after a second there still runs %s", what, left)
				}
			}
		}
	}
	t.Logf("%d statements were still seen when their callers had gone", seen)
	testUpdateEnds(t, s, w)
}

// tries bounds how often a statement may still run a second after its caller has left: a busy
// machine is sometimes late.
const tries = 3

// leaveInTheMiddle runs an operation four times at once, for callers that leave, or whose
// deadline passes, some milliseconds later.
func leaveInTheMiddle(t *testing.T, what string, deadline bool, operation func(context.Context) error) {
	t.Helper()
	var group sync.WaitGroup
	for n := range 4 {
		group.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			if soon := time.Duration(2+5*n) * time.Millisecond; deadline {
				ctx, cancel = context.WithTimeout(context.Background(), soon)
			} else {
				time.AfterFunc(soon, cancel)
			}
			defer cancel()
			err := operation(ctx)
			if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, graphstore.ErrBusy) {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
	group.Wait()
}

// testUpdateEnds: a write whose caller leaves in its middle ends and is undone.
func testUpdateEnds(t *testing.T, s graphstore.Store, w *watcher) {
	ctx, cancel := context.WithCancel(context.Background())
	urn, write := tagUpdate(1)
	err := s.Update(ctx, []string{urn}, func(tx graphstore.Tx) error {
		if err := write(tx); err != nil {
			return err
		}
		if len(w.running()) == 0 {
			t.Error("the watcher does not see a transaction of ours")
		}
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a write whose caller has gone: %v", err)
	}
	if left := w.after(10 * time.Second); left != "" {
		t.Errorf("a write whose caller has gone still runs: %s", left)
	}
	if found, err := s.Entities(context.Background(), []string{urn}); err != nil || len(found) != 0 {
		t.Errorf("it was not undone: %v %v", found, err)
	}
}
