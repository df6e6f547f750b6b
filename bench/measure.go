package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// figure is a measurement of one side of a comparison.
type figure struct {
	ops     int
	elapsed time.Duration
	// mallocs and bytes are the heap allocations of the measured process.
	mallocs, bytes float64
	latencies      []time.Duration
}

func (f figure) rate() float64 { return float64(f.ops) / f.elapsed.Seconds() }

func (f figure) percentile(p float64) time.Duration {
	if len(f.latencies) == 0 {
		return 0
	}
	return f.latencies[min(int(p*float64(len(f.latencies))), len(f.latencies)-1)]
}

// measure calls op n times in total, from several clients at the same time.
func measure(ctx context.Context, clients, n int, op func(ctx context.Context, i int) error) (figure, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		next  atomic.Int64
		group sync.WaitGroup
		each  = make([][]time.Duration, clients)
	)
	before := memory()
	start := time.Now()
	for c := range clients {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				began := time.Now()
				if err := op(ctx, i); err != nil {
					cancel(fmt.Errorf("operation %d: %w", i, err))
					return
				}
				each[c] = append(each[c], time.Since(began))
			}
		})
	}
	group.Wait()
	elapsed := time.Since(start)
	after := memory()
	latencies := slices.Concat(each...)
	slices.Sort(latencies)
	return figure{
		ops: n, elapsed: elapsed, latencies: latencies,
		mallocs: after.mallocs - before.mallocs, bytes: after.bytes - before.bytes,
	}, context.Cause(ctx)
}

type allocations struct{ mallocs, bytes float64 }

func memory() allocations {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return allocations{float64(m.Mallocs), float64(m.TotalAlloc)}
}

// row is the result of a comparison: all repetitions of both sides.
type row struct {
	name         string
	ours, theirs []figure
	// target is the lowest acceptable ratio, 0 for none.
	target float64
}

func (r row) ratio() float64 {
	var ratios []float64
	for i := range r.ours {
		ratios = append(ratios, r.ours[i].rate()/r.theirs[i].rate())
	}
	return median(ratios)
}

// latency returns the median over repetitions of a percentile of the latencies.
func latency(of []figure, p float64) time.Duration {
	median := medianOf(of, func(f figure) float64 { return float64(f.percentile(p)) })
	return time.Duration(median).Round(10 * time.Microsecond)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func medianOf(figures []figure, value func(figure) float64) float64 {
	var values []float64
	for _, f := range figures {
		values = append(values, value(f))
	}
	return median(values)
}

// compare runs the two sides in turns, and swaps their order each time.
func compare(name string, repetitions int, target float64, ours, theirs func(repetition int) (figure, error)) (row, error) {
	r := row{name: name, target: target}
	for i := range repetitions {
		sides := []func(int) (figure, error){ours, theirs}
		into := []*[]figure{&r.ours, &r.theirs}
		if i%2 == 1 {
			slices.Reverse(sides)
			slices.Reverse(into)
		}
		for k, side := range sides {
			f, err := side(i)
			if err != nil {
				return r, fmt.Errorf("%s: %w", name, err)
			}
			*into[k] = append(*into[k], f)
		}
	}
	return r, nil
}
