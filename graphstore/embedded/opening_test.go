package embedded

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// plan returns how the database executes a statement, in its own words.
func plan(t *testing.T, s *Store, statement string, args ...any) string {
	t.Helper()
	rows, err := s.readers.QueryContext(context.Background(), "EXPLAIN QUERY PLAN "+statement, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close() //nolint:errcheck // read to the end
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "; ")
}

func openIn(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestOpeningReadsNoEntities: the reads of the table of entities when a store opens do not grow
// with the table.
func TestOpeningReadsNoEntities(t *testing.T) {
	s := openIn(t, t.TempDir())
	defer s.Close() //nolint:errcheck // nothing is written
	for statement, want := range map[string]string{
		someGone:   "entity_gone",
		nextEntity: "SEARCH entity",
		nextChange: "SEARCH change",
	} {
		if got := plan(t, s, statement); !strings.Contains(got, want) {
			t.Errorf("%s: %s", statement, got)
		}
	}
	if got := plan(t, s, countAfter, 1, exactLag); !strings.Contains(got, "SEARCH change USING INTEGER PRIMARY KEY (rowid>?)") {
		t.Errorf("%s: %s", countAfter, got)
	}
}

// TestGoneAfterRestart: an entity that was deleted before the store was opened becomes a
// placeholder when an edge leads to it.
func TestGoneAfterRestart(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	a, b := "urn:li:dataset:a", "urn:li:dataset:b"
	s := openIn(t, dir)
	update := func(batch graphstore.Batch) {
		t.Helper()
		if err := s.Update(ctx, []string{a, b}, func(tx graphstore.Tx) error { return tx.Write(batch) }); err != nil {
			t.Fatal(err)
		}
	}
	update(graphstore.Batch{Nodes: []graphstore.NodeUpdate{{URN: a, Type: "dataset", Exists: true}, {URN: b, Type: "dataset", Exists: true}}})
	update(graphstore.Batch{DeleteEntities: []string{b}})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openIn(t, dir)
	defer s.Close() //nolint:errcheck // closed for good
	if !s.writer.someGone {
		t.Error("the store does not know that an entity is gone")
	}
	update(graphstore.Batch{AddEdges: []graphstore.EdgeStatement{{
		EdgeID:     graphstore.EdgeID{Owner: a, Aspect: "x", Path: "/", Source: a, Type: "Knows", Destination: b},
		SourceType: "dataset", DestinationType: "dataset", Since: 1,
	}}})
	nodes, err := s.Entities(ctx, []string{b})
	if err != nil || len(nodes) != 1 || nodes[0].Exists {
		t.Errorf("the end of an edge that had gone: %v, %v", nodes, err)
	}
}

// TestLagOfManyChanges: a small lag is counted, a large one is the difference of numbers.
// Changes that were undone do not count.
func TestLagOfManyChanges(t *testing.T) {
	ctx := context.Background()
	s := openIn(t, t.TempDir())
	defer s.Close() //nolint:errcheck // closed for good
	write := func(changes int, fail error) {
		t.Helper()
		err := s.Update(ctx, []string{"urn:li:dataset:a"}, func(tx graphstore.Tx) error {
			batch := graphstore.Batch{}
			for range changes {
				batch.Changes = append(batch.Changes, graphstore.Change{Time: 1, Kind: graphstore.ChangeUpsert, URN: "urn:li:dataset:a", EntityType: "dataset", Aspect: "x"})
			}
			if err := tx.Write(batch); err != nil {
				return err
			}
			return fail
		})
		if !errors.Is(err, fail) {
			t.Fatal(err)
		}
	}
	write(10, nil)
	write(50, errors.New("undone"))
	write(10, nil)
	_, middle, err := s.Changes(ctx, "", 10)
	if err != nil {
		t.Fatal(err)
	}
	lag := func(cursor string) int64 {
		t.Helper()
		n, err := s.Lag(ctx, cursor)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := lag(middle); n != 10 {
		t.Errorf("%d changes behind the middle, want 10", n)
	}
	write(2*exactLag, nil)
	if n := lag(middle); n < 10+2*exactLag || n > 60+2*exactLag {
		t.Errorf("about %d changes, want %d and at most the 50 undone more", n, 10+2*exactLag)
	}
	end, err := s.EndCursor(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if n := lag(end); n != 0 {
		t.Errorf("%d changes behind the end", n)
	}
}
