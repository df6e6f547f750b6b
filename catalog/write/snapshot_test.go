package write_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
)

// refusing counts transactions, and refuses the transactions of one entity.
type refusing struct {
	graphstore.Store
	urn          string
	transactions int
}

func (s *refusing) Update(ctx context.Context, urns []string, fn func(graphstore.Tx) error) error {
	s.transactions++
	if slices.Contains(urns, s.urn) {
		return errors.New("refused")
	}
	return s.Store.Update(ctx, urns, fn)
}

func tagSnapshot(tag, name string) write.Snapshot {
	return write.Snapshot{Value: fmt.Appendf(nil, `{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"urn:li:tag:%s","aspects":[{"com.linkedin.tag.TagProperties":{"name":%q}}]}}`, tag, name)}
}

// TestSnapshotsShareTransactions: snapshots share a transaction, in their order. If one snapshot
// cannot be written, the snapshots before it are written, and the snapshots after it are not.
func TestSnapshotsShareTransactions(t *testing.T) {
	ctx := context.Background()
	inner, err := embedded.Open(ctx, embedded.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	store := &refusing{Store: inner}
	c := services.New(services.Options{Store: store})
	var many []write.Snapshot
	for n := range 1500 {
		many = append(many, tagSnapshot(fmt.Sprint(n%1000), fmt.Sprint(n)))
	}
	if _, err := c.IngestSnapshots(ctx, many, catalog.WriteOptions{}); err != nil || store.transactions > 3 {
		t.Fatalf("%d transactions for %d snapshots: %v", store.transactions, len(many), err)
	}
	wantName := func(tag, want string) {
		t.Helper()
		found, err := c.Aspect(ctx, catalogtest.URN("urn:li:tag:"+tag), "tagProperties", 0)
		if want == "" {
			if catalog.CodeOf(err) != catalog.NotFound {
				t.Errorf("%s is stored: %v", tag, err)
			}
			return
		}
		if err != nil || string(found.Value) != fmt.Sprintf(`{"name":%q}`, want) {
			t.Errorf("%s: %+v %v, want the name %s", tag, found, err, want)
		}
	}
	wantName("7", "1007")
	wantName("600", "600")

	store.urn = "urn:li:tag:bad"
	_, err = c.IngestSnapshots(ctx, []write.Snapshot{tagSnapshot("before", "x"), tagSnapshot("bad", "x"), tagSnapshot("after", "x")}, catalog.WriteOptions{})
	if catalog.CodeOf(err) != catalog.Internal {
		t.Errorf("a snapshot that cannot be written: %v", err)
	}
	wantName("before", "x")
	wantName("bad", "")
	wantName("after", "")
}

// TestSnapshotResults: the result of a snapshot, as of a proposal, is that its entity was created, changed or
// neither. An entity of which an aspect had a value before is only changed.
func TestSnapshotResults(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	snapshot := func(name, removed string) write.Snapshot {
		return write.Snapshot{Value: json.RawMessage(`{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"urn:li:tag:s","aspects":[
			{"com.linkedin.tag.TagProperties":{"name":"` + name + `"}}` + removed + `]}}`)}
	}
	const status = `,{"com.linkedin.common.Status":{"removed":false}}`
	got, err := h.IngestSnapshots(ctx, []write.Snapshot{snapshot("s", ""), snapshot("s", ""), snapshot("s", status), snapshot("t", status)}, catalog.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []write.Result{{Changed: true, Created: true}, {}, {Changed: true}, {Changed: true}}
	for i := range want {
		want[i].URN = "urn:li:tag:s"
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	items, err := h.IngestBatch(ctx, []write.Proposal{
		catalogtest.Proposal(write.Upsert, catalogtest.Table, "status", `{"removed":true}`), catalogtest.Proposal(write.Upsert, catalogtest.Table, "status", `{"removed":false}`),
	}, catalog.WriteOptions{})
	if err != nil || !items[0].Created || !items[1].Changed || items[1].Created {
		t.Errorf("proposals: %+v %v", items, err)
	}
}
