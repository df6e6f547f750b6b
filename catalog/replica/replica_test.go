package replica_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/replica"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/sample"
)

// TestSampleIsRepeated: the sample catalog, with its past, is rebuilt from the log in a store
// of either kind. On Neo4j this takes a minute, so only make soak runs it there;
// TestRebuiltFromKafka has a smaller replica on Neo4j.
func TestSampleIsRepeated(t *testing.T) {
	stores := func(t *testing.T, test func(t *testing.T, store graphstore.Store)) {
		test(t, catalogtest.NewHarness(t).Store.Store)
	}
	if testsize.Of(0, 1) == 1 {
		stores = catalogtest.EmptyStores
	}
	source := catalogtest.NewHarness(t)
	if _, err := sample.Load(context.Background(), source.Services); err != nil {
		t.Fatal(err)
	}
	stores(t, func(t *testing.T, store graphstore.Store) {
		defer store.Close() //nolint:errcheck // the test is over
		h := replicaOn(t, store)
		cursor, pages := "", 0
		for {
			before := cursor
			h.Want("", h.Replica.Step(context.Background(), source.Replica, &cursor, 500, 0, func() error { pages++; return nil }))
			if cursor == before {
				break
			}
		}
		if pages < 2 {
			t.Errorf("%d pages", pages)
		}
		if diff := cmp.Diff(source.Exported(), h.Exported()); diff != "" {
			t.Errorf("exports (-source +replica):\n%.5000s", diff)
		}
	})
}

// TestRandomWritesOnNeo4j: a replica on Neo4j equals an embedded source after random writes.
func TestRandomWritesOnNeo4j(t *testing.T) {
	if testsize.Of(0, 1) == 0 {
		t.Skip("takes most of a minute; make soak runs it")
	}
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	store := catalogtest.OpenNeo4j(t, uri)
	defer store.Close() //nolint:errcheck // the test is over
	seed := testseed.Of(t)
	source := catalogtest.NewHarness(t)
	c := newChaos(source, seed)
	a := &applier{Harness: replicaOn(t, store), source: source, random: c.random}
	for round := range 3 {
		for range 40 {
			c.step()
			if c.random.IntN(10) == 0 {
				a.step()
			}
		}
		a.level()
		a.compare(c, fmt.Sprintf("round %d", round))
	}
}

// TestReplicaRefusesWrites: only the source changes a replica.
func TestReplicaRefusesWrites(t *testing.T) {
	h := replicaOn(t, catalogtest.NewHarness(t).Store.Store)
	h.Put(catalog.Forbidden, write.Upsert, catalogtest.Table, "datasetProperties", `{"name":"a"}`)
	_, err := h.Ingest(context.Background(), catalogtest.Proposal(write.Upsert, catalogtest.Ada, "status", `{"removed":true}`), catalog.WriteOptions{})
	if err == nil || !strings.Contains(err.Error(), "http://source") {
		t.Errorf("the refusal does not name the source: %v", err)
	}
	h.Want(catalog.Forbidden, h.DeleteValues(context.Background(), graphstore.TimeSeriesRange{URN: catalogtest.Table, Aspect: "datasetProfile"}, catalogtest.Ada))
}

