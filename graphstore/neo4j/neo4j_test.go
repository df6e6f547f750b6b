package neo4j_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/graphstore/storetest"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

func TestConformance(t *testing.T) { testConformance(t, false) }

// TestConformanceBeforePlans: the store also conforms before the statements of groups are
// planned, when each update has a transaction of its own. Only the large size repeats the cases
// about answers.
func TestConformanceBeforePlans(t *testing.T) { testConformance(t, true) }

func testConformance(t *testing.T, planLater bool) {
	uri := testservers.Neo4j(t)
	openWith := func(t *testing.T, o neo4j.Options) graphstore.Store {
		o.URI, o.RelationshipTypes, o.Kinds, o.Mirrored = uri, storetest.RelationshipTypes, storetest.Kinds, storetest.Mirrored
		o.ForPeople, o.PlanLater = graphstore.ForPeople{Describe: storetest.Describe}, planLater
		s, err := neo4j.Open(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if !planLater {
			s.AwaitPlans()
		}
		return s
	}
	openAt := func(t *testing.T, now func() time.Time) graphstore.Store { return openWith(t, neo4j.Options{Now: now}) }
	open := func(t *testing.T) graphstore.Store { return openAt(t, nil) }
	storetest.Run(t, storetest.Backend{
		Writes: planLater && testsize.Of(0, 1) == 0,
		New: func(t *testing.T) graphstore.Store {
			testservers.WipeNeo4j(t, uri)
			return open(t)
		},
		Bounded: func(t *testing.T, queue int, patience time.Duration) graphstore.Store {
			testservers.WipeNeo4j(t, uri)
			return openWith(t, neo4j.Options{Queue: queue, Patience: patience})
		},
		At: func(t *testing.T, now func() time.Time) graphstore.Store {
			testservers.WipeNeo4j(t, uri)
			return openAt(t, now)
		},
		ReopenAt:  openAt,
		Reopen:    open,
		Keep:      func(t *testing.T) func(*testing.T) { return keepLog(t, uri) },
		GraphSize: testsize.Of(4_000, 10_000),
	})
}

// keepLog remembers the end of the log. keepLog returns a function that restores the database
// to this state as far as the test needs: the function deletes later changes and resets the
// counters. Other data that a restored dump would not have does no harm.
func keepLog(t *testing.T, uri string) func(*testing.T) {
	t.Helper()
	counters := query(t, uri, "MATCH (s:ChangeShard) RETURN s.id AS id, s.seq AS seq, s.time AS time")
	return func(t *testing.T) {
		t.Helper()
		for _, r := range counters {
			p := r.AsMap()
			query(t, uri, fmt.Sprintf("MATCH (s:ChangeShard {id: %d}) SET s.seq = %d, s.time = %d", p["id"], p["seq"], p["time"]))
			query(t, uri, fmt.Sprintf("MATCH (c:Change {shard: %d}) WHERE c.seq > %d DETACH DELETE c", p["id"], p["seq"]))
		}
	}
}
