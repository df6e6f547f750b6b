// Package catalogtest gives the tests of the catalog and of its rooms a catalog
// on a store of their own, on which calls can be made to fail, and small
// catalogs to ask about.
package catalogtest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/indexer"
	searchfile "github.com/headwater-io/headwater/indexer/embedded"
	"github.com/headwater-io/headwater/indexer/typesense"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/model"
)

// The entities and actors of most tests.
const (
	Table    = "urn:li:dataset:(urn:li:dataPlatform:hive,db.Orders,PROD)"
	Upstream = "urn:li:dataset:(urn:li:dataPlatform:hive,db.raw,PROD)"
	Ada      = "urn:li:corpuser:ada"
	Stamp    = `{"time":0,"actor":"urn:li:corpuser:ada"}`
)

// Harness is a catalog on a store of its own.
type Harness struct {
	*services.Services
	T     testing.TB
	Store *Faulty
}

// Patience is how long searches of tests wait for the index, however slow the
// machine is.
const Patience = time.Minute

// SaveFollowers is how soon followers save their cursors. Tests wait for saved cursors. Followers that look for changes
// much more often keep Neo4j busy.
const SaveFollowers = 100 * time.Millisecond

// NewSearchHarness is a catalog with a search index.
func NewSearchHarness(t testing.TB) *SearchHarness {
	t.Helper()
	return NewIndexedHarness(t, follower.Index{Wait: Patience})
}

// NewProtectedHarness is a catalog with a search index whose writes are judged.
func NewProtectedHarness(t testing.TB, protect write.Protect) *SearchHarness {
	t.Helper()
	return newSearchHarness(t, follower.Index{Wait: Patience}, protect)
}

// NewIndexedHarness is a catalog with a search index that has the settings.
func NewIndexedHarness(t testing.TB, settings follower.Index) *SearchHarness {
	t.Helper()
	return newSearchHarness(t, settings, nil)
}

func newSearchHarness(t testing.TB, settings follower.Index, protect write.Protect) *SearchHarness {
	t.Helper()
	s := &SearchHarness{Harness: NewHarness(t), dir: t.TempDir()}
	s.Index = &faultyIndex{Index: s.openIndex()}
	s.begin(settings, protect)
	return s
}

// NewServersHarness is NewSearchHarness on Neo4j, which it wipes, and Typesense.
func NewServersHarness(t testing.TB) *SearchHarness {
	t.Helper()
	return NewProtectedServersHarness(t, nil)
}

// NewProtectedServersHarness is NewServersHarness whose writes are judged.
func NewProtectedServersHarness(t testing.TB, protect write.Protect) *SearchHarness {
	t.Helper()
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	s := &SearchHarness{Harness: HarnessOn(t, OpenNeo4j(t, uri)), Index: &faultyIndex{Index: OpenTypesense(t)}}
	s.begin(follower.Index{Wait: Patience}, protect)
	return s
}

// OnEachPair runs a test on each pair of a store and an index, with a catalog whose writes are judged.
func OnEachPair(t *testing.T, protect write.Protect, test func(t *testing.T, h *SearchHarness)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) { test(t, NewProtectedHarness(t, protect)) })
	t.Run("servers", func(t *testing.T) { test(t, NewProtectedServersHarness(t, protect)) })
}

// begin puts the catalog together, and follows the change log until the test ends.
func (s *SearchHarness) begin(settings follower.Index, protect write.Protect) {
	t, h := s.T, s.Harness
	t.Helper()
	settings.Index = s.Index
	h.Services = services.New(services.Options{Store: h.Store, Index: &settings, Now: testclock.Now, SaveFollowers: SaveFollowers, Protect: protect, SQL: testsql.Parser()})
	t.Cleanup(func() {
		s.Stop()
		if err := s.Index.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Follow()
}

// SearchHarness is a harness with a search index.
type SearchHarness struct {
	*Harness
	dir   string
	Index *faultyIndex
	Stop  func()
}

func (s *SearchHarness) openIndex() indexer.Index {
	s.T.Helper()
	index, err := searchfile.Open(context.Background(), searchfile.Options{Dir: s.dir})
	if err != nil {
		s.T.Fatal(err)
	}
	return index
}

// Follow starts to follow the change log, until stop.
func (s *SearchHarness) Follow() {
	s.T.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var following sync.WaitGroup
	following.Go(func() { s.Follower.Follow(ctx) })
	s.Stop = func() {
		cancel()
		following.Wait()
	}
	s.Await()
	testclock.Await(s.T, "the index is followed", s.Follower.Following)
}

// HoldIndex keeps the index from being written until release is called, or the
// test ends.
func (s *SearchHarness) HoldIndex() (release func()) {
	s.Index.HoldWrites.Lock()
	release = sync.OnceFunc(s.Index.HoldWrites.Unlock)
	s.T.Cleanup(release)
	return release
}

// Await waits until the index has everything, however slow the machine is.
func (s *SearchHarness) Await() {
	s.T.Helper()
	for s.Follower.Await(context.Background()) != nil {
		if s.T.Failed() {
			return
		}
	}
}

func NewHarness(t testing.TB) *Harness {
	t.Helper()
	store, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir(), Now: testclock.Now})
	if err != nil {
		t.Fatal(err)
	}
	return HarnessOn(t, store)
}

// HarnessOn is a catalog on a store, which it closes.
func HarnessOn(t testing.TB, store graphstore.Store) *Harness {
	t.Helper()
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	f := &Faulty{Store: store}
	return &Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now, SaveFollowers: SaveFollowers, SQL: testsql.Parser()}), T: t, Store: f}
}

