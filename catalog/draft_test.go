package catalog

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

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
func watch(t *testing.T, o Options) (*Catalog, *watched) {
	t.Helper()
	h := newHarness(t)
	w := &watched{Store: h.store}
	o.Store = w
	return New(o), w
}

func ingestTo(t *testing.T, c *Catalog, want Code, p Proposal) {
	t.Helper()
	_, err := c.Ingest(context.Background(), p, WriteOptions{Actor: ada})
	if (err != nil) != (want != "") || err != nil && CodeOf(err) != want {
		t.Errorf("%s of %s: %v, want %q", p.ChangeType, p.AspectName, err, want)
	}
}

// TestPatchBomb: a patch of some hundred bytes that copies a value into itself
// is refused, and the value stays as it was.
func TestPatchBomb(t *testing.T) {
	h := newHarness(t)
	h.put("", Upsert, table, "datasetProperties", `{"customProperties":{"a":"`+strings.Repeat("x", 500)+`"}}`)
	before := h.value(table, "datasetProperties", 0)
	var bomb []string
	for i := range 24 {
		bomb = append(bomb, fmt.Sprintf(`{"op":"copy","from":"/customProperties","path":"/customProperties/%d"}`, i))
	}
	h.put(TooLarge, Patch, table, "datasetProperties", "["+strings.Join(bomb, ",")+"]")
	if h.value(table, "datasetProperties", 0) != before || len(h.changes()) != 5 {
		t.Errorf("the refused patch left %d changes", len(h.changes()))
	}
}

// TestPatchPassesTheSizeLimit: what a patch leaves may not be larger than an
// aspect that is sent.
func TestPatchPassesTheSizeLimit(t *testing.T) {
	c, w := watch(t, Options{MaxAspectBytes: 1000})
	add := func(name string) Proposal {
		return proposal(Patch, table, "datasetProperties", `[{"op":"add","path":"/customProperties/`+name+`","value":"`+strings.Repeat("x", 600)+`"}]`)
	}
	ingestTo(t, c, "", add("a"))
	ingestTo(t, c, TooLarge, add("b"))
	latest, err := w.LatestAspects(context.Background(), []string{table}, []string{"datasetProperties"})
	if err != nil || len(latest[table]) != 1 || latest[table][0].Seq != 1 {
		t.Errorf("after a refused patch: %+v %v", latest, err)
	}
}

// TestEditsAreWorkedOutOutside: edits never run inside a transaction, also when
// the value changes just before it.
func TestEditsAreWorkedOutOutside(t *testing.T) {
	c, w := watch(t, Options{})
	ingestTo(t, c, "", proposal(Upsert, table, "datasetProperties", `{"description":"0"}`))
	interfere := 2
	w.before = func() {
		if interfere--; interfere < 0 {
			return
		}
		other := New(Options{Store: w.Store}) // as another server would
		ingestTo(t, other, "", proposal(Upsert, table, "datasetProperties", fmt.Sprintf(`{"description":"other %d"}`, interfere)))
	}
	runs := 0
	err := c.Edit(context.Background(), []Edit{{URN: table, Aspect: "datasetProperties", Change: func(value Tree, _ AuditStamp) error {
		runs++
		if w.inside.Load() != 0 {
			t.Error("an edit ran inside a transaction")
		}
		value["name"] = "new"
		return nil
	}}}, WriteOptions{})
	if err != nil || runs != 3 {
		t.Errorf("%d runs: %v", runs, err)
	}
	a, err := c.Aspect(context.Background(), table, "datasetProperties", 0)
	if text := string(a.Value); err != nil || !strings.Contains(text, `"name":"new"`) || !strings.Contains(text, "other 0") {
		t.Errorf("got %s %v", text, err)
	}
}

// TestEditThatNeverComes: others that write before every try end in the answer
// that the server is busy, not in a loop.
func TestEditThatNeverComes(t *testing.T) {
	c, w := watch(t, Options{})
	ingestTo(t, c, "", proposal(Upsert, table, "datasetProperties", `{"description":"0"}`))
	n := 0
	w.before = func() {
		n++
		ingestTo(t, New(Options{Store: w.Store}), "", proposal(Upsert, table, "datasetProperties", fmt.Sprintf(`{"description":"%d"}`, n)))
	}
	err := c.Edit(context.Background(), []Edit{Replace(table, "datasetProperties", func(AuditStamp) Tree { return Tree{"name": "new"} })}, WriteOptions{})
	if CodeOf(err) != Busy || n != outsideTries {
		t.Errorf("after %d tries: %v", n, err)
	}
}

