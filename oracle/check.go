package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// tally is the result of one kind of comparison.
type tally struct {
	name     string
	compared int
	wrong    int
	first    []string // the first disagreements, with all details
	took     time.Duration
}

// shown is how many disagreements of a kind are printed.
const shown = 5

// check runs many comparisons and counts their results.
type check struct {
	mu sync.Mutex
	tally
}

// saw counts a comparison. It keeps a disagreement unless it is "".
func (c *check) saw(disagreement string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.compared++
	if disagreement == "" {
		return
	}
	c.wrong++
	if len(c.first) < shown {
		c.first = append(c.first, disagreement)
	}
}

// workers is how many requests are in flight at a time.
const workers = 4

// over calls ask for every item, several at a time, and returns the tally. ask returns a
// disagreement, or "". An error of ask is a disagreement too, because every question here
// can be answered.
func over[T any](ctx context.Context, name string, items []T, ask func(context.Context, T) (string, error)) (tally, error) {
	began := time.Now()
	c := &check{tally: tally{name: name}}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, item := range items {
		group.Go(func() error {
			wrong, err := ask(ctx, item)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				wrong = fmt.Sprintf("%v: %v", item, err)
			}
			c.saw(wrong)
			return nil
		})
	}
	err := group.Wait()
	c.took = time.Since(began)
	return c.tally, err
}

// differ compares two maps. It returns the question with the missing, superfluous and
// different entries, or "" if the maps are equal.
func differ[K comparable, V comparable](question string, expected, found map[K]V) string {
	var b strings.Builder
	n := 0
	note := func(what string, key K, value V) {
		if n++; n <= 10 {
			fmt.Fprintf(&b, "\n    %s %v %v", what, key, value)
		}
	}
	for key, value := range expected {
		if is, ok := found[key]; !ok {
			note("missing:", key, value)
		} else if is != value {
			note(fmt.Sprintf("says %v:", is), key, value)
		}
	}
	for key, value := range found {
		if _, ok := expected[key]; !ok {
			note("too much:", key, value)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d expected, %d found, %d differ%s", question, len(expected), len(found), n, b.String())
}

// table prints tallies and, below them, the disagreements.
func table(tallies []tally) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-44s %10s %14s %10s\n", "what", "compared", "disagreements", "took")
	for _, t := range tallies {
		fmt.Fprintf(&b, "%-44s %10d %14d %10s\n", t.name, t.compared, t.wrong, t.took.Round(10*time.Millisecond))
	}
	for _, t := range tallies {
		for _, wrong := range t.first {
			fmt.Fprintf(&b, "\n%s: %s\n", t.name, wrong)
		}
	}
	return b.String()
}
