package main

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// whileMerging shows whether searches stop while documents are written again, so that the
// index merges. One client sends cheap searches, first while the index is at rest.
func (b *bench) whileMerging(ctx context.Context, w searchWorkload, e engine) error {
	const asked = 2000
	kind := queryKinds[slices.IndexFunc(queryKinds, func(k queryKind) bool { return k.name == "four filters" })]
	ask := func(ctx context.Context, i int) error { return e.ask(ctx, kind, i) }
	rest, err := measure(ctx, 1, asked, ask)
	if err != nil {
		return err
	}
	changed := w.make(0, w.datasets/2)
	for i := range changed {
		changed[i].values["datasetProperties"] = []byte(`{"description":"written again"}`)
	}
	var written atomic.Bool
	var merging figure
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer written.Store(true)
		return e.load(ctx, changed)
	})
	group.Go(func() error {
		for !written.Load() {
			began := time.Now()
			if err := ask(ctx, merging.ops); err != nil {
				return err
			}
			merging.ops++
			merging.latencies = append(merging.latencies, time.Since(began))
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	slices.Sort(merging.latencies)
	for _, f := range []struct {
		when string
		figure
	}{{"at rest", rest}, {"while documents are written again", merging}} {
		fmt.Printf("  %s, one client: p50 %v, p99 %v, p99.9 %v, longest %v\n", f.when, f.percentile(0.5), f.percentile(0.99), f.percentile(0.999), f.percentile(1))
	}
	return nil
}
