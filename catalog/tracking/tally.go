package tracking

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// fresh is how long the counts of stored days are not read again.
const fresh = time.Minute

// counts are numbers by name: of views by URN, or of searches by query.
type counts map[string]int64

// tally counts names by day: in memory first, then in a record of each day in UTC, named
// <prefix><day>. It is safe for concurrent use, and several servers may count into the same
// records.
type tally struct {
	prefix  string
	records graphstore.Records
	now     func() time.Time

	mu      sync.Mutex
	pending map[string]counts // by day
	counted int               // the sum of pending

	sums   counts // of the stored days; nil if they must be read again
	summed time.Time
}

func newTally(prefix string, o Options) *tally {
	return &tally{prefix: prefix, records: o.Records, now: o.Now, pending: map[string]counts{}}
}

func (t *tally) day(before int) string {
	return t.now().UTC().AddDate(0, 0, -before).Format(time.DateOnly)
}

// add counts a name once, if fewer than limits.TrackedViews wait to be stored.
func (t *tally) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counted < limits.TrackedViews {
		t.count(t.day(0), counts{name: 1})
	}
}

// count adds counts to those of a day that wait to be stored. The caller holds the lock.
func (t *tally) count(day string, more counts) {
	if t.pending[day] == nil {
		t.pending[day] = counts{}
	}
	t.pending[day].add(more)
	for _, n := range more {
		t.counted += int(n)
	}
}

// flush stores the waiting counts. Those that cannot be stored wait again.
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
		t.sums = nil // the sums lack this day's new counts
		t.mu.Unlock()
	}
	return nil
}

// giveBack lets counts that could not be stored wait again.
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

// most returns the names with the greatest counts, at most n, the greatest first. It sorts few names
// at a time: those that are greater than the n greatest so far, until there are as many of them.
func (c counts) most(n int) []string {
	var most []string
	full := false
	keep := func() {
		slices.SortFunc(most, c.compare)
		most = most[:min(n, len(most))]
		full = len(most) == n
	}
	for name := range c {
		if n < 1 || full && c.compare(name, most[n-1]) > 0 {
			continue
		}
		if most = append(most, name); len(most) == 2*n {
			keep()
		}
	}
	keep()
	return most
}

// compare orders names by their counts, the greatest first, and then by themselves.
func (c counts) compare(a, b string) int {
	return cmp.Or(cmp.Compare(c[b], c[a]), cmp.Compare(a, b))
}

// store adds counts to the record of a day, which another server may change at the same time.
// The record keeps the limits.ViewedEntities names with the greatest counts.
func (t *tally) store(ctx context.Context, day string, seen counts) error {
	for {
		record, found, err := t.records.Record(ctx, t.prefix+day)
		if err != nil {
			return err
		}
		sum := counts{}
		if found {
			if err := json.Unmarshal(record.Value, &sum); err != nil {
				return err
			}
		}
		sum.add(seen)
		kept := counts{}
		for _, name := range sum.most(limits.ViewedEntities) {
			kept[name] = sum[name]
		}
		value, err := json.Marshal(kept)
		if err != nil {
			return err
		}
		_, err = t.records.PutRecord(ctx, t.prefix+day, value, record.Revision)
		switch {
		case errors.Is(err, graphstore.ErrRecordChanged):
			continue
		case err != nil || found:
			return err
		}
		return t.prune(ctx)
	}
}

// prune deletes the records of days before limits.ViewDays.
func (t *tally) prune(ctx context.Context) error {
	days, err := t.records.ListRecords(ctx, t.prefix, "", 2*limits.ViewDays)
	for i := range days {
		if err == nil && t.old(days[i].Name) {
			if err = t.records.DeleteRecord(ctx, days[i].Name, days[i].Revision); errors.Is(err, graphstore.ErrRecordChanged) {
				err = nil // another server has pruned it
			}
		}
	}
	return err
}

func (t *tally) old(record string) bool { return record < t.prefix+t.day(limits.ViewDays-1) }

// sum returns the counts of limits.ViewDays, stored or waiting. The caller may change them.
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

// stored adds the records of limits.ViewDays up.
func (t *tally) stored(ctx context.Context) (counts, error) {
	days, err := t.records.ListRecords(ctx, t.prefix, "", 2*limits.ViewDays)
	if err != nil {
		return nil, err
	}
	sums := counts{}
	for i := range days {
		if t.old(days[i].Name) {
			continue
		}
		var of counts
		if err := json.Unmarshal(days[i].Value, &of); err != nil {
			return nil, err
		}
		sums.add(of)
	}
	return sums, nil
}
