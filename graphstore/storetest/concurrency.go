package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

var errPlanned = errors.New("planned failure")

func testFailedUpdate(t *testing.T, s graphstore.Store) {
	a, b := urn(1), urn(2)
	put(t, s, a, "ownership", value(1))
	var group sync.WaitGroup
	for n := range 8 { // updates that may share the commit of the failing update must succeed
		group.Go(func() { put(t, s, urn(10+n), "ownership", value(n)) })
	}
	err := s.Update(context.Background(), []string{a, b}, func(tx graphstore.Tx) error {
		if _, err := putNext(tx, a, "ownership", value(2)); err != nil {
			return err
		}
		if _, err := putNext(tx, b, "brandNewAspect", value(2)); err != nil {
			return err
		}
		if err := tx.Write(graphstore.Batch{AddEdges: []graphstore.EdgeStatement{statement(a, "OwnedBy", urn(3), "x", "p", 1)}}); err != nil {
			return err
		}
		return errPlanned
	})
	if !errors.Is(err, errPlanned) {
		t.Errorf("got %v, want the function's own error", err)
	}
	group.Wait()
	wantVersion(t, s, a, "ownership", 0, 0, value(1))
	wantNoVersion(t, s, a, "ownership", 1)
	wantNoVersion(t, s, b, "brandNewAspect", 0)
	if nodes := must[[]graphstore.Entity](t)(s.Entities(context.Background(), []string{b, urn(3)})); len(nodes) != 0 {
		t.Errorf("nodes of the failed update: %+v", nodes)
	}
	for n := range 8 {
		wantVersion(t, s, urn(10+n), "ownership", 0, 0, value(n))
	}
	put(t, s, b, "brandNewAspect", value(5))
	wantVersion(t, s, b, "brandNewAspect", 0, 0, value(5))
	if changes := readAll(t, s, "", 100); len(changes) != 10 {
		t.Errorf("%d changes, want 10", len(changes))
	}
}

func testPanickingUpdate(t *testing.T, s graphstore.Store) {
	err := s.Update(context.Background(), []string{urn(1)}, func(tx graphstore.Tx) error {
		if _, err := putNext(tx, urn(1), "ownership", value(2)); err != nil {
			return err
		}
		panic("planned panic") //nolint:forbidigo // the case is about a panic
	})
	if err == nil {
		t.Error("a panic is no error")
	}
	wantNoVersion(t, s, urn(1), "ownership", 0)
	put(t, s, urn(1), "ownership", value(3))
}

func testUnnamedEntity(t *testing.T, s graphstore.Store) {
	err := s.Update(context.Background(), []string{urn(1)}, func(tx graphstore.Tx) error {
		_, err := putNext(tx, urn(2), "ownership", value(1))
		return err
	})
	if err == nil {
		t.Error("an update wrote an entity that it had not named")
	}
	wantNoVersion(t, s, urn(2), "ownership", 0)
}

func testLockAlone(t *testing.T, s graphstore.Store) {
	update(t, s, []string{urn(1)}, func(graphstore.Tx) error { return nil })
	if nodes := must[[]graphstore.Entity](t)(s.Entities(context.Background(), []string{urn(1)})); len(nodes) != 0 {
		t.Errorf("naming an entity made it: %+v", nodes)
	}
}

