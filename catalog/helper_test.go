package catalog

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
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

// faulty is a store that can be told to fail.
type faulty struct {
	graphstore.Store
	fail error
	// failCommit fails after the function has run, as a lost commit does.
	failCommit error
}

func (f *faulty) Update(ctx context.Context, urns []string, fn func(graphstore.Tx) error) error {
	if f.fail != nil {
		return f.fail
	}
	return f.Store.Update(ctx, urns, func(tx graphstore.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return f.failCommit
	})
}

func newHarness(t testing.TB) *harness {
	t.Helper()
	store, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	f := &faulty{Store: store}
	return &harness{Catalog: New(Options{Store: f}), t: t, store: f}
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
func (h *harness) changes() []graphstore.Change {
	h.t.Helper()
	changes, _, err := h.Changes(context.Background(), "", MaxChanges)
	if err != nil {
		h.t.Fatal(err)
	}
	return changes
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
