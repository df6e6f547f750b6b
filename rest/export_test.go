package rest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// awayStore is a store that becomes unavailable while it is read.
type awayStore struct {
	graphstore.Store
	// away: the store is unavailable from now on. atOnce: it becomes so before the first
	// read.
	away   *atomic.Bool
	atOnce bool
}

func (s awayStore) EndCursor(ctx context.Context) (string, error) {
	if s.atOnce && s.away.Load() {
		return "", graphstore.ErrUnavailable
	}
	return s.Store.EndCursor(ctx)
}

func (awayStore) History(context.Context, []string) (map[string]graphstore.History, error) {
	return nil, graphstore.ErrUnavailable
}

// TestExportIsCutOff: an export that fails reports this in its status or, if the body has
// begun, in its last line.
func TestExportIsCutOff(t *testing.T) {
	for _, c := range []struct {
		atOnce bool
		status int
		says   string
	}{
		{true, http.StatusServiceUnavailable, `"message":"the graph store is not available`},
		{false, http.StatusOK, "\n" + `{"error":{"status":503,"message":"the graph store is not available; nothing was changed"}}` + "\n"},
	} {
		var away atomic.Bool
		server := httptest.NewServer(New(Options{Catalog: testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store {
			return awayStore{s, &away, c.atOnce}
		})}))
		defer server.Close()
		if !c.atOnce {
			if status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposal", proposalBody("tag", "urn:li:tag:x", "status", `{"removed":false}`)); status != http.StatusOK {
				t.Fatalf("%d %s", status, body)
			}
		}
		away.Store(true)
		status, body, _ := request(t, server, "GET", "/export", "")
		if status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("at once %t: %d %s", c.atOnce, status, body)
		}
	}
}
