package write_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// tagging is a proposal for a tag.
func tagging(change, urn, aspect, value string) write.Proposal {
	p := catalogtest.Proposal(change, urn, aspect, value)
	p.EntityType = "tag"
	return p
}

// TestWholeBatch: a batch with refused members writes nothing, whether they are
// found before the transaction or in it, and each is named.
func TestWholeBatch(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: store}), T: t}
		ctx := t.Context()
		defer func() { _ = store.Close() }()
		existing := tagging(write.Upsert, "urn:li:tag:there", "tagProperties", `{"name":"there"}`)
		if _, err := h.IngestWhole(ctx, []write.Proposal{existing, tagging(write.Upsert, "urn:li:tag:there", "status", `{"removed":false}`)}, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		good := tagging(write.Upsert, "urn:li:tag:good", "tagProperties", `{"name":"good"}`)
		patch := func(text string) write.Proposal {
			p := tagging(write.Patch, "urn:li:tag:good", "ownership", text)
			p.Aspect.ContentType = "application/json-patch+json"
			return p
		}
		before := len(h.Logged())
		for _, c := range []struct {
			name    string
			batch   []write.Proposal
			code    catalog.Code
			refused []int
			says    string
		}{
			{"a wrong value", []write.Proposal{good, tagging(write.Upsert, "urn:li:tag:b", "status", `{"x":1}`), good}, catalog.Validation, []int{1}, "urn:li:tag:b status"},
			{"an unknown aspect", []write.Proposal{tagging(write.Upsert, "urn:li:tag:b", "nothing", `{}`), good}, catalog.Invalid, []int{0}, "Unknown aspect nothing"},
			{"the worst of several", []write.Proposal{tagging(write.Upsert, "x", "status", `{}`), good, tagging(write.Upsert, "urn:li:tag:b", "status", `{"x":1}`)}, catalog.Validation, []int{0, 2}, "2 of 3"},
			{"what exists", []write.Proposal{good, tagging(write.Create, "urn:li:tag:there", "tagProperties", `{"name":"x"}`), good}, catalog.Precondition, []int{1}, "already exists"},
			{"what the batch makes", []write.Proposal{good, tagging(write.Create, "urn:li:tag:good", "tagProperties", `{"name":"x"}`)}, catalog.Precondition, []int{1}, "already exists"},
			{"a patch that leaves what is not valid", []write.Proposal{good, patch(`[{"op":"add","path":"/nothing","value":1}]`)}, catalog.Validation, []int{1}, "nothing"},
			{"a patch that does not apply", []write.Proposal{good, patch(`[{"op":"test","path":"/owners","value":"x"}]`)}, catalog.Invalid, []int{1}, "urn:li:tag:good ownership"},
		} {
			_, err := h.IngestWhole(ctx, c.batch, catalog.WriteOptions{})
			var refused *catalog.RefusedError
			if !errors.As(err, &refused) || catalog.CodeOf(err) != c.code || !strings.Contains(catalog.MessageOf(err), c.says) {
				t.Errorf("%s: %v (%s)", c.name, err, catalog.CodeOf(err))
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
		if n := len(h.Logged()); n != before {
			t.Errorf("refused batches left %d changes", n-before)
		}
		if exists, err := h.Exists(ctx, catalogtest.URN("urn:li:tag:good")); exists || err != nil {
			t.Errorf("a member of a refused batch was written: %v", err)
		}
	})
}

