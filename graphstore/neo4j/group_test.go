package neo4j

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// proxy stands between a store and its database. proxy counts round trips: how often data is
// sent after data was received.
type proxy struct {
	target string

	mu    sync.Mutex
	trips int
}

// openCounted opens a store behind a proxy.
func openCounted(t *testing.T) (*Store, *proxy) {
	t.Helper()
	p := &proxy{target: strings.TrimPrefix(testservers.Neo4j(t), "bolt://")}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	s, err := Open(context.Background(), Options{URI: "bolt://" + listener.Addr().String(), RelationshipTypes: []string{"OwnedBy", "DownstreamOf"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	<-s.warmed // the round trips of planning must not be counted
	return s, p
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	var mu sync.Mutex
	answered := true
	go func() {
		defer client.Close()
		_, _ = io.Copy(writer(func(b []byte) (int, error) {
			mu.Lock()
			answered = true
			mu.Unlock()
			return client.Write(b)
		}), server)
	}()
	_, _ = io.Copy(writer(func(b []byte) (int, error) {
		mu.Lock()
		if answered {
			p.mu.Lock()
			p.trips++
			p.mu.Unlock()
		}
		answered = false
		mu.Unlock()
		return server.Write(b)
	}), client)
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// during returns the number of round trips of a function.
func (p *proxy) during(do func()) int {
	p.mu.Lock()
	before := p.trips
	p.mu.Unlock()
	do()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trips - before
}

// put writes the next versions of aspects, and an edge. put reads the aspects one after the
// other.
func put(s *Store, urn string, aspects ...string) error {
	return s.Update(context.Background(), []string{urn}, func(tx graphstore.Tx) error {
		b := graphstore.Batch{Nodes: []graphstore.NodeUpdate{{URN: urn, Type: "dataset", Exists: true}}}
		for _, aspect := range aspects {
			states, err := tx.Aspects([]graphstore.AspectKey{{URN: urn, Name: aspect}})
			if err != nil {
				return err
			}
			seq := states[0].NextSeq
			b.PutVersions = append(b.PutVersions, graphstore.Aspect{URN: urn, Name: aspect, Seq: seq, Value: fmt.Appendf(nil, `{"n":%d}`, seq)})
			b.AddEdges = append(b.AddEdges, graphstore.EdgeStatement{
				EdgeID:     graphstore.EdgeID{Owner: urn, Aspect: aspect, Path: fmt.Sprint(seq), Source: urn, Type: "OwnedBy", Destination: "urn:li:corpuser:a"},
				SourceType: "dataset", DestinationType: "corpuser", Since: tx.Now(),
			})
			b.Changes = append(b.Changes, graphstore.Change{Time: tx.Now(), Kind: graphstore.ChangeUpsert, URN: urn, EntityType: "dataset", Aspect: aspect, Seq: seq})
		}
		return tx.Write(b)
	})
}

// table returns the URN of an entity that no other test writes.
func table(test string, n int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:%s%d,%d,PROD)", test, time.Now().UnixNano(), n)
}

// TestRoundTrips: an update takes one round trip for each time that it asks for data, and one
// to write. A group takes no more than one update.
func TestRoundTrips(t *testing.T) {
	s, p := openCounted(t)
	urn := table("trips", 0)
	if err := put(s, urn, "ownership"); err != nil { // the first update opens the connections
		t.Fatal(err)
	}
	for name, one := range map[string]struct {
		urn     string
		aspects []string
		want    int
	}{
		"a version":                  {urn, []string{"ownership"}, 2},
		"a new entity":               {table("trips", 1), []string{"status", "ownership"}, 2},
		"a version and a new aspect": {urn, []string{"ownership", "datasetKey"}, 3},
	} {
		n := p.during(func() {
			if err := put(s, one.urn, one.aspects...); err != nil {
				t.Error(err)
			}
		})
		if n != one.want {
			t.Errorf("%s: %d round trips, want %d", name, n, one.want)
		}
	}
	const members = 30
	n := p.during(func() {
		inOneGroup(t, s, members, func(n int) error { return put(s, table("trips", 10+n), "ownership") })
	})
	if n != 2 {
		t.Errorf("%d updates together: %d round trips", members, n)
	}
}

// inOneGroup makes updates wait until all of them are queued, so that they run together.
func inOneGroup(t *testing.T, s *Store, n int, update func(int) error) {
	t.Helper()
	s.queue.mu.Lock()
	s.queue.slow = time.Hour
	s.queue.running[small] += groupsAtOnce
	s.queue.mu.Unlock()
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			if err := update(i); err != nil {
				t.Errorf("update %d: %v", i, err)
			}
		})
	}
	testclock.Await(t, "all updates wait", func() bool {
		s.queue.mu.Lock()
		defer s.queue.mu.Unlock()
		if s.queue.waiting.Len() != n {
			return false
		}
		s.queue.running[small] -= groupsAtOnce
		s.queue.begin()
		return true
	})
	group.Wait()
}

