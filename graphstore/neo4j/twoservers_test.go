package neo4j_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/graphstore/storetest"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// TestTwoServersOneEntity: all writers of one entity on two servers succeed, with versions from
// 1 to k.
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

// TestTwoServersNothingWritten: all data that an update reads is from one moment, even if the
// update writes nothing, or fails because of the data, while another server writes.
func TestTwoServersNothingWritten(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	ctx := context.Background()
	var stores []*neo4j.Store
	for range 2 {
		s, err := neo4j.Open(ctx, neo4j.Options{URI: uri, RelationshipTypes: relationshipTypes})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		stores = append(stores, s)
	}
	for name, answer := range map[string]error{"nothing": nil, "refused": errors.New("refused")} {
		urns := []string{"urn:li:dataset:left" + name, "urn:li:dataset:right" + name}
		read := func(tx graphstore.Tx, urn string) (graphstore.AspectState, error) {
			states, err := tx.Aspects([]graphstore.AspectKey{{URN: urn, Name: "status"}})
			if err != nil {
				return graphstore.AspectState{}, err
			}
			return states[0], nil
		}
		putBoth := func() {
			err := stores[1].Update(ctx, urns, func(tx graphstore.Tx) error {
				var b graphstore.Batch
				for _, urn := range urns {
					state, err := read(tx, urn)
					if err != nil {
						return err
					}
					b.PutVersions = append(b.PutVersions, graphstore.Aspect{URN: urn, Name: "status", Seq: state.NextSeq, Value: []byte("{}")})
					b.Nodes = append(b.Nodes, graphstore.NodeUpdate{URN: urn, Type: "dataset", Exists: true})
				}
				return tx.Write(b)
			})
			if err != nil {
				t.Error(err)
			}
		}
		putBoth()
		var seen [2]int64
		tries := 0
		err := stores[0].Update(ctx, urns, func(tx graphstore.Tx) error {
			tries++
			for i, urn := range urns {
				state, err := read(tx, urn)
				if err != nil {
					return err
				}
				if seen[i] = state.NextSeq; tries == 1 && i == 0 {
					putBoth()
				}
			}
			return answer
		})
		if !errors.Is(err, answer) {
			t.Errorf("%s: %v", name, err)
		}
		if seen[0] != seen[1] || tries < 2 {
			t.Errorf("%s: the next versions are %d and %d after %d tries; another server always wrote both", name, seen[0], seen[1], tries)
		}
	}
}

// TestTwoServersTransfers: the data by which updates decide still holds when they write,
// whichever server wrote it.
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