// TestBegin: a store becomes a replica only if it is empty, and of one source only.
func TestBegin(t *testing.T) {
	ctx := context.Background()
	h := replicaOn(t, catalogtest.NewHarness(t).Store.Store)
	if _, is := h.Replica.Status(); is {
		t.Error("a replica that has not begun has a status")
	}
	h.Want("", h.Replica.Begin(ctx, "http://a"))
	h.Want("", h.Replica.Begin(ctx, "http://a"))
	h.Want(catalog.Conflict, h.Replica.Begin(ctx, "http://b"))
	source, err := h.Replica.Leave(ctx)
	if err != nil || source != "http://a" {
		t.Errorf("%q %v", source, err)
	}
	if source, err := h.Replica.Leave(ctx); err != nil || source != "" {
		t.Errorf("again: %q %v", source, err)
	}
	own := catalogtest.NewHarness(t)
	own.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"name":"a"}`)
	own.Want(catalog.Conflict, own.Replica.Begin(ctx, "http://a"))
	topic := catalogtest.NewHarness(t)
	topic.Want("", topic.Replica.Begin(ctx, "kafka://a:9092/prod."))
	topic.Want("", topic.Replica.Begin(ctx, "kafka://b:9092,a:9092/prod."))
	if status, _ := topic.Replica.Status(); status.Source != "kafka://b:9092,a:9092/prod." {
		t.Errorf("the source is %s", status.Source)
	}
	topic.Want(catalog.Conflict, topic.Replica.Begin(ctx, "kafka://a:9092/test."))
	topic.Want(catalog.Conflict, topic.Replica.Begin(ctx, "http://a:9092/prod."))
}

// source is a source that can fail or have another log.
type source struct {
	*replica.Service
	fail chan error
}

func (s *source) Page(ctx context.Context, from string, limit int, patience time.Duration) (*replica.Page, error) {
	select {
	case err := <-s.fail:
		return nil, err
	default:
		return s.Service.Page(ctx, from, limit, min(patience, 20*time.Millisecond))
	}
}

// TestFollow: a replica reports its distance, continues when its source is back, and stops when
// the source has another log.
func TestFollow(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	from := catalogtest.NewHarness(t)
	from.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"name":"a"}`)
	h := replicaOn(t, catalogtest.NewHarness(t).Store.Store)
	h.Want("", h.Replica.Begin(ctx, "http://source"))
	if status, _ := h.Replica.Status(); status.LagChanges != -1 || status.LagSeconds != -1 || status.State != replica.CatchingUp {
		t.Errorf("before the first page: %+v", status)
	}
	s := &source{from.Replica, make(chan error)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.Replica.Follow(ctx, s)
	}()
	await := func(state replica.State) replica.Status {
		t.Helper()
		var status replica.Status
		if !testclock.Poll(time.Minute, func() bool {
			status, _ = h.Replica.Status()
			return status.State == state
		}) {
			t.Fatalf("it is not %s: %+v", state, status)
		}
		return status
	}
	if status := await(replica.Level); status.LagChanges != 0 || status.LagSeconds != 0 {
		t.Errorf("level: %+v", status)
	}
	s.fail <- errors.New("no route to the source")
	if status := await(replica.Failing); !strings.Contains(status.Failure, "no route") || status.LagSeconds <= 0 {
		t.Errorf("failing: %+v", status)
	}
	from.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"name":"b"}`)
	await(replica.Level)
	if diff := cmp.Diff(from.Exported(), h.Exported()); diff != "" {
		t.Error(diff)
	}
	s.fail <- catalog.StoreFailure(graphstore.ErrLostCursor)
	<-ended
	await(replica.Lost)
}

// anotherModel is a source that can report another model.
type anotherModel struct {
	*replica.Service
	model *string
}

func (s anotherModel) Page(ctx context.Context, from string, limit int, patience time.Duration) (*replica.Page, error) {
	page, err := s.Service.Page(ctx, from, limit, patience)
	if err == nil && s.model != nil {
		page.Model = *s.model
	}
	return page, err
}

// TestOtherModel: a replica warns while its source has another model, but still follows.
func TestOtherModel(t *testing.T) {
	ctx := context.Background()
	from, h := catalogtest.NewHarness(t), replicaOn(t, catalogtest.NewHarness(t).Store.Store)
	h.Want("", h.Replica.Begin(ctx, "http://source"))
	cursor, other, nothing := "", "another", ""
	for i, c := range []struct {
		model *string
		warns bool
	}{{nil, false}, {&other, true}, {&nothing, true}, {&other, true}, {nil, false}, {&nothing, false}} {
		from.Put("", write.Upsert, catalogtest.Table, "datasetProperties", fmt.Sprintf(`{"name":"%d"}`, i))
		h.Want("", h.Replica.Step(ctx, anotherModel{from.Replica, c.model}, &cursor, 500, 0, func() error { return nil }))
		if status, _ := h.Replica.Status(); status.Warning != "" != c.warns || status.State != replica.Level {
			t.Errorf("step %d: %+v", i, status)
		}
	}
	if diff := cmp.Diff(from.Exported(), h.Exported()); diff != "" {
		t.Error(diff)
	}
}

// TestPagesAreBounded: a page ends before it is too large. A single change always fits.
func TestPagesAreBounded(t *testing.T) {
	from := catalogtest.NewHarness(t)
	text := strings.Repeat("long ", 500_000)
	for n := range 6 {
		from.Put("", write.Upsert, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,large%d,PROD)", n), "datasetProperties", `{"description":"`+text+`"}`)
	}
	h := &applier{Harness: replicaOn(t, catalogtest.NewHarness(t).Store.Store), source: from, random: rand.New(rand.NewPCG(1, 1))}
	page, err := from.Replica.Page(context.Background(), "", 1000, 0)
	h.Want("", err)
	if size := len(catalogtest.MustJSON(t, page)); size > 10<<20 || page.Lag == 0 {
		t.Errorf("a page of %d bytes, %d changes follow", size, page.Lag)
	}
	h.level()
	if diff := cmp.Diff(from.Exported(), h.Exported()); diff != "" {
		t.Error("the exports differ")
	}
}
