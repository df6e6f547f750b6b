package storewrap_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/graphstore/storetest"
	"github.com/headwater-io/headwater/graphstore/storewrap"
)

// TestConformance: a wrapped store passes the conformance suite, and its calls are counted.
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

// accepting is a store whose transactions accept every batch.
type accepting struct{ graphstore.Store }

func (accepting) Update(_ context.Context, _ []string, fn func(graphstore.Tx) error) error {
	return fn(acceptingTx{})
}

type acceptingTx struct{ graphstore.Tx }

func (acceptingTx) Write(graphstore.Batch) error { return nil }

// TestRowsOfWrites: the metrics count the items in each field of a batch.
func TestRowsOfWrites(t *testing.T) {
	fields := reflect.TypeFor[graphstore.Batch]()
	metrics := prometheus.NewRegistry()
	s := storewrap.New(accepting{}, storewrap.Options{Metrics: metrics})
	err := s.Update(t.Context(), nil, func(tx graphstore.Tx) error {
		for i := range fields.NumField() {
			var batch graphstore.Batch
			reflect.ValueOf(&batch).Elem().Field(i).Set(reflect.MakeSlice(fields.Field(i).Type, 1, 1))
			if err := tx.Write(batch); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	families, err := metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "headwater_store_rows" {
			if got := family.Metric[0].GetHistogram().GetSampleSum(); got != float64(fields.NumField()) {
				t.Errorf("%v rows of %d were counted", got, fields.NumField())
			}
			return
		}
	}
	t.Error("no rows were counted")
}
