package storewrap_test

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/graphstore/storetest"
	"github.com/headwater-io/headwater/graphstore/storewrap"
)

// TestConformance: a wrapped store is a store, and its calls are counted.
func TestConformance(t *testing.T) {
	metrics := prometheus.NewRegistry()
	storetest.Run(t, storetest.Backend{
		New: func(t *testing.T) graphstore.Store {
			inner, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			metrics = prometheus.NewRegistry()
			return storewrap.New(inner, storewrap.Options{Metrics: metrics})
		},
		GraphSize: 2000,
	})
	families, err := metrics.Gather()
	if err != nil || len(families) == 0 {
		t.Errorf("%d metrics: %v", len(families), err)
	}
}
