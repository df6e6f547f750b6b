package follower_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/model"
)

func isPanic(err error) bool {
	var caught *safely.PanicError
	return errors.As(err, &caught)
}

// TestPanicInBatch: a panic while one item is written becomes the error of that item; the
// process goes on.
func TestPanicInBatch(t *testing.T) {
	h := catalogtest.NewHarness(t)
	broken := services.New(services.Options{Store: h.Store, Now: func() time.Time { panic("no clock") }})
	good := write.Proposal{
		EntityType: "tag", EntityURN: "urn:li:tag:x", ChangeType: write.Upsert, AspectName: "status",
		Aspect: &write.GenericAspect{Value: []byte(`{"removed":false}`), ContentType: "application/json"},
		System: &catalog.SystemMetadata{LastObserved: 1},
	}
	bad := good
	bad.System = nil
	items, err := broken.IngestBatch(t.Context(), []write.Proposal{good, bad, good}, catalog.WriteOptions{})
	if err != nil || items[0].Err != nil || items[2].Err != nil || !isPanic(items[1].Err) {
		t.Fatalf("%+v %v", items, err)
	}
	if catalog.CodeOf(items[1].Err) != catalog.Internal || strings.Contains(catalog.MessageOf(items[1].Err), "clock") {
		t.Errorf("the caller is told %q", catalog.MessageOf(items[1].Err))
	}
}

// panicking is a store whose scan panics if scan is set.
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
	f := h.Follower
	broken := f.WithoutModel()
	if _, err := broken.Project(t.Context(), []string{urn}); !isPanic(err) {
		t.Errorf("project: %v", err)
	}
	broken = follower.New(follower.Options{Registry: model.Default(), Writer: h.Writer, Store: f.StoreRead(), Index: follower.Index{Index: f.WrittenIndex()}, Schema: indexer.NewSchema(model.Default()), Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	broken.SetStore(&panicking{Store: h.Store, scan: true})
	build, err := f.WrittenIndex().Rebuild(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := broken.Scan(t.Context(), build, &follower.Refusals{}); !isPanic(err) {
		t.Errorf("scan: %v", err)
	}
	if err := build.Abandon(); err != nil {
		t.Error(err)
	}
}

// TestReindexPanics: a build that panics fails and reports the failure; the index in use still
// serves.
func TestReindexPanics(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	h.Add(1)
	h.Stop() // the running follower reads the store too
	h.Follower.SetStore(&panicking{Store: h.Store, scan: true})
	h.Follow()
	if err := h.Follower.Reindex(); err != nil {
		t.Fatal(err)
	}
	h.Follower.AwaitBuilds()
	if status, _ := h.Follower.Status(); status.Building {
		t.Error("a build that broke goes on")
	}
	h.ExpectTotal("after a build that broke", 1)
}

// TestPanicInEndOfLog: if a reading of the end of the log panics, the freshness is unknown for
// the callers that wait for it. The next reading is made as usual.
func TestPanicInEndOfLog(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	h.Add(1)
	var log bytes.Buffer
	f := follower.New(follower.Options{
		Registry: model.Default(), Writer: h.Writer, Store: h.Store, Index: follower.Index{Index: h.Follower.WrittenIndex()}, Schema: indexer.NewSchema(model.Default()),
		Now: time.Now, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	f.SetEnd(func(context.Context) (string, error) { panic("no end") })
	for range 2 {
		if missing := f.CatchUp(t.Context(), time.Minute); missing != follower.Unknown {
			t.Errorf("%d changes are missing", missing)
		}
	}
	if !strings.Contains(log.String(), "no end") {
		t.Errorf("the log does not tell of the panic: %s", &log)
	}
	read := make(chan struct{}, 1)
	f.SetEnd(func(ctx context.Context) (string, error) {
		read <- struct{}{}
		return h.Store.EndCursor(ctx)
	})
	f.CatchUp(t.Context(), time.Minute)
	if len(read) != 1 {
		t.Error("the end of the log is not read any more")
	}
}

// TestRunsOverlap: a run of the follower that ends does not wait for the next run, which may
// already have begun.
func TestRunsOverlap(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	follow := func() (stop func() (ended bool)) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			h.Follower.Follow(ctx)
		}()
		h.Add(1)
		if err := h.Follower.Await(t.Context()); err != nil {
			t.Fatal(err)
		}
		return func() bool {
			cancel()
			select {
			case <-done:
				return true
			case <-time.After(time.Minute):
				return false
			}
		}
	}
	stopFirst, stopSecond := follow(), follow()
	if !stopFirst() {
		t.Error("the first run waits for the second one")
	}
	if !stopSecond() {
		t.Error("the second run does not end")
	}
}
