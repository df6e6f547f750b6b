package write_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
)

// watched is a store that says whether a transaction runs now.
type watched struct {
	graphstore.Store
	inside atomic.Int64
	// before is called when a transaction begins, where there is one.
	before func()
}

func (w *watched) Update(ctx context.Context, urns []string, fn func(graphstore.Tx) error) error {
	if w.before != nil {
		w.before()
	}
	return w.Store.Update(ctx, urns, func(tx graphstore.Tx) error {
		w.inside.Add(1)
		defer w.inside.Add(-1)
		return fn(tx)
	})
}

// watch is a catalog over a watched store.
func watch(t *testing.T, o services.Options) (*services.Services, *watched) {
	t.Helper()
	h := catalogtest.NewHarness(t)
	w := &watched{Store: h.Store}
	o.Store = w
	return services.New(o), w
}

func ingestTo(t *testing.T, c *services.Services, want catalog.Code, p write.Proposal) {
	t.Helper()
	_, err := c.Ingest(context.Background(), p, catalog.WriteOptions{Actor: catalogtest.Ada})
	if (err != nil) != (want != "") || err != nil && catalog.CodeOf(err) != want {
		t.Errorf("%s of %s: %v, want %q", p.ChangeType, p.AspectName, err, want)
	}
}

// TestPatchBomb: a small patch that makes many levels of the keys of a list is
// refused, and the value stays as it was.
func TestPatchBomb(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"tags":["x"`+strings.Repeat(`,"x"`, 100_000)+`]}`)
	before := h.Value(catalogtest.Table, "datasetProperties", 0)
	h.Put(catalog.TooLarge, write.Patch, catalogtest.Table, "datasetProperties", `{"arrayPrimaryKeys":{"tags":["a"`+strings.Repeat(`,"a"`, 14)+`]},"patch":[]}`)
	if h.Value(catalogtest.Table, "datasetProperties", 0) != before || len(h.Logged()) != 5 {
		t.Errorf("the refused patch left %d changes", len(h.Logged()))
	}
}

// TestPatchPassesTheSizeLimit: the result of a patch may not be larger than an aspect that is sent.
func TestPatchPassesTheSizeLimit(t *testing.T) {
	c, w := watch(t, services.Options{MaxAspectBytes: 1000})
	add := func(name string) write.Proposal {
		return catalogtest.Proposal(write.Patch, catalogtest.Table, "datasetProperties", `[{"op":"add","path":"/customProperties/`+name+`","value":"`+strings.Repeat("x", 600)+`"}]`)
	}
	ingestTo(t, c, "", add("a"))
	ingestTo(t, c, catalog.TooLarge, add("b"))
	latest, err := w.LatestAspects(context.Background(), []string{catalogtest.Table}, []string{"datasetProperties"})
	if err != nil || len(latest[catalogtest.Table]) != 1 || latest[catalogtest.Table][0].Seq != 1 {
		t.Errorf("after a refused patch: %+v %v", latest, err)
	}
}

// TestEditsAreWorkedOutOutside: edits never run inside a transaction, also when
// the value changes just before it.
func TestEditsAreWorkedOutOutside(t *testing.T) {
	c, w := watch(t, services.Options{})
	ingestTo(t, c, "", catalogtest.Proposal(write.Upsert, catalogtest.Table, "datasetProperties", `{"description":"0"}`))
	interfere := 2
	w.before = func() {
		if interfere--; interfere < 0 {
			return
		}
		other := services.New(services.Options{Store: w.Store}) // as another server would
		ingestTo(t, other, "", catalogtest.Proposal(write.Upsert, catalogtest.Table, "datasetProperties", fmt.Sprintf(`{"description":"other %d"}`, interfere)))
	}
	runs := 0
	err := c.Edit(context.Background(), []write.Edit{{URN: catalogtest.URN(catalogtest.Table), Aspect: "datasetProperties", Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		runs++
		if w.inside.Load() != 0 {
			t.Error("an edit ran inside a transaction")
		}
		value["name"] = "new"
		return nil
	}}}, catalog.WriteOptions{})
	if err != nil || runs != 3 {
		t.Errorf("%d runs: %v", runs, err)
	}
	a, err := c.Aspect(context.Background(), catalogtest.URN(catalogtest.Table), "datasetProperties", 0)
	if text := string(a.Value); err != nil || !strings.Contains(text, `"name":"new"`) || !strings.Contains(text, "other 0") {
		t.Errorf("got %s %v", text, err)
	}
}

// TestEditThatNeverComes: others that write before every try end in the answer
// that the server is busy, not in a loop.
func TestEditThatNeverComes(t *testing.T) {
	c, w := watch(t, services.Options{})
	ingestTo(t, c, "", catalogtest.Proposal(write.Upsert, catalogtest.Table, "datasetProperties", `{"description":"0"}`))
	n := 0
	w.before = func() {
		n++
		ingestTo(t, services.New(services.Options{Store: w.Store}), "", catalogtest.Proposal(write.Upsert, catalogtest.Table, "datasetProperties", fmt.Sprintf(`{"description":"%d"}`, n)))
	}
	err := c.Edit(context.Background(), []write.Edit{write.Replace(catalogtest.URN(catalogtest.Table), "datasetProperties", func(catalog.AuditStamp) catalog.Tree { return catalog.Tree{"name": "new"} })}, catalog.WriteOptions{})
	if catalog.CodeOf(err) != catalog.Busy || n != write.OutsideTries {
		t.Errorf("after %d tries: %v", n, err)
	}
}

// TestHotEdits: edits of one aspect that all collide get through, each once.
func TestHotEdits(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"description":"0"}`)
	const writers, rounds = 24, 5
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for r := range rounds {
				err := h.Edit(context.Background(), []write.Edit{{URN: catalogtest.URN(catalogtest.Table), Aspect: "datasetProperties", Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
					properties, _ := value["customProperties"].(catalog.Tree)
					if properties == nil {
						properties = catalog.Tree{}
					}
					properties[fmt.Sprint(w, "-", r)] = "x"
					value["customProperties"] = properties
					return nil
				}}}, catalog.WriteOptions{})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if n := strings.Count(h.Value(catalogtest.Table, "datasetProperties", 0), `":"x"`); n != writers*rounds {
		t.Errorf("%d edits are there, want %d", n, writers*rounds)
	}
}

