package rest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// full is an index on a full disk.
type full struct {
	indexer.Index
	on atomic.Bool
}

func (f *full) Ping(ctx context.Context) error {
	if f.on.Load() {
		return indexer.ErrUnwritable
	}
	return f.Index.Ping(ctx)
}

// TestReadyWithFullDisk: a server whose index cannot be written is not ready, and says why, although the index answers.
func TestReadyWithFullDisk(t *testing.T) {
	index := &full{}
	c := testcatalog.WrappedBoth(t, func(s graphstore.Store) graphstore.Store { return s }, func(x indexer.Index) indexer.Index {
		index.Index = x
		return index
	})
	server := httptest.NewServer(New(Options{Catalog: c}))
	defer server.Close()
	for _, on := range []bool{false, true, false} {
		index.on.Store(on)
		status, text, _ := request(t, server, http.MethodGet, "/health/ready", "")
		if want := map[bool]int{false: 200, true: 503}[on]; status != want || strings.Contains(text, `"down","error":"the search index cannot be written"`) != on {
			t.Errorf("full: %t: %d %s", on, status, text)
		}
	}
}
