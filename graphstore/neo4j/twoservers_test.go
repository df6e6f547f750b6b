package neo4j_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/graphstore/storetest"
	"github.com/headwater-io/headwater/internal/testservers"
)

// TestTwoServersOneEntity: writers of one entity on two servers all get
// through, with versions from 1 to k.
func TestTwoServersOneEntity(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	const writers, rounds = 8, 10
	const hot = "urn:li:dataset:hot"
	key := graphstore.AspectKey{URN: hot, Name: "ownership"}
	var runs atomic.Int64
	write := func(tx graphstore.Tx, n int) error {
		runs.Add(1)
		states, err := tx.Aspects([]graphstore.AspectKey{key})
		if err != nil {
			return err
		}
		return tx.Write(graphstore.Batch{
			PutVersions: []graphstore.Aspect{{URN: hot, Name: key.Name, Seq: states[0].NextSeq, Value: fmt.Appendf(nil, `{"n":%d}`, n)}},
			Nodes:       []graphstore.NodeUpdate{{URN: hot, Type: "dataset", Exists: true, Properties: map[string]any{"n": n}}},
			AddEdges: []graphstore.EdgeStatement{{
				EdgeID: graphstore.EdgeID{
					Owner: hot, Aspect: key.Name, Path: fmt.Sprint(n), Source: hot, Type: "OwnedBy", Destination: fmt.Sprint("urn:li:corpuser:", n%5),
				},
				SourceType: "dataset", DestinationType: "corpuser",
			}},
			Changes: []graphstore.Change{{Kind: graphstore.ChangeUpsert, URN: hot, EntityType: "dataset", Aspect: key.Name, Seq: states[0].NextSeq}},
		})
	}
	var stores []*neo4j.Store
	var group sync.WaitGroup
	for server := range 2 {
		s, err := neo4j.Open(context.Background(), neo4j.Options{URI: uri, RelationshipTypes: relationshipTypes})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		stores = append(stores, s)
		for w := range writers {
			group.Go(func() {
				for r := range rounds {
					n := server*1000 + w*rounds + r
					if err := s.Update(context.Background(), []string{hot}, func(tx graphstore.Tx) error { return write(tx, n) }); err != nil {
						t.Errorf("write %d: %v", n, err)
					}
				}
			})
		}
	}
	group.Wait()
	versions, err := stores[0].AspectVersions(context.Background(), key, graphstore.Page{Count: 1000})
	if err != nil {
		t.Fatal(err)
	}
	seqs, values := map[int64]bool{}, map[string]bool{}
	for i := range versions {
		seqs[versions[i].Seq], values[string(versions[i].Value)] = true, true
	}
	const k = 2 * writers * rounds
	if len(seqs) != k || len(values) != k || !seqs[1] || !seqs[k] {
		t.Errorf("%d versions with %d values, want the versions 1 to %d", len(seqs), len(values), k)
	}
	t.Logf("%d writes, functions ran %d times", k, runs.Load())
}

// TestTwoServersTransfers: what updates decide on holds, whichever server wrote it.
func TestTwoServersTransfers(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	var stores []graphstore.Store
	for range 2 {
		s, err := neo4j.Open(context.Background(), neo4j.Options{URI: uri, RelationshipTypes: relationshipTypes})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		stores = append(stores, s)
	}
	storetest.Transfers(t, stores...)
}
