package audit

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

const (
	// pollEvery is how often a follower looks for new entries.
	pollEvery = 500 * time.Millisecond
	// recentSpan is how far back each look goes, and aheadSpan how far ahead of the clock, in
	// milliseconds: clocks of servers differ, and entries reach the store after their time.
	recentSpan = 10_000
	aheadSpan  = 10_000
	// lookBackEvery is how often a follower looks back for entries that were stored late, and lateSpan
	// how far, in milliseconds.
	lookBackEvery = 60_000
	lateSpan      = limits.AuditLateSeconds*1000 + lookBackEvery + recentSpan
	// stepRecords is how many records a follower reads at once that is behind. They fit into the memory
	// that each stream may use.
	stepRecords = 7
	// firstStep is how many milliseconds of the trail such a follower reads in its first step.
	firstStep = 60_000
	// maxProcesses is how many processes a follower remembers.
	maxProcesses = 64
)

// Follower gives the entries of the trail as they are stored, also those of other servers over the
// store. Only one goroutine may use it at a time.
//
// The entries of one process have consecutive numbers, and the process stores them in the order of
// these numbers. So the follower remembers the last number of each process, and gives each entry
// once. Entries of different processes come in the order of time, except for those that were stored
// late.
//
// A process may store entries long after their time, if it has not reached the store. Then the
// numbers have a gap: the next look of the follower finds only the newest of these entries. The
// follower gives nothing of this process, and reads the trail again from the last entry of the
// process. An entry before which the gap is still there then is given: the entries in the gap are not
// in the trail.
type Follower struct {
	trail *Service
	Search
	// begin is the time before which only processes that the follower remembers have new entries; at
	// is the time up to which the trail was read.
	begin, at int64
	// reached is the latest time of the positions that were given.
	reached int64
	// step is how much of the trail a follower that is behind reads next, in milliseconds.
	step int64
	// lookBack is when the follower looks back again.
	lookBack int64
	seen     map[string]mark
}

// mark is the last entry of a process that a follower has seen. gap is the number of the entry before which
// entries were missing.
type mark struct{ number, time, gap int64 }

// Followed is an entry with the position after it.
type Followed struct {
	*Entry
	Position string
}

// Follow begins to follow the trail after a position. If the position is "", it begins with the entries since
// q.Since; if that is 0 too, with the entries that are stored from now on. q.Until, q.Limit and q.Cursor have
// no effect.
func (s *Service) Follow(ctx context.Context, q Search, position string) (*Follower, error) {
	if err := CheckReader(ctx); err != nil {
		return nil, err
	}
	if s == nil {
		return nil, catalog.Errorf(catalog.NotFound, "this server keeps no audit trail")
	}
	if q.Since < 0 {
		return nil, catalog.Errorf(catalog.Invalid, "since must not be negative")
	}
	now := s.Now().UnixMilli()
	f := &Follower{trail: s, Search: q, step: firstStep, lookBack: now + lookBackEvery, seen: map[string]mark{}}
	if position != "" {
		return f, f.resume(position, now)
	}
	f.at = now
	if q.Since > 0 {
		f.at = min(q.Since, now)
	}
	f.begin = f.at - lateSpan
	// Entries that processes have noted before the begin are not sent.
	before, _, err := s.between(ctx, f.at-lateSpan, f.at-1, limits.MaxAuditScan)
	if err != nil {
		return nil, err
	}
	if q.Since == 0 {
		recent, _, err := s.between(ctx, f.at, f.at+aheadSpan, limits.MaxAuditScan)
		if err != nil {
			return nil, err
		}
		before = append(before, recent...)
	}
	for i := range before {
		process, number := before[i].source()
		if f.seen[process].number < number && (q.Since == 0 || before[i].Time < q.Since) {
			f.seen[process] = mark{number: number, time: before[i].Time}
		}
	}
	return f, nil
}

// Next returns the next entries that the search selects. It waits for them for up to a time, and then
// returns none. An entry must not be changed.
func (f *Follower) Next(ctx context.Context, patience time.Duration) ([]Followed, error) {
	over := time.NewTimer(patience)
	defer over.Stop()
	for {
		found, behind, err := f.look(ctx)
		if err != nil || len(found) > 0 {
			return found, err
		}
		pause := pollEvery
		if behind {
			pause = 0
		}
		wait := time.NewTimer(pause)
		select {
		case <-wait.C:
		case <-over.C:
			wait.Stop()
			return nil, nil
		case <-ctx.Done():
			wait.Stop()
			return nil, ctx.Err()
		}
	}
}

// look reads a part of the trail, and reports whether there is more to read.
func (f *Follower) look(ctx context.Context) (found []Followed, behind bool, err error) {
	now := f.trail.Now().UnixMilli()
	if now >= f.lookBack {
		f.rewind(f.lookBack - lateSpan)
		f.lookBack = now + lookBackEvery
	}
	if f.at >= now-recentSpan {
		entries, all, err := f.trail.newest(ctx, now)
		if err != nil {
			return nil, false, err
		}
		if all {
			f.at = now
			found, behind = f.take(entries, now)
			return found, behind, nil
		}
	}
	to, most := min(f.at+f.step, now+aheadSpan), stepRecords
	if f.step == 1 {
		most = limits.MaxAuditScan // entries of one moment
	}
	entries, all, err := f.trail.between(ctx, f.at, to, most)
	switch {
	case err != nil:
		return nil, false, err
	case !all && f.step > 1:
		f.step = max(1, min(f.step, to-f.at)/2)
		return nil, true, nil
	case len(entries) == 0 || f.step < firstStep:
		f.step *= 2
	}
	f.at = min(to, now)
	found, behind = f.take(entries, now)
	return found, behind || to < now, nil
}

