package catalog

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/indexer"
	searchfile "github.com/headwater-io/headwater/indexer/embedded"
	"github.com/headwater-io/headwater/internal/testclock"
	"github.com/headwater-io/headwater/internal/testservers"
	"github.com/headwater-io/headwater/model"
)

const (
	table    = "urn:li:dataset:(urn:li:dataPlatform:hive,db.Orders,PROD)"
	upstream = "urn:li:dataset:(urn:li:dataPlatform:hive,db.raw,PROD)"
	ada      = "urn:li:corpuser:ada"
	stamp    = `{"time":0,"actor":"urn:li:corpuser:ada"}`
)

// harness is a catalog on a store of its own.
type harness struct {
	*Catalog
	t     testing.TB
	store *faulty
}

// newSearchHarness is a catalog with a search index that is fresh when a write
// returns.
func newSearchHarness(t testing.TB) *searchHarness {
	t.Helper()
	h := newHarness(t)
	s := &searchHarness{harness: h, dir: t.TempDir()}
	s.index = &faultyIndex{Index: s.openIndex()}
	h.Catalog = New(Options{Store: h.store, Index: &Index{Index: s.index, Fresh: true}, Now: testclock.Now})
	t.Cleanup(func() {
		s.stop()
		if err := s.index.Close(); err != nil {
			t.Error(err)
		}
	})
	s.follow()
	return s
}

// searchHarness is a harness with a search index.
type searchHarness struct {
	*harness
	dir   string
	index *faultyIndex
	stop  func()
}

func (s *searchHarness) openIndex() indexer.Index {
	s.t.Helper()
	index, err := searchfile.Open(context.Background(), searchfile.Options{Dir: s.dir})
	if err != nil {
		s.t.Fatal(err)
	}
	return index
}

// follow starts to follow the change log, until stop.
func (s *searchHarness) follow() {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var following sync.WaitGroup
	following.Go(func() { s.Follow(ctx) })
	s.stop = func() {
		cancel()
		following.Wait()
	}
	s.await()
}

// await waits until the index has everything, however slow the machine is.
func (s *searchHarness) await() {
	s.t.Helper()
	for s.AwaitIndex(context.Background()) != nil {
		if s.t.Failed() {
			return
		}
	}
}

// faultyIndex is an index that can be told to fail.
type faultyIndex struct {
	indexer.Index
	down atomic.Bool
	// damaged: all that reads or writes fails until a rebuild, which waits for
	// hold.
	damaged atomic.Bool
	hold    sync.Mutex
	// refused are the URNs of documents that are not taken.
	refused atomic.Pointer[[]string]
}

func (f *faultyIndex) refuse(urns ...string) { f.refused.Store(&urns) }

func (f *faultyIndex) fault() error {
	switch {
	case f.down.Load():
		return indexer.ErrUnavailable
	case f.damaged.Load():
		return indexer.ErrDamaged
	}
	return nil
}

func (f *faultyIndex) Write(ctx context.Context, b indexer.Batch) error {
	if err := f.fault(); err != nil {
		return err
	}
	return f.write(ctx, f.Index, b)
}

// write leaves out what is refused.
func (f *faultyIndex) write(ctx context.Context, into indexer.Writer, b indexer.Batch) error {
	var refusals []indexer.Refusal
	if refused := f.refused.Load(); refused != nil {
		b.Put = slices.DeleteFunc(slices.Clone(b.Put), func(d indexer.Document) bool {
			if slices.Contains(*refused, d.URN) {
				refusals = append(refusals, indexer.Refusal{URN: d.URN, Reason: "it is too odd"})
				return true
			}
			return false
		})
	}
	if err := into.Write(ctx, b); err != nil || len(refusals) == 0 {
		return err
	}
	return &indexer.RefusedError{Refusals: refusals}
}

func (f *faultyIndex) Search(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	if err := f.fault(); err != nil {
		return nil, err
	}
	return f.Index.Search(ctx, q)
}

func (f *faultyIndex) SearchMany(ctx context.Context, queries []*indexer.Query) ([]indexer.Answer, error) {
	if err := f.fault(); err != nil {
		return nil, err
	}
	return f.Index.SearchMany(ctx, queries)
}

// faultyBuild mends the damage of its index.
type faultyBuild struct {
	indexer.Build
	index *faultyIndex
}

func (f *faultyIndex) Rebuild(ctx context.Context) (indexer.Build, error) {
	build, err := f.Index.Rebuild(ctx)
	return faultyBuild{build, f}, err
}

func (b faultyBuild) Write(ctx context.Context, batch indexer.Batch) error {
	return b.index.write(ctx, b.Build, batch)
}

func (b faultyBuild) Swap(ctx context.Context) error {
	b.index.hold.Lock()
	defer b.index.hold.Unlock()
	defer b.index.damaged.Store(false)
	return b.Build.Swap(ctx)
}

// faulty is a store that can be told to fail.
type faulty struct {
	graphstore.Store
	fail error
	// failCommit fails after the function has run, as a lost commit does.
	failCommit error
	// failWalk fails walks, cutWalk says of them that they were cut.
	failWalk error
	cutWalk  graphstore.Cut
	// failRead fails readings of runs and of what entities hold.
	failRead error
	// updates counts the transactions; the one with a number of these fails
	// before it begins, or when it is to be committed. beforeUpdate is told of
	// each.
	updates                    atomic.Int64
	failUpdateAt, failCommitAt int64
	beforeUpdate               func(n int64)
}

