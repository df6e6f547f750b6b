package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// tagging is a proposal for a tag.
func tagging(change, urn, aspect, value string) Proposal {
	p := proposal(change, urn, aspect, value)
	p.EntityType = "tag"
	return p
}

// TestWholeBatch: a batch with refused members writes nothing, whether they are
// found before the transaction or in it, and each is named.
func TestWholeBatch(t *testing.T) {
	bothStores(t, func(t *testing.T, store graphstore.Store) {
		h := &harness{Catalog: New(Options{Store: store}), t: t}
		ctx := t.Context()
		defer func() { _ = store.Close() }()
		there := tagging(Upsert, "urn:li:tag:there", "tagProperties", `{"name":"there"}`)
		if _, err := h.IngestWhole(ctx, []Proposal{there, tagging(Upsert, "urn:li:tag:there", "status", `{"removed":false}`)}, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		good := tagging(Upsert, "urn:li:tag:good", "tagProperties", `{"name":"good"}`)
		patch := func(text string) Proposal {
			p := tagging(Patch, "urn:li:tag:good", "ownership", text)
			p.Aspect.ContentType = "application/json-patch+json"
			return p
		}
		before := len(h.changes())
		for _, c := range []struct {
			name    string
			batch   []Proposal
			code    Code
			refused []int
			says    string
		}{
			{"a wrong value", []Proposal{good, tagging(Upsert, "urn:li:tag:b", "status", `{"x":1}`), good}, Validation, []int{1}, "urn:li:tag:b status"},
			{"an unknown aspect", []Proposal{tagging(Upsert, "urn:li:tag:b", "nothing", `{}`), good}, Invalid, []int{0}, "Unknown aspect nothing"},
			{"the worst of several", []Proposal{tagging(Upsert, "x", "status", `{}`), good, tagging(Upsert, "urn:li:tag:b", "status", `{"x":1}`)}, Validation, []int{0, 2}, "2 of 3"},
			{"what exists", []Proposal{good, tagging(Create, "urn:li:tag:there", "tagProperties", `{"name":"x"}`), good}, Conflict, []int{1}, "exists already"},
			{"what the batch makes", []Proposal{good, tagging(Create, "urn:li:tag:good", "tagProperties", `{"name":"x"}`)}, Conflict, []int{1}, "exists already"},
			{"a patch that leaves what is not valid", []Proposal{good, patch(`[{"op":"add","path":"/nothing","value":1}]`)}, Validation, []int{1}, "nothing"},
			{"a patch that does not apply", []Proposal{good, patch(`[{"op":"test","path":"/owners","value":"x"}]`)}, Invalid, []int{1}, "urn:li:tag:good ownership"},
		} {
			_, err := h.IngestWhole(ctx, c.batch, WriteOptions{})
			var refused *RefusedError
			if !errors.As(err, &refused) || CodeOf(err) != c.code || !strings.Contains(MessageOf(err), c.says) {
				t.Errorf("%s: %v (%s)", c.name, err, CodeOf(err))
				continue
			}
			var at []int
			for _, m := range refused.Members {
				at = append(at, m.Index)
			}
			if !slices.Equal(at, c.refused) || refused.Total != len(c.refused) {
				t.Errorf("%s: refused %v", c.name, at)
			}
		}
		if n := len(h.changes()); n != before {
			t.Errorf("refused batches left %d changes", n-before)
		}
		if exists, err := h.Exists(ctx, "urn:li:tag:good"); exists || err != nil {
			t.Errorf("a member of a refused batch was written: %v", err)
		}
	})
}

// TestWholeBatchSize: what clients send fits into one transaction, and what is
// refused says how to send it. What is told of many refusals is bounded.
func TestWholeBatchSize(t *testing.T) {
	h, ctx := newHarness(t), context.Background()
	fill := func(n, size int) []Proposal {
		batch := make([]Proposal, n)
		for i := range batch {
			batch[i] = tagging(Upsert, fmt.Sprintf("urn:li:tag:t%d-%d", size, i), "tagProperties", `{"name":"x","description":"`+strings.Repeat("a", size)+`"}`)
		}
		return batch
	}
	for _, batch := range [][]Proposal{fill(200, 15<<20/200), fill(limits.MaxWholeBatch, 10)} {
		before := h.store.updates.Load()
		items, err := h.IngestWhole(ctx, batch, WriteOptions{})
		if err != nil || len(items) != len(batch) || h.store.updates.Load() != before+1 {
			t.Fatalf("%d proposals: %v, %d transactions", len(batch), err, h.store.updates.Load()-before)
		}
		for i := range items {
			if !items[i].Changed || items[i].Err != nil {
				t.Fatalf("%d: %+v", i, items[i])
			}
		}
	}
	before := len(h.changes())
	for code, batch := range map[Code][]Proposal{Invalid: fill(limits.MaxWholeBatch+1, 1), TooLarge: fill(3, 8<<20)} {
		_, err := h.IngestWhole(ctx, batch, WriteOptions{})
		if CodeOf(err) != code || !strings.Contains(MessageOf(err), "partial=true") {
			t.Errorf("%v, want %s", err, code)
		}
	}
	bad := make([]Proposal, limits.MaxWholeBatch)
	for i := range bad {
		bad[i] = tagging(Upsert, strings.Repeat("x", 5000), strings.Repeat("y", 5000), `{}`)
	}
	_, err := h.IngestWhole(ctx, bad, WriteOptions{})
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Total != len(bad) || len(refused.Members) != limits.MaxRefusedMembers || len(MessageOf(err)) > limits.MaxMessageBytes ||
		!strings.Contains(MessageOf(err), "more") || len(refused.Members[0].URN) > 2*limits.MaxURNBytes+3 {
		t.Errorf("%v", err)
	}
	if n := len(h.changes()); n != before {
		t.Errorf("refused batches left %d changes", n-before)
	}
}

// TestWholeBatchFailures: when the store fails the batch fails as the store
// does, whole, and may be sent again.
func TestWholeBatchFailures(t *testing.T) {
	h, ctx := newHarness(t), context.Background()
	batch := []Proposal{tagging(Upsert, "urn:li:tag:a", "status", `{"removed":true}`), tagging(Upsert, "urn:li:tag:b", "status", `{"removed":true}`)}
	for cause, want := range map[error]Code{graphstore.ErrUnavailable: Unavailable, graphstore.ErrBusy: Busy, context.DeadlineExceeded: Timeout, errors.New("a defect"): Internal} {
		h.store.failCommit = cause
		_, err := h.IngestWhole(ctx, batch, WriteOptions{})
		h.want(want, err)
	}
	h.store.failCommit = nil
	if n := len(h.changes()); n != 0 {
		t.Errorf("failed batches left %d changes", n)
	}
	for _, changed := range []bool{true, false} {
		items, err := h.IngestWhole(ctx, batch, WriteOptions{})
		if err != nil || items[0].Changed != changed || items[1].Changed != changed {
			t.Errorf("%+v %v", items, err)
		}
	}
	if items, err := h.IngestWhole(ctx, nil, WriteOptions{}); err != nil || len(items) != 0 {
		t.Errorf("nothing at all: %v", err)
	}
}

// TestSnapshotIsWhole: when one aspect of a snapshot cannot be written none is.
func TestSnapshotIsWhole(t *testing.T) {
	h, ctx := newHarness(t), context.Background()
	err := h.IngestSnapshots(ctx, []Snapshot{{Value: json.RawMessage(`{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"urn:li:tag:s","aspects":[
		{"com.linkedin.tag.TagProperties":{"name":"s"}},{"com.linkedin.common.Status":{"removed":1}}]}}`)}}, WriteOptions{})
	if CodeOf(err) != Validation || len(h.changes()) != 0 {
		t.Errorf("%v, %d changes", err, len(h.changes()))
	}
}
