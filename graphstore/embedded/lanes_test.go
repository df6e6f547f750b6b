package embedded

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore"
)

const laneURN = "urn:li:tag:lane"

// openForLanes returns a store with one entity.
func openForLanes(t *testing.T) *Store {
	t.Helper()
	s, err := Open(context.Background(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := writeForLanes(s); err != nil {
		t.Fatal(err)
	}
	return s
}

func writeForLanes(s *Store) error {
	return s.Update(context.Background(), []string{laneURN}, func(tx graphstore.Tx) error {
		return tx.Write(graphstore.Batch{
			Nodes:   []graphstore.NodeUpdate{{URN: laneURN, Type: "tag", Exists: true}},
			Changes: []graphstore.Change{{Time: 1, Actor: laneURN, Kind: graphstore.ChangeDelete, URN: laneURN, EntityType: "tag", Aspect: "status"}},
		})
	})
}

// take takes every connection of a pool.
func take(t *testing.T, p *pool) {
	t.Helper()
	for range p.Stats().MaxOpenConnections {
		c, err := p.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
	}
}

// TestLanes: while all connections of some lanes are taken, the other lanes answer.
func TestLanes(t *testing.T) {
	calls := map[string]func(ctx context.Context, s *Store) error{
		"readers": func(ctx context.Context, s *Store) error {
			_, err := s.Entities(ctx, []string{laneURN})
			return err
		},
		"lists": func(ctx context.Context, s *Store) error {
			_, _, err := s.ListEntities(ctx, "tag", graphstore.Page{Count: 1})
			return err
		},
		"walks": func(ctx context.Context, s *Store) error {
			_, err := s.Walk(ctx, graphstore.WalkQuery{From: []string{"urn:li:tag:other"}, Limit: 1})
			return err
		},
		"log": func(ctx context.Context, s *Store) error {
			_, _, err := s.Changes(ctx, "", 1)
			return err
		},
		"health": func(ctx context.Context, s *Store) error { return s.Ping(ctx) },
	}
	for held := range calls {
		t.Run(held, func(t *testing.T) {
			s := openForLanes(t)
			take(t, map[string]*pool{"readers": s.readers, "lists": s.lists.pool, "walks": s.walks.pool, "log": s.log, "health": s.health}[held])
			for name, call := range calls {
				if name == held {
					continue
				}
				if err := call(context.Background(), s); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if err := writeForLanes(s); err != nil {
				t.Errorf("a write: %v", err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			defer cancel()
			if err := calls[held](ctx, s); err == nil {
				t.Error("the lane that is held answers")
			}
		})
	}
}

// TestLanesAreBusy: a walk or a listing that finds no place before its deadline fails with
// ErrBusy. A caller that gives up is answered at once.
func TestLanesAreBusy(t *testing.T) {
	s := openForLanes(t)
	for s.lists.lane.TryEnter() {
		defer s.lists.lane.Leave()
	}
	for s.walks.lane.TryEnter() {
		defer s.walks.lane.Leave()
	}
	soon := func() context.Context {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	if _, err := s.CountAspects(soon(), "nothing", "%a%"); err != nil {
		t.Errorf("an aspect that nothing has needs no turn: %v", err)
	}
	if _, err := s.ScanEntities(soon(), "", 1); !errors.Is(err, graphstore.ErrBusy) {
		t.Errorf("a listing: %v", err)
	}
	if _, err := s.Walk(soon(), graphstore.WalkQuery{From: []string{laneURN}, Limit: 1}); !errors.Is(err, graphstore.ErrBusy) {
		t.Errorf("a walk: %v", err)
	}
	gone, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := s.ScanEntities(gone, "", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who has gone: %v", err)
	}
}

// TestChangesPlan: the log is read in its own order, by keys, without sorting.
func TestChangesPlan(t *testing.T) {
	s := openForLanes(t)
	rows, err := s.log.QueryContext(context.Background(), "EXPLAIN QUERY PLAN "+changesAfter, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused sql.NullInt64
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, detail)
		if strings.HasPrefix(detail, "SCAN") || strings.Contains(detail, "TEMP B-TREE") {
			t.Error(detail)
		}
	}
	if len(plan) != 6 || rows.Err() != nil {
		t.Errorf("%q %v", plan, rows.Err())
	}
}