func (f *faulty) Runs(ctx context.Context, q graphstore.RunsQuery) ([]graphstore.Run, int64, error) {
	if f.failRead != nil {
		return nil, 0, f.failRead
	}
	return f.Store.Runs(ctx, q)
}

func (f *faulty) Rows(ctx context.Context, q graphstore.RowQuery) ([]graphstore.Row, string, error) {
	if f.failRead != nil {
		return nil, "", f.failRead
	}
	return f.Store.Rows(ctx, q)
}

func (f *faulty) Holdings(ctx context.Context, urns []string) (map[string]graphstore.Holdings, error) {
	if f.failRead != nil {
		return nil, f.failRead
	}
	return f.Store.Holdings(ctx, urns)
}

func (f *faulty) Walk(ctx context.Context, q graphstore.WalkQuery) (graphstore.Walk, error) {
	if f.failWalk != nil {
		return graphstore.Walk{}, f.failWalk
	}
	walk, err := f.Store.Walk(ctx, q)
	if f.cutWalk != graphstore.NotCut {
		walk.Cut = f.cutWalk
	}
	return walk, err
}

func (f *faulty) Update(ctx context.Context, urns []string, fn func(graphstore.Tx) error) error {
	n := f.updates.Add(1)
	if f.beforeUpdate != nil {
		f.beforeUpdate(n)
	}
	if f.fail != nil {
		return f.fail
	}
	if n == f.failUpdateAt {
		return graphstore.ErrUnavailable
	}
	return f.Store.Update(ctx, urns, func(tx graphstore.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		if n == f.failCommitAt {
			return graphstore.ErrUnavailable
		}
		return f.failCommit
	})
}

func newHarness(t testing.TB) *harness {
	t.Helper()
	store, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir(), Now: testclock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	f := &faulty{Store: store}
	return &harness{Catalog: New(Options{Store: f, Now: testclock.Now}), t: t, store: f}
}

func proposal(change, urn, aspect, value string) Proposal {
	entityType := "dataset"
	if urn == ada {
		entityType = "corpuser"
	}
	return Proposal{
		EntityType: entityType, EntityURN: urn, ChangeType: change, AspectName: aspect,
		Aspect: &GenericAspect{Value: []byte(value), ContentType: "application/json"},
	}
}

// put ingests and expects a code, "" for success.
func (h *harness) put(want Code, change, urn, aspect, value string) WriteResult {
	h.t.Helper()
	return h.ingest(want, proposal(change, urn, aspect, value))
}

// say writes an aspect of an entity of any type.
func (h *harness) say(urn, aspect, value string) {
	h.t.Helper()
	u, _, _ := h.parseURN(urn)
	h.ingest("", Proposal{
		EntityType: u.EntityType(), EntityURN: urn, AspectName: aspect,
		Aspect: &GenericAspect{Value: []byte(value), ContentType: "application/json"},
	})
}

func (h *harness) ingest(want Code, p Proposal) WriteResult {
	h.t.Helper()
	result, err := h.Ingest(context.Background(), p, WriteOptions{Actor: ada})
	h.want(want, err)
	return result
}

func (h *harness) want(want Code, err error) {
	h.t.Helper()
	got := Code("")
	if err != nil {
		got = CodeOf(err)
	}
	if got != want {
		h.t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

// value returns a version's value, "" when there is none.
func (h *harness) value(urn, aspect string, version int64) string {
	h.t.Helper()
	v, err := h.Aspect(context.Background(), urn, aspect, version)
	if err != nil && CodeOf(err) != NotFound {
		h.t.Error(err)
	}
	return string(v.Value)
}

// neighbours lists the entities on the other side.
func (h *harness) neighbours(direction, urn string, types ...string) []string {
	h.t.Helper()
	page, err := h.Relationships(context.Background(), RelationshipQuery{URN: urn, Direction: direction, Types: types, Count: 100})
	if err != nil {
		h.t.Fatal(err)
	}
	list := []string{}
	for _, r := range page.Relationships {
		list = append(list, r.Entity)
	}
	return list
}

// changes counts the change log.
func (h *harness) changes() []Change {
	h.t.Helper()
	var all []Change
	for after := ""; ; { // a page ends early where values are large
		changes, next, err := h.Changes(context.Background(), after, MaxChanges)
		if err != nil {
			h.t.Fatal(err)
		}
		if len(changes) == 0 {
			return all
		}
		all, after = append(all, changes...), next
	}
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// bothStores runs a test on an empty store of each kind.
func bothStores(t *testing.T, test func(t *testing.T, store graphstore.Store)) {
	t.Run("embedded", func(t *testing.T) {
		store, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir(), Now: testclock.Now})
		if err != nil {
			t.Fatal(err)
		}
		test(t, store)
	})
	t.Run("neo4j", func(t *testing.T) {
		uri := testservers.Neo4j(t)
		kinds, mirrored := GraphKinds(model.Default())
		labels := map[string]string{}
		for _, e := range model.Default().Entities() {
			labels[e.Name] = e.Label
		}
		store, err := neo4j.Open(context.Background(), neo4j.Options{
			URI: uri, Labels: labels, RelationshipTypes: model.Default().RelationshipNames(), Kinds: kinds, Mirrored: mirrored, Now: testclock.Now,
		})
		if err != nil {
			t.Fatal(err)
		}
		test(t, store)
	})
}
