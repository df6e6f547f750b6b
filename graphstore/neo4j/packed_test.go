package neo4j_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/graphstore/storetest"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// TestManyVisits: some statements return many entities in a row. A walk that reaches more entities than such a
// statement returns, and a walk that its own limit cuts, have the same entities as on the embedded store. More than a
// thousand entities need several rows.
func TestManyVisits(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	s, err := neo4j.Open(context.Background(), neo4j.Options{URI: uri, RelationshipTypes: storetest.RelationshipTypes, Kinds: storetest.Kinds, Mirrored: storetest.Mirrored})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const readers = 1001
	urn := func(n int) string { return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,many%04d,PROD)", n) }
	var batch graphstore.Batch
	var urns []string
	for n := range readers + 1 {
		urns = append(urns, urn(n))
		batch.Nodes = append(batch.Nodes, graphstore.NodeUpdate{URN: urn(n), Type: "dataset", Exists: true})
		if n > 0 {
			batch.AddEdges = append(batch.AddEdges, graphstore.EdgeStatement{
				EdgeID:     graphstore.EdgeID{Owner: urn(n), Aspect: "upstreamLineage", Path: "p", Source: urn(n), Type: "DownstreamOf", Destination: urn(0)},
				SourceType: "dataset", DestinationType: "dataset", Since: 1,
			})
		}
	}
	if err := s.Update(context.Background(), urns, func(tx graphstore.Tx) error { return tx.Write(batch) }); err != nil {
		t.Fatal(err)
	}
	steps := []graphstore.Step{{EdgeKind: storetest.Kinds[0], Direction: graphstore.Incoming}}
	ahead := [][]graphstore.Step{{{EdgeKind: storetest.Kinds[0], Direction: graphstore.Incoming}, {EdgeKind: storetest.Kinds[1]}}}
	for name, q := range map[string]graphstore.WalkQuery{
		"whole":             {Limit: readers},
		"cut":               {Limit: readers - 1},
		"stated":            {Limit: readers, StatedBy: []string{"dataJob"}},
		"with predecessors": {Limit: readers, Before: true},
		"cut, with those":   {Limit: readers - 1, Before: true},
		"ahead":             {Limit: readers, Ahead: ahead},
		"ahead, without":    {Limit: readers, Ahead: ahead, Lacking: "OwnedBy"},
		"ahead, cut":        {Limit: readers - 1, Ahead: ahead},
	} {
		q.From, q.Steps = []string{urn(0)}, steps
		walk := func(packed int) graphstore.Walk {
			defer neo4j.PackAtMost(packed)()
			found, err := s.Walk(context.Background(), q)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			// With fewer readers, the store does not learn which entities lead on or have owners and which types state edges.
			fits := packed >= readers
			if first := found.Visits[0]; len(found.Visits) != q.Limit || first.Ends != (fits && q.Ahead != nil) || first.Unstated != (fits && q.StatedBy != nil) || first.Lacks != (fits && q.Lacking != "") {
				t.Errorf("%s, %d packed: %d entities of %d, the first is %+v", name, packed, len(found.Visits), q.Limit, found.Visits[0])
			}
			for i := range found.Visits {
				found.Visits[i].Ends, found.Visits[i].Unstated, found.Visits[i].Lacks = false, false, false
			}
			return found
		}
		for _, packed := range []int{10, readers - 1, readers} {
			if got, want := walk(packed), walk(2*readers); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %d packed: %d entities, cut %q, want %d, %q", name, packed, len(got.Visits), got.Cut, len(want.Visits), want.Cut)
			}
		}
	}
}
