package neo4j

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testservers"
)

// deadlockLog counts the deadlocks that a store logs.
type deadlockLog struct {
	slog.Handler
	mu            sync.Mutex
	times, mostly int64
}

func (d *deadlockLog) Enabled(context.Context, slog.Level) bool { return true }

func (d *deadlockLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message != deadlockMessage {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.times++
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "try" {
			d.mostly = max(d.mostly, a.Value.Int64())
		}
		return true
	})
	return nil
}

func (d *deadlockLog) seen() (times, mostly int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.times, d.mostly
}

// TestBulkDeadlocks: a bulk update that loses a deadlock with another one does not lose
// again: it writes when no other bulk update of its process does.
func TestBulkDeadlocks(t *testing.T) {
	seen := &deadlockLog{Handler: slog.DiscardHandler}
	s, err := Open(context.Background(), Options{URI: testservers.Neo4j(t), RelationshipTypes: []string{"OwnedBy", "DownstreamOf"}, Logger: slog.New(seen)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	<-s.warmed
	const most = 30
	for round := range most {
		crossing(t, s, round)
		if times, _ := seen.seen(); times > 0 {
			break
		}
	}
	times, tries := seen.seen()
	if times == 0 || tries > 1 {
		t.Errorf("%d deadlocks, at most %d of one update; want some, and one of each", times, tries)
	}
}

// crossing runs bulk updates at once, each of which states edges to the entities of all
// others.
func crossing(t *testing.T, s *Store, round int) {
	t.Helper()
	const updates, size = 4, 2 * bulkEntities
	urns := make([][]string, updates)
	for u := range urns {
		for n := range size {
			urns[u] = append(urns[u], table(fmt.Sprintf("crossing%d", round), u*size+n))
		}
	}
	var group, together sync.WaitGroup
	together.Add(bulkTransactions)
	var once [updates]sync.Once
	for u := range urns {
		group.Go(func() {
			err := s.Update(context.Background(), urns[u], func(tx graphstore.Tx) error {
				b := crossingBatch(urns, u, tx.Now())
				if u < bulkTransactions { // they have their turns first, and write at once
					once[u].Do(together.Done)
					together.Wait()
				}
				return tx.Write(b)
			})
			if err != nil {
				t.Errorf("bulk update %d: %v", u, err)
			}
		})
		if u == bulkTransactions-1 {
			together.Wait()
		}
	}
	group.Wait()
	for u := range urns {
		found, err := s.Edges(context.Background(), graphstore.EdgeQuery{URNs: urns[u], Direction: graphstore.Outgoing, Page: graphstore.Page{Count: updates}})
		if err != nil {
			t.Fatal(err)
		}
		for urn, page := range found {
			if page.Total != updates-1 {
				t.Errorf("%d edges of %s, want %d", page.Total, urn, updates-1)
			}
		}
	}
}

func crossingBatch(urns [][]string, of int, now int64) graphstore.Batch {
	var b graphstore.Batch
	for n, urn := range urns[of] {
		b.Nodes = append(b.Nodes, graphstore.NodeUpdate{URN: urn, Type: "dataset", Exists: true})
		for u := range urns {
			if u == of {
				continue
			}
			to := urns[u][len(urns[u])-1-n]
			b.AddEdges = append(b.AddEdges, graphstore.EdgeStatement{
				EdgeID:     graphstore.EdgeID{Owner: urn, Aspect: "upstreamLineage", Path: to, Source: urn, Type: "DownstreamOf", Destination: to},
				SourceType: "dataset", DestinationType: "dataset", Since: now,
			})
		}
	}
	return b
}