func (f *Follower) rewind(to int64) { f.at, f.step = min(f.at, to), firstStep }

// take returns those entries of a part of the trail that are new, and reports whether the part has a
// gap, so that an earlier part must be read first. The entries are the oldest first.
func (f *Follower) take(entries []Entry, now int64) (found []Followed, gap bool) {
	held := map[string]bool{}
	back := int64(math.MaxInt64)
	for i := range entries {
		e := &entries[i]
		process, number := e.source()
		last, known := f.seen[process]
		if !known {
			last.time = now - lateSpan
		}
		if number <= last.number || held[process] || !known && e.Time < f.begin {
			continue
		}
		// Of a process that is not known, only entries that may have been stored late can be missing.
		if number > last.number+1 && number > last.gap && e.Time > last.time {
			held[process] = true
			last.gap = number
			f.remember(process, last)
			back = min(back, last.time)
			continue
		}
		f.remember(process, mark{number: number, time: e.Time})
		if e.Time >= f.Since && f.matches(e) {
			f.reached = max(f.reached, min(e.Time, now))
			found = append(found, Followed{e, f.position()})
		}
	}
	if len(held) > 0 {
		f.rewind(back)
	}
	return found, len(held) > 0
}

// remember remembers the last entry of a process, and forgets the processes that have been silent the
// longest, if there are too many.
func (f *Follower) remember(process string, last mark) {
	for f.seen[process] = last; len(f.seen) > maxProcesses; {
		oldest, at := "", int64(math.MaxInt64)
		for process, last := range f.seen {
			if last.time < at {
				oldest, at = process, last.time
			}
		}
		delete(f.seen, oldest)
	}
}

// Position returns the position after everything that the follower has looked at.
func (f *Follower) Position() string {
	f.reached = max(f.reached, f.at)
	return f.position()
}

// position returns the position as text: a time and, for each process that may store further entries of about
// this time, the number of its last entry and how much earlier that entry is.
func (f *Follower) position() string {
	at := f.reached
	processes := make([]string, 0, len(f.seen))
	for process, last := range f.seen {
		if last.number > 0 && last.time >= at-lateSpan-groupSpan {
			processes = append(processes, process)
		}
	}
	slices.Sort(processes)
	text := []byte(strconv.FormatInt(at, 10))
	for _, process := range processes {
		text = append(append(append(text, '_'), process...), '.')
		text = append(strconv.AppendInt(text, f.seen[process].number, 10), '.')
		text = strconv.AppendInt(text, at-f.seen[process].time, 10)
	}
	return string(text)
}

// resume continues at a position.
func (f *Follower) resume(position string, now int64) error {
	parts := strings.Split(position, "_")
	at, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil || at < 0 || at > maxTime || len(parts) > maxProcesses+1 {
		return errPosition
	}
	f.reached = min(at, now)
	f.begin = f.reached - lateSpan - groupSpan // as in position
	f.at = f.begin - groupSpan
	for _, part := range parts[1:] {
		last := strings.Split(part, ".")
		if len(last) != 3 || len(last[0]) != processLength {
			return errPosition
		}
		number, err := strconv.ParseInt(last[1], 10, 64)
		ago, errAgo := strconv.ParseInt(last[2], 10, 64)
		if err != nil || errAgo != nil || number < 1 || ago < -maxTime || ago > maxTime {
			return errPosition
		}
		f.seen[last[0]] = mark{number: number, time: at - ago}
	}
	return nil
}

var errPosition = catalog.Errorf(catalog.Invalid, "Last-Event-ID is not the id of an event of this stream")

// processLength is the length of the id of a process.
const processLength = 8

// source returns the id of the process that has noted an entry, and the number of the entry.
func (e *Entry) source() (process string, number int64) {
	if len(e.ID) <= processLength {
		return e.ID, 0
	}
	number, err := strconv.ParseInt(e.ID[processLength+1:], 10, 64)
	if err != nil {
		return e.ID, 0
	}
	return e.ID[:processLength], number
}

// between returns the entries of the records whose newest entry is of a time, the oldest first. If
// there are more records than most, all is false.
func (s *Service) between(ctx context.Context, from, to int64, most int) (entries []Entry, all bool, err error) {
	for begin, read := nameOf(to+1, "~"), 0; ; {
		page, err := s.records.Page(ctx, "", begin, min(most+1-read, scanPage))
		if err != nil {
			return nil, false, err
		}
		for i := range page {
			begin = page[i].Name
			stored := page[i].Value.Entries
			if len(stored) == 0 || stored[len(stored)-1].Time < from {
				return inOrder(entries), true, nil
			}
			if read++; read > most {
				return inOrder(entries), false, nil
			}
			entries = append(entries, stored...)
		}
		if len(page) == 0 {
			return inOrder(entries), true, nil
		}
	}
}

func inOrder(entries []Entry) []Entry {
	slices.SortFunc(entries, func(a, b Entry) int { return b.place().compare(a.place()) })
	return entries
}

// recent are the newest entries, which all followers share.
type recent struct {
	mu      sync.Mutex
	at      int64
	entries []Entry
	all     bool
}

// newest returns the entries of the last recentSpan. Followers that ask within a moment share one
// reading of the store.
func (s *Service) newest(ctx context.Context, now int64) (entries []Entry, all bool, err error) {
	r := &s.recent
	r.mu.Lock()
	defer r.mu.Unlock()
	if now >= r.at && now < r.at+pollEvery.Milliseconds()/2 {
		return r.entries, r.all, nil
	}
	entries, all, err = s.between(ctx, now-recentSpan, now+aheadSpan, limits.MaxAuditScan)
	if err == nil {
		r.at, r.entries, r.all = now, entries, all
	}
	return entries, all, err
}