// TestLargeValuesAreComparedOutside: no transaction compares more bytes than a transaction may,
// whether it puts, patches, deletes or rolls back values. Large values have the same results as
// small values.
func TestLargeValuesAreComparedOutside(t *testing.T) {
	h := catalogtest.NewHarness(t)
	large := func(name string) string {
		return `{"name":"` + name + `","customProperties":{"a":"` + strings.Repeat("x", 2*write.InsideBytes) + `"}}`
	}
	run := func(p write.Proposal) write.Proposal {
		p.System = &catalog.SystemMetadata{RunID: "run"}
		return p
	}
	h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", large("first"))
	h.Put("", write.Patch, catalogtest.Table, "datasetProperties", `[{"op":"replace","path":"/name","value":"second"}]`)
	h.Attempt("", run(catalogtest.Proposal(write.Upsert, catalogtest.Table, "datasetProperties", large("third"))))
	nodes := func() any {
		found, err := h.Store.Entities(context.Background(), []string{catalogtest.Table})
		if err != nil || len(found) != 1 {
			t.Fatalf("%d nodes: %v", len(found), err)
		}
		return found[0].Properties["name"]
	}
	if name := nodes(); name != "third" {
		t.Errorf("the node is called %v", name)
	}
	if _, err := h.Removal.Rollback(context.Background(), removal.RollbackRequest{Origin: removal.Origin{RunID: "run"}}, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if name := nodes(); name != "second" {
		t.Errorf("after the rollback the node is called %v", name)
	}
	h.Put("", write.Delete, catalogtest.Table, "datasetProperties", "")
	if got := h.Value(catalogtest.Table, "datasetProperties", 0); got != "" {
		t.Errorf("after the deletion: %.50s", got)
	}
	seen := map[string]bool{}
	for _, change := range h.Logged() {
		if change.Aspect == "datasetProperties" {
			seen[string(change.Kind)] = true
		}
	}
	if !seen["UPSERT"] || !seen["DELETE"] {
		t.Errorf("changes of kinds %v", seen)
	}
}

// TestSpend: a session stops where more is to be gone through than may be.
func TestSpend(t *testing.T) {
	if write.Lacks(write.InsideBytes) {
		t.Error("a session ends before its bytes are spent")
	}
	if !write.Lacks(write.InsideBytes, 1) {
		t.Error("a session goes on beyond its bytes")
	}
}

// TestFewDraftsAtOnce: however many requests have something to work out, few do
// so at a time.
func TestFewDraftsAtOnce(t *testing.T) {
	h := catalogtest.NewHarness(t)
	var now, most atomic.Int64
	var group sync.WaitGroup
	for n := range 40 {
		urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,t%d,PROD)", n)
		h.Put("", write.Upsert, urn, "datasetProperties", `{"description":"0"}`)
		group.Go(func() {
			err := h.Edit(context.Background(), []write.Edit{{URN: catalogtest.URN(urn), Aspect: "datasetProperties", Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
				running := now.Add(1)
				defer now.Add(-1)
				for m := most.Load(); running > m && !most.CompareAndSwap(m, running); m = most.Load() {
				}
				for range 100 {
					runtime.Gosched() // lets the others in
				}
				value["name"] = "new"
				return nil
			}}}, catalog.WriteOptions{})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := most.Load(); n > write.DraftsAtOnce {
		t.Errorf("%d edits ran at a time, at most %d may", n, write.DraftsAtOnce)
	}
}
