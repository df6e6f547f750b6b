package testcatalog

import (
	"context"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore/embedded"
)

// NewTrail makes an empty audit trail for a test on a store of its own, which is closed at the end of
// the test.
func NewTrail(t testing.TB, now func() time.Time) *audit.Service {
	t.Helper()
	store, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir(), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return audit.New(audit.Options{Records: records.New(store), Now: now})
}
