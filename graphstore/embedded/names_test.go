package embedded_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// TestWalkWithManyNames: names of runs, actors and paths share a counter with names of
// relationships. A relationship that is first used after millions of other names can be walked,
// now and in the past, also beside one with a small number.
func TestWalkWithManyNames(t *testing.T) {
	const first, second, third = "urn:li:dataset:(urn:li:dataPlatform:x,a,PROD)", "urn:li:dataset:(urn:li:dataPlatform:x,b,PROD)", "urn:li:dataset:(urn:li:dataPlatform:x,c,PROD)"
	ctx := context.Background()
	dir := t.TempDir()
	s := open(t, dir)
	state := func(source, relationship, destination string) {
		t.Helper()
		err := s.Update(ctx, []string{source}, func(tx graphstore.Tx) error {
			return tx.Write(graphstore.Batch{
				Nodes: []graphstore.NodeUpdate{{URN: source, Type: "dataset", Exists: true}},
				AddEdges: []graphstore.EdgeStatement{{
					EdgeID:     graphstore.EdgeID{Owner: source, Aspect: "upstreamLineage", Path: "p", Source: source, Type: relationship, Destination: destination},
					SourceType: "dataset", DestinationType: "dataset", Since: 1,
				}},
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	state(first, "Early", second)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "headwater.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("INSERT INTO name (id, text) VALUES (?, 'a run')", 1<<20+7); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	defer s.Close()
	state(second, "Late", third)
	steps := []graphstore.Step{
		{EdgeKind: graphstore.EdgeKind{Type: "Early", SourceType: "dataset", DestinationType: "dataset"}},
		{EdgeKind: graphstore.EdgeKind{Type: "Late", SourceType: "dataset", DestinationType: "dataset"}},
	}
	for _, asOf := range []int64{0, 5} {
		for range 2 { // the second walk uses the cache
			walk, err := s.Walk(ctx, graphstore.WalkQuery{From: []string{first}, Steps: steps, Limit: 9, AsOf: asOf})
			if err != nil {
				t.Fatal(err)
			}
			var reached []string
			for _, v := range walk.Visits {
				reached = append(reached, v.URN)
			}
			if want := []string{second, third}; !slices.Equal(reached, want) {
				t.Errorf("as of %d: reached %v, want %v", asOf, reached, want)
			}
		}
	}
}
