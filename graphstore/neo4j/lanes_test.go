package neo4j

import (
	"context"
	"errors"
	"testing"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

func (l *lanes) all() map[string]*graphstore.Lane {
	return map[string]*graphstore.Lane{"reads": l.reads, "lists": l.lists, "walks": l.walks, "log": l.log, "health": l.health, "writes": l.writes}
}

// fill takes every place of a lane, and returns their number.
func fill(lane *graphstore.Lane) int {
	for lane.TryEnter() {
	}
	return lane.Inside()
}

// TestLanesFitThePool: all lanes together have no more places than there are connections.
func TestLanesFitThePool(t *testing.T) {
	for _, n := range []int{0, 1, limits.MinGraphPool, 9, 15, 16, 17, 50, 100, 1000} {
		n = connections(n)
		l := newLanes(n)
		sum := 0
		for name, lane := range l.all() {
			places := fill(lane)
			if places < 1 {
				t.Errorf("%d connections: no room for %s", n, name)
			}
			sum += places
		}
		if sum > n {
			t.Errorf("%d connections, but lanes for %d", n, sum)
		}
	}
}

// TestFullLanes: while one lane is full, all other lanes answer, and work for the full lane
// fails with ErrBusy.
func TestFullLanes(t *testing.T) {
	uri := testservers.Neo4j(t)
	ctx := context.Background()
	s, err := Open(ctx, Options{URI: uri, RelationshipTypes: []string{"DownstreamOf"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const urn = "urn:li:tag:lane"
	calls := map[string]func(ctx context.Context) error{
		"reads": func(ctx context.Context) error { _, err := s.Entities(ctx, []string{urn}); return err },
		"lists": func(ctx context.Context) error { _, err := s.CountAspects(ctx, "status", "%a%b%"); return err },
		"walks": func(ctx context.Context) error {
			return s.stream(ctx, s.lanes.walks, "RETURN 1 AS one", nil, 0, func(*driver.Record) {})
		},
		"log":    func(ctx context.Context) error { _, err := s.EndCursor(ctx); return err },
		"health": s.Ping,
		"writes": func(ctx context.Context) error {
			return s.Update(ctx, []string{urn}, func(graphstore.Tx) error { return nil })
		},
	}
	for held, lane := range s.lanes.all() {
		places := fill(lane)
		for name, call := range calls {
			if name == held {
				continue
			}
			if err := call(ctx); err != nil {
				t.Errorf("%s while %s are full: %v", name, held, err)
			}
		}
		short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		if err := calls[held](short); !errors.Is(err, graphstore.ErrBusy) {
			t.Errorf("%s while they are full: %v", held, err)
		}
		cancel()
		for range places {
			lane.Leave()
		}
	}
}