// TestWholeBatchSize: batches of known clients fit into one transaction, and a refusal names the way to send
// larger ones. A message about many refusals has a bounded size.
func TestWholeBatchSize(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	fill := func(n, size int) []write.Proposal {
		batch := make([]write.Proposal, n)
		for i := range batch {
			batch[i] = tagging(write.Upsert, fmt.Sprintf("urn:li:tag:t%d-%d", size, i), "tagProperties", `{"name":"x","description":"`+strings.Repeat("a", size)+`"}`)
		}
		return batch
	}
	for _, batch := range [][]write.Proposal{fill(200, 15<<20/200), fill(limits.MaxWholeBatch, 10)} {
		before := h.Store.Updates.Load()
		items, err := h.IngestWhole(ctx, batch, catalog.WriteOptions{})
		if err != nil || len(items) != len(batch) || h.Store.Updates.Load() != before+1 {
			t.Fatalf("%d proposals: %v, %d transactions", len(batch), err, h.Store.Updates.Load()-before)
		}
		for i := range items {
			if !items[i].Changed || items[i].Err != nil {
				t.Fatalf("%d: %+v", i, items[i])
			}
		}
	}
	before := len(h.Logged())
	for code, batch := range map[catalog.Code][]write.Proposal{catalog.Invalid: fill(limits.MaxWholeBatch+1, 1), catalog.TooLarge: fill(3, 8<<20)} {
		_, err := h.IngestWhole(ctx, batch, catalog.WriteOptions{})
		if catalog.CodeOf(err) != code || !strings.Contains(catalog.MessageOf(err), "partial=true") {
			t.Errorf("%v, want %s", err, code)
		}
	}
	bad := make([]write.Proposal, limits.MaxWholeBatch)
	for i := range bad {
		bad[i] = tagging(write.Upsert, strings.Repeat("x", 5000), strings.Repeat("y", 5000), `{}`)
	}
	_, err := h.IngestWhole(ctx, bad, catalog.WriteOptions{})
	var refused *catalog.RefusedError
	if !errors.As(err, &refused) || refused.Total != len(bad) || len(refused.Members) != limits.MaxRefusedMembers || len(catalog.MessageOf(err)) > limits.MaxMessageBytes ||
		!strings.Contains(catalog.MessageOf(err), "more") || len(refused.Members[0].URN) > 2*limits.MaxURNBytes+3 {
		t.Errorf("%v", err)
	}
	if n := len(h.Logged()); n != before {
		t.Errorf("refused batches left %d changes", n-before)
	}
}

// TestWholeBatchFailures: when the store fails the batch fails as the store
// does, whole, and may be sent again.
func TestWholeBatchFailures(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	batch := []write.Proposal{tagging(write.Upsert, "urn:li:tag:a", "status", `{"removed":true}`), tagging(write.Upsert, "urn:li:tag:b", "status", `{"removed":true}`)}
	for cause, want := range map[error]catalog.Code{graphstore.ErrUnavailable: catalog.Unavailable, graphstore.ErrBusy: catalog.Busy, context.DeadlineExceeded: catalog.Timeout, errors.New("a defect"): catalog.Internal} {
		h.Store.FailCommit = cause
		_, err := h.IngestWhole(ctx, batch, catalog.WriteOptions{})
		h.Want(want, err)
	}
	h.Store.FailCommit = nil
	if n := len(h.Logged()); n != 0 {
		t.Errorf("failed batches left %d changes", n)
	}
	for _, changed := range []bool{true, false} {
		items, err := h.IngestWhole(ctx, batch, catalog.WriteOptions{})
		if err != nil || items[0].Changed != changed || items[1].Changed != changed {
			t.Errorf("%+v %v", items, err)
		}
	}
	if items, err := h.IngestWhole(ctx, nil, catalog.WriteOptions{}); err != nil || len(items) != 0 {
		t.Errorf("nothing at all: %v", err)
	}
}

// TestSnapshotIsWhole: when one aspect of a snapshot cannot be written none is.
func TestSnapshotIsWhole(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	_, err := h.IngestSnapshots(ctx, []write.Snapshot{{Value: json.RawMessage(`{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"urn:li:tag:s","aspects":[
		{"com.linkedin.tag.TagProperties":{"name":"s"}},{"com.linkedin.common.Status":{"removed":1}}]}}`)}}, catalog.WriteOptions{})
	if catalog.CodeOf(err) != catalog.Validation || len(h.Logged()) != 0 {
		t.Errorf("%v, %d changes", err, len(h.Logged()))
	}
}
