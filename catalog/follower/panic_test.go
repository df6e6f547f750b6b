package follower_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/safely"
)

func isPanic(err error) bool {
	var caught *safely.PanicError
	return errors.As(err, &caught)
}

// TestPanicInBatch: what breaks one item is that item's error, for which the
// process does not end.
func TestPanicInBatch(t *testing.T) {
	h := catalogtest.NewHarness(t)
	broken := services.New(services.Options{Store: h.Store, Now: func() time.Time { panic("no clock") }})
	good := catalog.Proposal{
		EntityType: "tag", EntityURN: "urn:li:tag:x", ChangeType: catalog.Upsert, AspectName: "status",
		Aspect: &catalog.GenericAspect{[]byte(`{"removed":false}`), "application/json"},
		System: &catalog.SystemMetadata{LastObserved: 1},
	}
	bad := good
	bad.System = nil
	items, err := broken.IngestBatch(t.Context(), []catalog.Proposal{good, bad, good}, catalog.WriteOptions{})
	if err != nil || items[0].Err != nil || items[2].Err != nil || !isPanic(items[1].Err) {
		t.Fatalf("%+v %v", items, err)
	}
	if catalog.CodeOf(items[1].Err) != catalog.Internal || strings.Contains(catalog.MessageOf(items[1].Err), "clock") {
		t.Errorf("the caller is told %q", catalog.MessageOf(items[1].Err))
	}
}

// panicking is a store that panics where it says so.
type panicking struct {
	graphstore.Store
	scan bool
}

func (p *panicking) ScanEntities(ctx context.Context, after string, limit int) ([]string, error) {
	if p.scan {
		panic("no scan")
	}
	return p.Store.ScanEntities(ctx, after, limit)
}

func TestPanicInFollower(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	urn := h.Add(1)
	f := h.follower
	broken := &follower.Follower{store: f.store, index: f.index, schema: f.schema, logger: f.logger, written: f.written} // without a registry
	if _, err := broken.project(t.Context(), []string{urn}); !isPanic(err) {
		t.Errorf("project: %v", err)
	}
	broken = follower.New(follower.Options{Catalog: h.Catalog, Store: f.store, Index: follower.Index{Index: f.index}, Schema: f.schema, Now: f.now, Logger: f.logger})
	broken.store = &panicking{Store: f.store, scan: true}
	build, err := f.index.Rebuild(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := broken.scan(t.Context(), build, &follower.Refusals{}); !isPanic(err) {
		t.Errorf("scan: %v", err)
	}
	if err := build.Abandon(); err != nil {
		t.Error(err)
	}
}

// TestReindexPanics: a build that panics fails, says so, and the index serves
// on.
func TestReindexPanics(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	h.Add(1)
	good := h.follower.store
	h.follower.store = &panicking{Store: good, scan: true}
	if err := h.Follower.Reindex(); err != nil {
		t.Fatal(err)
	}
	h.follower.builds.Wait()
	if status, _ := h.Follower.Status(); status.Building {
		t.Error("a build that broke goes on")
	}
	h.ExpectTotal("after a build that broke", 1)
}

// TestValueLimits: what would be far larger decoded than sent is refused
// before it is decoded.
func TestValueLimits(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for name, c := range map[string]struct{ value, says string }{
		"deep":  {`{"name":` + strings.Repeat("[", 101) + strings.Repeat("]", 101) + `}`, "more than 100 lists and objects within each other"},
		"empty": {`{"name":[` + strings.Repeat("[],", 1_000_000) + `[]]}`, "more than 1000000 values"},
	} {
		_, err := h.Ingest(t.Context(), catalog.Proposal{
			EntityType: "tag", EntityURN: "urn:li:tag:x", ChangeType: catalog.Upsert, AspectName: "tagProperties",
			Aspect: &catalog.GenericAspect{[]byte(c.value), "application/json"},
		}, catalog.WriteOptions{})
		if catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(catalog.MessageOf(err), c.says) || len(catalog.MessageOf(err)) > 200 {
			t.Errorf("%s: %v", name, err)
		}
		line := &transfer.ExportEntity{URN: "urn:li:tag:x", Versions: []transfer.ExportVersion{{Aspect: "tagProperties", Seq: 1, Latest: true, ExportStamp: transfer.ExportStamp{Value: []byte(c.value)}}}}
		if _, err := h.Transfer.readImported(line); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(catalog.MessageOf(err), c.says) {
			t.Errorf("%s, imported: %v", name, err)
		}
	}
	if _, err := h.Aspect(t.Context(), "urn:li:tag:x", "tagProperties", 0); catalog.CodeOf(err) != catalog.NotFound {
		t.Errorf("something was written: %v", err)
	}
}
