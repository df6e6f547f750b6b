package neo4j

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// deadlockLog counts the deadlocks that a store logs.
type deadlockLog struct {
	slog.Handler
	times atomic.Int64
}

func (d *deadlockLog) Enabled(context.Context, slog.Level) bool { return true }

func (d *deadlockLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == deadlockMessage {
		d.times.Add(1)
	}
	return nil
}

// TestBulkDeadlocks: a bulk update that lost a deadlock with another bulk update is not sent
// again before the other update has ended, however long that update takes. On a slow machine it
// would otherwise lose again and again.
func TestBulkDeadlocks(t *testing.T) {
	ctx := context.Background()
	seen := &deadlockLog{Handler: slog.DiscardHandler}
	s, err := Open(ctx, Options{URI: testservers.Neo4j(t), RelationshipTypes: []string{"OwnedBy", "DownstreamOf"}, Logger: slog.New(seen)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	<-s.warmed
	slow := "urn:li:dataset:z" + table("slow", 0) // the name of slow is after all other names, and the winner waits at slow
	if err := put(s, slow, "ownership"); err != nil {
		t.Fatal(err)
	}
	session := s.session(ctx, driver.AccessModeWrite)
	defer s.end(ctx, session)
	const rounds = 20
	for round := range rounds {
		other, err := session.BeginTransaction(ctx)
		if err == nil {
			_, err = other.Run(ctx, "MATCH (e:Entity {urn: $urn}) SET e.locked = true", map[string]any{"urn": slow})
		}
		if err != nil {
			t.Fatal(err)
		}
		var runs atomic.Int64
		wait := crossing(t, s, round, slow, &runs)
		if testclock.Poll(2*time.Second, func() bool { return seen.times.Load() > 0 }) &&
			testclock.Poll(300*time.Millisecond, func() bool { return runs.Load() > bulkTransactions }) {
			t.Error("a bulk update that has lost a deadlock runs again before the other one has ended")
		}
		if err := other.Rollback(ctx); err != nil {
			t.Fatal(err)
		}
		if wait(); seen.times.Load() > 0 {
			return
		}
	}
	t.Errorf("no deadlock in %d rounds", rounds)
}

// crossing runs two bulk updates at once. Each of them states edges to the entities of the
// other one, and then to another entity. crossing counts how often their functions run. The
// returned function waits for the updates and checks their edges.
func crossing(t *testing.T, s *Store, round int, last string, runs *atomic.Int64) (wait func()) {
	t.Helper()
	const size = 4 * bulkEntities
	var urns [bulkTransactions][]string
	for u := range urns {
		for n := range size {
			urns[u] = append(urns[u], table(fmt.Sprintf("crossing%d", round), u*size+n))
		}
	}
	var group, together sync.WaitGroup
	together.Add(bulkTransactions)
	for u := range urns {
		var once sync.Once
		group.Go(func() {
			err := s.Update(context.Background(), urns[u], func(tx graphstore.Tx) error {
				runs.Add(1)
				now := tx.Now()
				once.Do(together.Done)
				together.Wait() // both updates write at once
				return tx.Write(crossingBatch(urns[u], append(slices.Clone(urns[1-u]), last), now))
			})
			if err != nil {
				t.Errorf("bulk update %d: %v", u, err)
			}
		})
	}
	return func() {
		group.Wait()
		for u := range urns {
			found, err := s.Edges(context.Background(), graphstore.EdgeQuery{URNs: urns[u], Direction: graphstore.Outgoing, Page: graphstore.Page{Count: 2}})
			if err != nil || found[urns[u][0]].Total != 2 || found[urns[u][1]].Total != 1 {
				t.Errorf("edges of bulk update %d: %v %v", u, found, err)
			}
		}
	}
}

// crossingBatch writes the entities urns, each with an edge to the entity at the same index of
// others. The first of urns also has an edge to the last of others.
func crossingBatch(urns, others []string, now int64) graphstore.Batch {
	var b graphstore.Batch
	add := func(from, to string) {
		b.AddEdges = append(b.AddEdges, graphstore.EdgeStatement{
			EdgeID:     graphstore.EdgeID{Owner: from, Aspect: "upstreamLineage", Path: to, Source: from, Type: "DownstreamOf", Destination: to},
			SourceType: "dataset", DestinationType: "dataset", Since: now,
		})
	}
	for n, urn := range urns {
		b.Nodes = append(b.Nodes, graphstore.NodeUpdate{URN: urn, Type: "dataset", Exists: true})
		add(urn, others[n])
	}
	add(urns[0], others[len(others)-1])
	return b
}
