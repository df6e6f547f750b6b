package tracking

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
)

// fresh is the time for which the sums of stored days are reused.
const fresh = time.Minute

// counts has numbers by name: views by URN, or searches by query.
type counts map[string]int64

// tally counts names by day: in memory first, then in a record for each day in UTC, which is
// named after the day. tally is safe for concurrent use. Several servers may count into the same
// records.
type tally struct {
	records records.Records[counts]
	now     func() time.Time

	mu      sync.Mutex
	pending map[string]counts // by day
	counted int               // the sum of all numbers in pending

	sums   counts // the sums of the stored days; nil if they must be read
	summed time.Time
}

func newTally(kind records.Kind, o Options) *tally {
	return &tally{records: records.Of[counts](o.Records, kind), now: o.Now, pending: map[string]counts{}}
}

func (t *tally) day(before int) string {
	return t.now().UTC().AddDate(0, 0, -before).Format(time.DateOnly)
}

// add counts a name once, if fewer than limits.TrackedViews counts are pending.
func (t *tally) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counted < limits.TrackedViews {
		t.count(t.day(0), counts{name: 1})
	}
}

// count adds counts to the pending counts of a day. The caller must hold the lock.
func (t *tally) count(day string, more counts) {
	if t.pending[day] == nil {
		t.pending[day] = counts{}
	}
	t.pending[day].add(more)
	for _, n := range more {
		t.counted += int(n)
	}
}

// flush stores the pending counts. Counts that cannot be stored are pending again.
func (t *tally) flush(ctx context.Context) error {
	t.mu.Lock()
	taken := t.pending
	t.pending, t.counted = map[string]counts{}, 0
	t.mu.Unlock()
	for day, seen := range taken {
		if err := t.store(ctx, day, seen); err != nil {
			t.giveBack(taken)
			return err
		}
		delete(taken, day)
		t.mu.Lock()
		t.sums = nil // the sums lack the new counts of this day
		t.mu.Unlock()
	}
	return nil
}

// giveBack makes counts that could not be stored pending again.
func (t *tally) giveBack(taken map[string]counts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for day, seen := range taken {
		t.count(day, seen)
	}
}

func (c counts) add(other counts) {
	for name, n := range other {
		c[name] += n
	}
}

// most returns the n names with the greatest counts, the greatest first, or all names if there are
// fewer. It never sorts more than twice as many.
func (c counts) most(n int) []string {
	var most []string
	for name := range c {
		if most = append(most, name); len(most) >= 2*n {
			most = c.sorted(most, n)
		}
	}
	return c.sorted(most, n)
}

// sorted sorts names by their counts, and returns the first n of them.
func (c counts) sorted(names []string, n int) []string {
	slices.SortFunc(names, c.compare)
	return names[:min(n, len(names))]
}

// compare orders names by their counts, the greatest first, and names with the same count by the alphabet.
func (c counts) compare(a, b string) int {
	return cmp.Or(cmp.Compare(c[b], c[a]), cmp.Compare(a, b))
}

// store adds counts to the record of a day, which another server may change at the same time.
// The record has only the limits.ViewedEntities names with the greatest counts.
func (t *tally) store(ctx context.Context, day string, seen counts) error {
	begins := false
	_, err := t.records.Update(ctx, day, func(stored *counts) error {
		begins = *stored == nil
		sum := counts{}
		sum.add(*stored)
		sum.add(seen)
		*stored = counts{}
		for _, name := range sum.most(limits.ViewedEntities) {
			(*stored)[name] = sum[name]
		}
		return nil
	})
	if err != nil || !begins {
		return err
	}
	return t.prune(ctx)
}

// prune deletes the records of days older than limits.ViewDays.
func (t *tally) prune(ctx context.Context) error {
	return t.records.Prune(ctx, "", func(day string, _ json.RawMessage) bool { return !t.old(day) })
}

func (t *tally) old(day string) bool { return day < t.day(limits.ViewDays-1) }

// sum returns the counts of the last limits.ViewDays, both stored and pending. The caller may
// modify the result.
func (t *tally) sum(ctx context.Context) (counts, error) {
	t.mu.Lock()
	sums, known := t.sums, t.sums != nil && t.now().Sub(t.summed) < fresh
	t.mu.Unlock()
	if !known {
		var err error
		if sums, err = t.stored(ctx); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !known {
		t.sums, t.summed = sums, t.now()
	}
	all := maps.Clone(sums)
	for _, seen := range t.pending {
		all.add(seen)
	}
	return all, nil
}

// stored returns the sum of the records of the last limits.ViewDays.
func (t *tally) stored(ctx context.Context) (counts, error) {
	days, err := t.records.Page(ctx, "", "", 2*limits.ViewDays)
	if err != nil {
		return nil, err
	}
	sums := counts{}
	for i := range days {
		if !t.old(days[i].Name) {
			sums.add(days[i].Value)
		}
	}
	return sums, nil
}