// TestForeignLock: if one update of a group waits for the lock of another server, the other
// updates do not wait for that lock.
func TestForeignLock(t *testing.T) {
	ctx := context.Background()
	s, _ := openCounted(t)
	s.groupPatience = 100 * time.Millisecond
	hot := table("lock", 0)
	if err := put(s, hot, "ownership"); err != nil {
		t.Fatal(err)
	}
	d, err := driver.NewDriverWithContext(testservers.Neo4j(t), driver.NoAuth())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close(ctx)
	session := d.NewSession(ctx, driver.SessionConfig{})
	defer session.Close(ctx)
	other, err := session.BeginTransaction(ctx)
	if err == nil {
		_, err = other.Run(ctx, "MATCH (e:Entity {urn: $urn}) SET e.locked = true", map[string]any{"urn": hot})
	}
	if err != nil {
		t.Fatal(err)
	}
	const members = 8
	var others sync.WaitGroup
	others.Add(members - 1)
	released := make(chan struct{})
	go func() { // releases the lock after the other updates have ended
		defer close(released)
		others.Wait()
		if err := other.Rollback(ctx); err != nil {
			t.Error(err)
		}
	}()
	inOneGroup(t, s, members, func(n int) error {
		if n == 0 {
			return put(s, hot, "ownership")
		}
		defer others.Done()
		return put(s, table("lock", n), "ownership")
	})
	<-released
	versions, err := s.AspectVersions(ctx, graphstore.AspectKey{URN: hot, Name: "ownership"}, graphstore.Page{Count: 9})
	if err != nil || len(versions) != 2 {
		t.Errorf("%d versions of the entity that was locked, want 2: %v", len(versions), err)
	}
}

// TestGroupReadsLittle: if the updates of a group ask for much data, the group does not read
// all of it at once.
func TestGroupReadsLittle(t *testing.T) {
	s, p := openCounted(t)
	const members, size, bound = 12, 1000, 2500
	urns := make([]string, members)
	add := func(n int) error {
		return s.Update(context.Background(), []string{urns[n]}, func(tx graphstore.Tx) error {
			states, err := tx.Aspects([]graphstore.AspectKey{{URN: urns[n], Name: "ownership"}, {URN: urns[n], Name: "status"}})
			if err != nil {
				return err
			}
			value := fmt.Appendf(nil, `"%d %s"`, states[0].NextSeq, strings.Repeat("x", size))
			return tx.Write(graphstore.Batch{
				PutVersions: []graphstore.Aspect{{URN: urns[n], Name: "ownership", Seq: states[0].NextSeq, Value: value}},
				Nodes:       []graphstore.NodeUpdate{{URN: urns[n], Type: "dataset", Exists: true}},
			})
		})
	}
	for n := range urns {
		urns[n] = table("little", n)
		if err := add(n); err != nil {
			t.Fatal(err)
		}
	}
	trips := func(bound int) int {
		s.groupReads = bound
		return p.during(func() { inOneGroup(t, s, members, add) })
	}
	if n := trips(members * 2 * size); n != 2 {
		t.Errorf("%d round trips to read %d values, which are not much", n, members)
	}
	if n, least := trips(bound), 2*members/(bound/size+1); n < least {
		t.Errorf("%d round trips to read %d values, at most 3 at once: want at least %d", n, members, least)
	}
	for _, urn := range urns {
		latest, err := s.LatestAspects(context.Background(), []string{urn}, []string{"ownership"})
		if err != nil || len(latest[urn]) != 1 || latest[urn][0].Seq != 3 || !strings.HasPrefix(string(latest[urn][0].Value), `"3 `) {
			t.Errorf("%s: %.200v %v", urn, latest, err)
		}
	}
}

// TestOneIsToBlame: if the database refuses one update of a group, only this update fails.
func TestOneIsToBlame(t *testing.T) {
	s, _ := openCounted(t)
	const members, bad = 6, 3
	var mu sync.Mutex
	var failed []int
	inOneGroup(t, s, members, func(n int) error {
		urn := table("blame", n)
		if n != bad {
			return put(s, urn, "ownership")
		}
		err := s.Update(context.Background(), []string{urn}, func(tx graphstore.Tx) error {
			return tx.Write(graphstore.Batch{Nodes: []graphstore.NodeUpdate{{URN: urn, Type: "dataset", Exists: true, Properties: map[string]any{"p": map[string]any{"q": 1}}}}})
		})
		if err != nil {
			mu.Lock()
			failed = append(failed, n)
			mu.Unlock()
		}
		return nil
	})
	if !slices.Equal(failed, []int{bad}) {
		t.Errorf("failed: %v, want only %d", failed, bad)
	}
}
