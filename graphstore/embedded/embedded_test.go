package embedded_test

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/graphstore/storetest"
)

func open(t testing.TB, dir string) *embedded.Store {
	t.Helper()
	s, err := embedded.Open(context.Background(), embedded.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	var dir string
	size := 100_000
	if testing.Short() {
		size = 5_000
	}
	storetest.Run(t, storetest.Backend{
		New: func(t *testing.T) graphstore.Store {
			dir = t.TempDir()
			return open(t, dir)
		},
		Reopen:    func(t *testing.T) graphstore.Store { return open(t, dir) },
		GraphSize: size,
	})
}