// testOneHotAspect: concurrent writers of one aspect get version numbers without a gap, and no
// version is lost.
func testOneHotAspect(t *testing.T, s graphstore.Store) {
	const writers, rounds = 16, 6
	u := urn(1)
	var group sync.WaitGroup
	var mu sync.Mutex
	seqs := map[int64]bool{}
	for w := range writers {
		group.Go(func() {
			for r := range rounds {
				var seq int64
				err := s.Update(context.Background(), []string{u}, func(tx graphstore.Tx) error {
					var err error
					seq, err = putNext(tx, u, "ownership", value(w*rounds+r))
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				seqs[seq] = true
				mu.Unlock()
			}
		})
	}
	group.Wait()
	for n := int64(1); n <= writers*rounds; n++ {
		if !seqs[n] {
			t.Errorf("version %d was given to nobody", n)
		}
	}
	versions := must[[]graphstore.Aspect](t)(s.AspectVersions(context.Background(), key(u, "ownership"), graphstore.Page{Count: 1000}))
	values := map[string]bool{}
	for i := range versions {
		values[string(versions[i].Value)] = true
		if i > 0 && versions[i].CreatedOn > versions[i-1].CreatedOn {
			t.Errorf("version %d is younger than its successor", versions[i].Version)
		}
	}
	if len(versions) != writers*rounds || len(values) != writers*rounds {
		t.Errorf("%d versions with %d values, want %d", len(versions), len(values), writers*rounds)
	}
}

// testCrossingUpdates runs updates that name the same entities in opposite orders, which must
// not deadlock.
func testCrossingUpdates(t *testing.T, s graphstore.Store) {
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for range 5 {
				urns := []string{urn(1), urn(2), urn(3)}
				if w%2 == 0 {
					urns = []string{urn(3), urn(2), urn(1), urn(2)}
				}
				err := s.Update(context.Background(), urns, func(tx graphstore.Tx) error {
					for _, u := range urns[:3] {
						if _, err := putNext(tx, u, "ownership", value(w)); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for n := 1; n <= 3; n++ {
		if a, _ := version(t, s, urn(n), "ownership", 0); a.Seq != 40 {
			t.Errorf("entity %d has %d versions, want 40", n, a.Seq)
		}
	}
}

// testSharedEnds adds, from many goroutines at once, edges to the same new entities.
func testSharedEnds(t *testing.T, s graphstore.Store) {
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for r := range 4 {
				u := urn(100 + w*4 + r)
				var b graphstore.Batch
				b.Nodes = []graphstore.NodeUpdate{node(u)}
				for end := range 5 {
					b.AddEdges = append(b.AddEdges, statement(u, "DownstreamOf", urn((end*7+w)%5), "upstreamLineage", "p", 1))
				}
				if err := s.Update(context.Background(), []string{u}, func(tx graphstore.Tx) error { return tx.Write(b) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for end := range 5 {
		if _, total := edges(t, s, graphstore.EdgeQuery{URNs: []string{urn(end)}, Direction: graphstore.Incoming}); total != 32 {
			t.Errorf("end %d has %d edges, want 32", end, total)
		}
	}
}

func testHostileTexts(t *testing.T, s graphstore.Store) {
	for i, text := range []string{
		`'; DROP TABLE entity; --`, "`) DETACH DELETE (n", `"}) MATCH (n) DELETE n //`, `\u0000\`, "$urn {urn: $$TYPES$$}", "é ü ☃ 𝄞 \u202e", "%_*?[a]", "line\nbreak\ttab",
	} {
		u := "urn:li:dataset:(urn:li:dataPlatform:test," + text + ",PROD)"
		raw := json.RawMessage(fmt.Sprintf("{\"text\":%q}", strings.ToValidUTF8(text, "")))
		put(t, s, u, "ownership", raw)
		e := statement(u, "OwnedBy", urn(1), "aspect"+text, "path"+text, 1)
		e.SinceRun, e.SinceActor = text, text
		addEdges(t, s, u, e)
		wantVersion(t, s, u, "ownership", 0, 0, raw)
		wantEqual(t, text, ends(t, s, graphstore.EdgeQuery{URNs: []string{u}}), []string{"OwnedBy " + urn(1)})
		endEdge(t, s, e, 9)
		if n := must[int64](t)(s.CountAspects(context.Background(), "ownership", "")); n != int64(i+1) {
			t.Errorf("%d aspects after %q, want %d", n, text, i+1)
		}
	}
}

func testLargeValue(t *testing.T, s graphstore.Store) {
	large := json.RawMessage(`{"text":"` + string(bytes.Repeat([]byte("0123456789abcdef"), 1_000_000)) + `"}`)
	put(t, s, urn(1), "ownership", large)
	put(t, s, urn(1), "ownership", value(2))
	wantVersion(t, s, urn(1), "ownership", 1, 1, large)
}

func testCancelled(t *testing.T, s graphstore.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := s.Update(ctx, []string{urn(1)}, func(tx graphstore.Tx) error {
		_, err := putNext(tx, urn(1), "ownership", value(1))
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("update with an ended context: %v", err)
	}
	wantNoVersion(t, s, urn(1), "ownership", 0)
	if _, err := s.Entities(ctx, []string{urn(1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("read with an ended context: %v", err)
	}
}

func testClosed(t *testing.T, s graphstore.Store) {
	closeStore(t, s)
	closeStore(t, s)
	ctx := context.Background()
	if err := s.Update(ctx, []string{urn(1)}, func(graphstore.Tx) error { return nil }); !errors.Is(err, graphstore.ErrClosed) {
		t.Errorf("update: %v", err)
	}
	if _, err := s.Entities(ctx, []string{urn(1)}); !errors.Is(err, graphstore.ErrClosed) {
		t.Errorf("read: %v", err)
	}
	if err := s.Ping(ctx); !errors.Is(err, graphstore.ErrClosed) {
		t.Errorf("ping: %v", err)
	}
}

// testCloseWaits: an update that is running when Close is called ends before Close returns. If
// the store refuses a read or write of the running update, the caller of Update gets ErrClosed.
func testCloseWaits(t *testing.T, s graphstore.Store) {
	ctx := context.Background()
	begun, release, updated, closed := make(chan struct{}), make(chan struct{}), make(chan error, 1), make(chan error, 1)
	begin := sync.OnceFunc(func() { close(begun) })
	var over atomic.Bool
	go func() {
		updated <- s.Update(ctx, []string{urn(1)}, func(tx graphstore.Tx) error {
			begin()
			<-release
			defer over.Store(true)
			_, err := putNext(tx, urn(1), "ownership", value(1))
			return err
		})
	}()
	<-begun
	go func() { closed <- s.Close() }()
	for s.Ping(ctx) == nil {
		runtime.Gosched() // until the store has begun to close
	}
	select {
	case err := <-closed:
		t.Errorf("the store is closed (%v) while an update runs", err)
	default:
	}
	close(release)
	if err := <-closed; err != nil || !over.Load() {
		t.Errorf("close: %v; the update is over: %t", err, over.Load())
	}
	if err := <-updated; err != nil && !errors.Is(err, graphstore.ErrClosed) {
		t.Errorf("the update that ran: %v", err)
	}
}

func testRestart(t *testing.T, b Backend) {
	s := b.New(t)
	put(t, s, urn(1), "ownership", value(1))
	put(t, s, urn(1), "ownership", value(2))
	addEdges(t, s, urn(1), statement(urn(1), "OwnedBy", urn(2), "ownership", "p", 1))
	end := must[string](t)(s.EndCursor(context.Background()))
	if err := s.SaveCursor(context.Background(), "index", end); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	s = b.Reopen(t)
	defer closeStore(t, s)
	wantVersion(t, s, urn(1), "ownership", 0, 0, value(2))
	wantVersion(t, s, urn(1), "ownership", 1, 1, value(1))
	wantEqual(t, "edges", ends(t, s, graphstore.EdgeQuery{URNs: []string{urn(1)}}), []string{"OwnedBy " + urn(2)})
	if c := must[string](t)(s.LoadCursor(context.Background(), "index")); c != end {
		t.Errorf("cursor %q, want %q", c, end)
	}
	put(t, s, urn(1), "ownership", value(3))
	if changes := readAll(t, s, end, 10); len(changes) != 1 || changes[0].Seq != 3 {
		t.Errorf("changes after the restart: %+v", changes)
	}
}

func testLargeGraph(t *testing.T, s graphstore.Store, size int) {
	const batch = 2000
	for low := 0; low < size; low += batch {
		var b graphstore.Batch
		var urns []string
		for i := low; i < min(low+batch, size); i++ {
			urns = append(urns, urn(i))
			b.Nodes = append(b.Nodes, node(urn(i)))
			b.PutVersions = append(b.PutVersions, graphstore.Aspect{URN: urn(i), Name: "ownership", Seq: 1, Value: value(i), CreatedBy: actor, System: system("run")})
			b.AddEdges = append(b.AddEdges, statement(urn(i), "DownstreamOf", urn(i/2), "upstreamLineage", "p", 1))
			b.Changes = append(b.Changes, graphstore.Change{Time: 1, Actor: actor, Kind: graphstore.ChangeUpsert, URN: urn(i), EntityType: "dataset", Aspect: "ownership", Seq: 1})
		}
		write(t, s, urns, b)
	}
	_, total, err := s.ListEntities(context.Background(), "dataset", graphstore.Page{Count: 1})
	if err != nil || total != int64(size) {
		t.Errorf("%d entities, want %d: %v", total, size, err)
	}
	for _, i := range []int{1, size / 3, size - 1} {
		wantVersion(t, s, urn(i), "ownership", 0, 0, value(i))
		wantEqual(t, "edge", ends(t, s, graphstore.EdgeQuery{URNs: []string{urn(i)}}), []string{"DownstreamOf " + urn(i/2)})
	}
	if lag := must[int64](t)(s.Lag(context.Background(), "")); lag != int64(size) {
		t.Errorf("%d changes, want %d", lag, size)
	}
}