func Proposal(change, urn, aspect, value string) write.Proposal {
	entityType := "dataset"
	if urn == Ada {
		entityType = "corpuser"
	}
	return write.Proposal{
		EntityType: entityType, EntityURN: urn, ChangeType: change, AspectName: aspect,
		Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"},
	}
}

// Put ingests and expects a code, "" for success.
func (h *Harness) Put(want catalog.Code, change, urn, aspect, value string) write.Result {
	h.T.Helper()
	return h.Attempt(want, Proposal(change, urn, aspect, value))
}

// Say writes an aspect of an entity of any type.
func (h *Harness) Say(urn, aspect, value string) {
	h.T.Helper()
	u, _, _ := h.ParseURN(urn)
	h.Attempt("", write.Proposal{
		EntityType: u.EntityType(), EntityURN: urn, AspectName: aspect,
		Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"},
	})
}

func (h *Harness) Attempt(want catalog.Code, p write.Proposal) write.Result {
	h.T.Helper()
	result, err := h.Ingest(context.Background(), p, catalog.WriteOptions{Actor: Ada})
	h.Want(want, err)
	return result
}

func (h *Harness) Want(want catalog.Code, err error) {
	h.T.Helper()
	got := catalog.Code("")
	if err != nil {
		got = catalog.CodeOf(err)
	}
	if got != want {
		h.T.Errorf("got %q (%v), want %q", got, err, want)
	}
}

// Value returns a version's value, "" when there is none.
func (h *Harness) Value(urn, aspect string, version int64) string {
	h.T.Helper()
	v, err := h.Aspect(context.Background(), URN(urn), aspect, version)
	if err != nil && catalog.CodeOf(err) != catalog.NotFound {
		h.T.Error(err)
	}
	return string(v.Value)
}

// Neighbours lists the entities on the other side.
func (h *Harness) Neighbours(direction, urn string, types ...string) []string {
	h.T.Helper()
	page, err := h.Relationships(context.Background(), read.RelationshipQuery{URN: URN(urn), Direction: direction, Types: types, Count: 100})
	if err != nil {
		h.T.Fatal(err)
	}
	list := []string{}
	for _, r := range page.Relationships {
		list = append(list, r.Entity)
	}
	return list
}

// Logged counts the change log.
func (h *Harness) Logged() []catalog.Change {
	h.T.Helper()
	var all []catalog.Change
	for after := ""; ; { // a page ends early where values are large
		changes, next, err := h.Changes(context.Background(), after, catalog.MaxChanges)
		if err != nil {
			h.T.Fatal(err)
		}
		if len(changes) == 0 {
			return all
		}
		all, after = append(all, changes...), next
	}
}

func MustJSON(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// BothStores runs a test on an empty store of each kind.
func BothStores(t *testing.T, test func(t *testing.T, store graphstore.Store)) {
	onStores(t, func(*testing.T, string) {}, test)
}

// EmptyStores is BothStores for tests that look at the whole graph: the Neo4j that other
// tests of the package have used is wiped first.
func EmptyStores(t *testing.T, test func(t *testing.T, store graphstore.Store)) {
	onStores(t, func(t *testing.T, uri string) { testservers.WipeNeo4j(t, uri) }, test)
}

// onStores runs a test on both stores; prepare sees the Neo4j before it is opened.
func onStores(t *testing.T, prepare func(t *testing.T, uri string), test func(t *testing.T, store graphstore.Store)) {
	t.Run("embedded", func(t *testing.T) {
		store, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir(), Now: testclock.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() }) // the test may have closed it
		test(t, store)
	})
	t.Run("neo4j", func(t *testing.T) {
		uri := testservers.Neo4j(t)
		prepare(t, uri)
		test(t, OpenNeo4j(t, uri))
	})
}

// OpenTypesense opens an empty index of the model on the tests' Typesense server.
func OpenTypesense(t testing.TB) indexer.Index {
	t.Helper()
	schema := indexer.NewSchema(model.Default())
	fields := schema.Names()
	index, err := typesense.Open(context.Background(), typesense.Options{
		Nodes: []string{testservers.Typesense(t)}, Key: testservers.TypesenseKey, Prefix: fmt.Sprintf("tests%d", time.Now().UnixNano()), Fingerprint: schema.Fingerprint(),
		Facets: fields.Facets, Numbers: fields.Numbers, SortKeys: fields.SortKeys, Completions: fields.Completions,
	})
	if err != nil {
		t.Fatal(err)
	}
	return index
}

// OpenNeo4j opens a store on a Neo4j server, with the clock of tests.
func OpenNeo4j(t testing.TB, uri string) graphstore.Store {
	t.Helper()
	return OpenNeo4jAt(t, uri, testclock.Now)
}

// OpenNeo4jAt opens a store on a Neo4j server, with a clock.
func OpenNeo4jAt(t testing.TB, uri string, now func() time.Time) graphstore.Store {
	t.Helper()
	kinds, mirrored := lineage.GraphKinds(model.Default())
	labels := map[string]string{}
	for _, e := range model.Default().Entities() {
		labels[e.Name] = e.Label
	}
	store, err := neo4j.Open(context.Background(), neo4j.Options{
		URI: uri, Labels: labels, RelationshipTypes: model.Default().RelationshipNames(), Kinds: kinds, Mirrored: mirrored, Now: now,
		ForPeople: write.ForPeople(model.Default()),
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}
