package embedded

import (
	"context"
	"testing"
	"time"
)

// TestPingBesideSearches: searches that hold every reader do not make the index
// look as if it were away.
func TestPingBesideSearches(t *testing.T) {
	ctx := context.Background()
	x, err := Open(ctx, Options{Dir: t.TempDir(), Fingerprint: "test", Readers: 2})
	if err != nil {
		t.Fatal(err)
	}
	held := []*reader{<-x.file.pool.free, <-x.file.pool.free}
	short, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := x.Ping(short); err != nil {
		t.Error(err)
	}
	for _, r := range held {
		x.file.pool.free <- r
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}
