package lineage_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

// asked is a store that counts the questions for ingestion sources and derived lineage, and the looks of whether there
// is any.
type asked struct {
	graphstore.Store
	sources, derived, looks atomic.Int64
}

func (a *asked) ListEntities(ctx context.Context, entityType string, page graphstore.Page) ([]string, int64, error) {
	switch {
	case entityType != model.EntityDataHubIngestionSource:
	case page.Count == 0:
		a.looks.Add(1)
	default:
		a.sources.Add(1)
	}
	return a.Store.ListEntities(ctx, entityType, page)
}

func (a *asked) LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
	if slices.Equal(names, []string{model.AspectDerivedLineage}) {
		a.derived.Add(1)
	}
	return a.Store.LatestAspects(ctx, urns, names)
}

func (a *asked) CountAspects(ctx context.Context, aspect, urnLike string) (int64, error) {
	a.looks.Add(1)
	return a.Store.CountAspects(ctx, aspect, urnLike)
}

// absentSide is a server over a counting store.
type absentSide struct {
	*services.Services
	t     *testing.T
	store *asked
}

func newAbsentSide(t *testing.T, store graphstore.Store, alone bool) *absentSide {
	s := &asked{Store: store}
	// The first questions are slow on Neo4j, which has to plan them.
	if _, _, err := store.ListEntities(t.Context(), model.EntityDataHubIngestionSource, graphstore.Page{}); err != nil {
		t.Fatal(err)
	}
	if _, err := store.CountAspects(t.Context(), model.AspectDerivedLineage, ""); err != nil {
		t.Fatal(err)
	}
	return &absentSide{services.New(services.Options{Store: s, Now: testclock.Now, Alone: alone, FadingAfter: 1}), t, s}
}

// answer asks for everything that tells of fading edges and of readings of SQL. It reports whether readings were told.
func (s *absentSide) answer() (readings bool) {
	s.t.Helper()
	ctx := s.t.Context()
	u, _, err := s.ParseURN(catalogtest.Table)
	if err != nil {
		s.t.Fatal(err)
	}
	page, err := s.Lineage.Of(ctx, lineage.Request{Walk: lineage.WalkQuery{URN: u, Direction: lineage.Upstream}, Count: 10, Paths: 1, Edges: true})
	if err != nil {
		s.t.Fatal(err)
	}
	if len(page.Edges) != 1 || len(page.Entities) != 1 || len(page.Entities[0].Paths) != 1 {
		s.t.Fatalf("an answer with %d edges and %d entities", len(page.Edges), len(page.Entities))
	}
	if _, err := s.Relationships(ctx, read.RelationshipQuery{URN: u, Direction: "OUTGOING", Provenance: true, Count: 10}); err != nil {
		s.t.Fatal(err)
	}
	return page.Edges[0].Provenance.Readings != nil
}

// awaitQuiet waits until five answers ask neither for ingestion sources nor for derived lineage. The first answers may ask,
// because a look that takes long on a busy machine counts as if there were some.
func (s *absentSide) awaitQuiet() {
	s.t.Helper()
	testclock.Await(s.t, "answers that do not ask for things of which there are none", func() bool {
		before := s.store.sources.Load() + s.store.derived.Load()
		for range 5 {
			s.answer()
		}
		return s.store.sources.Load()+s.store.derived.Load() == before
	})
}

func (s *absentSide) say(urn, aspect, value string) {
	s.t.Helper()
	p := write.Proposal{EntityType: model.StoredURN(urn).EntityType(), EntityURN: urn, AspectName: aspect, Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"}, ChangeType: "UPSERT"}
	if _, err := s.Ingest(s.t.Context(), p, catalog.WriteOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *absentSide) stateLineage() {
	s.say(catalogtest.Table, model.AspectUpstreamLineage, fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"VIEW"}]}`, catalogtest.Upstream))
}

// differing is a derivedLineage that reads SQL differently from the client.
func differing() string {
	return fmt.Sprintf(`{"upstreams":[],"differences":[{"downstream":%q,"stated":[%q],"read":[]}]}`, catalogtest.Table, catalogtest.Upstream)
}

const someSource = `{"type":"mysql","name":"s","config":{"recipe":"{}","executorId":"default"}}`

// TestNothingIsAskedFor: a server whose catalog has neither ingestion sources nor derived lineage does not ask its
// store for them, and asks as soon as it has written a source or derived lineage.
func TestNothingIsAskedFor(t *testing.T) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		s := newAbsentSide(t, store, true)
		s.stateLineage()
		s.awaitQuiet()
		before := s.store.looks.Load()
		s.say("urn:li:dataHubIngestionSource:s", "dataHubIngestionSourceInfo", someSource)
		s.answer()
		if n := s.store.sources.Load(); n == 0 {
			t.Error("the ingestion sources were not asked for, after one was written")
		}
		s.say(catalogtest.Table, model.AspectDerivedLineage, differing())
		if !s.answer() {
			t.Error("no readings, after they were written")
		}
		if n := s.store.looks.Load(); n != before {
			t.Errorf("%d looks for things that the server itself has written", n-before)
		}
		second := newAbsentSide(t, store, true)
		if !second.answer() || second.store.sources.Load() == 0 {
			t.Error("a server that begins with both does not ask for them")
		}
	})
}

// TestAbsentOnSharedStores: a server sees at once what another server over its store has written, although it looks
// rarely.
func TestAbsentOnSharedStores(t *testing.T) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		one, other := newAbsentSide(t, store, false), newAbsentSide(t, store, false)
		one.stateLineage()
		began := time.Now()
		one.awaitQuiet()
		if n, most := one.store.looks.Load(), 2*(1+int64(time.Since(began)/(400*time.Millisecond))); n > most {
			t.Errorf("%d looks instead of %d", n, most)
		}
		other.say(catalogtest.Table, model.AspectDerivedLineage, differing())
		if !one.answer() {
			t.Error("no readings, after another server has written them")
		}
		one.answer()
		other.say("urn:li:dataHubIngestionSource:s", "dataHubIngestionSourceInfo", someSource)
		one.answer()
		if n := one.store.sources.Load(); n == 0 {
			t.Error("the ingestion sources were not asked for, after another server has written one")
		}
	})
}