// TestHotEdits: edits of one aspect that all collide get through, each once.
func TestHotEdits(t *testing.T) {
	h := newHarness(t)
	h.put("", Upsert, table, "datasetProperties", `{"description":"0"}`)
	const writers, rounds = 24, 5
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for r := range rounds {
				err := h.Edit(context.Background(), []Edit{{URN: table, Aspect: "datasetProperties", Change: func(value Tree, _ AuditStamp) error {
					properties, _ := value["customProperties"].(Tree)
					if properties == nil {
						properties = Tree{}
					}
					properties[fmt.Sprint(w, "-", r)] = "x"
					value["customProperties"] = properties
					return nil
				}}}, WriteOptions{})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if n := strings.Count(h.value(table, "datasetProperties", 0), `":"x"`); n != writers*rounds {
		t.Errorf("%d edits are there, want %d", n, writers*rounds)
	}
}

// TestLargeValuesAreComparedOutside: a transaction does not go through more
// than it may, whether values are put, patched, deleted or rolled back; what is
// stored after it is the same as of small values.
func TestLargeValuesAreComparedOutside(t *testing.T) {
	h := newHarness(t)
	large := func(name string) string {
		return `{"name":"` + name + `","customProperties":{"a":"` + strings.Repeat("x", 2*insideBytes) + `"}}`
	}
	run := func(p Proposal) Proposal {
		p.System = &SystemMetadata{RunID: "run"}
		return p
	}
	h.put("", Upsert, table, "datasetProperties", large("first"))
	h.put("", Patch, table, "datasetProperties", `[{"op":"replace","path":"/name","value":"second"}]`)
	h.ingest("", run(proposal(Upsert, table, "datasetProperties", large("third"))))
	nodes := func() any {
		found, err := h.store.Entities(context.Background(), []string{table})
		if err != nil || len(found) != 1 {
			t.Fatalf("%d nodes: %v", len(found), err)
		}
		return found[0].Properties["name"]
	}
	if name := nodes(); name != "third" {
		t.Errorf("the node is called %v", name)
	}
	if _, err := h.Rollback(context.Background(), RollbackRequest{Origin: Origin{RunID: "run"}}, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if name := nodes(); name != "second" {
		t.Errorf("after the rollback the node is called %v", name)
	}
	h.put("", Delete, table, "datasetProperties", "")
	if got := h.value(table, "datasetProperties", 0); got != "" {
		t.Errorf("after the deletion: %.50s", got)
	}
	seen := map[string]bool{}
	for _, change := range h.changes() {
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
	s := New(Options{}).newSession(nil, ada, newWork())
	if err := s.spend(insideBytes); err != nil {
		t.Error(err)
	}
	if err := s.spend(1); !errors.Is(err, errOutside) {
		t.Errorf("got %v", err)
	}
}

// TestFewDraftsAtOnce: however many requests have something to work out, few do
// so at a time.
func TestFewDraftsAtOnce(t *testing.T) {
	h := newHarness(t)
	var now, most atomic.Int64
	var group sync.WaitGroup
	for n := range 40 {
		urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,t%d,PROD)", n)
		h.put("", Upsert, urn, "datasetProperties", `{"description":"0"}`)
		group.Go(func() {
			err := h.Edit(context.Background(), []Edit{{URN: urn, Aspect: "datasetProperties", Change: func(value Tree, _ AuditStamp) error {
				running := now.Add(1)
				defer now.Add(-1)
				for m := most.Load(); running > m && !most.CompareAndSwap(m, running); m = most.Load() {
				}
				for range 100 {
					runtime.Gosched() // lets the others in
				}
				value["name"] = "new"
				return nil
			}}}, WriteOptions{})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := most.Load(); n > draftsAtOnce {
		t.Errorf("%d edits ran at a time, at most %d may", n, draftsAtOnce)
	}
}
