// Package audit keeps the audit trail: who did something, from where, and whether it was allowed.
//
// Entries that tell of security are stored before the request is answered. Entries of ordinary
// writes are collected for a moment and stored together. Entries that the store does not take stay
// in memory, up to limits.MaxAuditQueue; of further entries, only the number is kept, which an
// entry of the kind Lost tells later.
package audit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
)

const (
	// gather is how long entries of ordinary writes are collected before they are stored.
	gather = 100 * time.Millisecond
	// groupEntries, groupBytes and groupSpan bound the entries that are stored in one record: their
	// number, their size, and the milliseconds between the first and the last.
	groupEntries = 100
	groupBytes   = 64 << 10
	groupSpan    = 1000
	// patience is how long a request waits for the store.
	patience = 2 * time.Second
	// pause is how long after a failure no request waits for the store.
	pause = time.Second
)

// DefaultAge is how long entries are kept by default.
const DefaultAge = 90 * 24 * time.Hour

// Options configure a Service. Records and Now are required.
type Options struct {
	Records *records.Door
	Now     func() time.Time
	Logger  *slog.Logger
	// Age is how long entries are kept; 0 means DefaultAge. Entries is how many are kept; 0 means
	// limits.MaxAuditEntries.
	Age     time.Duration
	Entries int64
}

// Service is the audit trail. It is safe for concurrent use. A nil *Service notes nothing.
//
// Entries are stored in groups, one record each. A server writes one group after the other, and the
// times of its entries never go back, so that the groups of one server do not overlap.
type Service struct {
	Options
	records records.Records[group]
	// id distinguishes the entries and records of this process from those of other processes over the same
	// store.
	id string
	// turn is held by the caller that writes groups.
	turn chan struct{}
	// begun wakes Run when the first entry waits, full when a whole group waits.
	begun, full chan struct{}

	mu sync.Mutex
	// queue has the entries that are not stored yet, in the order of time. Its first entries, as
	// many as writing says, are a group that is being written or whose write has failed.
	queue   []Entry
	writing int
	// noted counts the entries that were queued, and stored the stored entries among them.
	noted, stored int64
	last          int64
	failed        time.Time
	// lost counts the lost entries; untold counts the lost entries that no entry of the kind Lost reports
	// yet.
	lost, untold int64
	refusals     map[refusal]*repeated
	recent       recent
	// untrimmed counts the entries that were stored since the number of entries was last bounded.
	untrimmed int64
	trimmed   time.Time
}

// group is the value of a record.
type group struct {
	// Entries are in the order of time.
	Entries []Entry `json:"entries"`
}

// New makes the audit trail. [Service.Run] stores the entries of ordinary writes.
func New(o Options) *Service {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Age == 0 {
		o.Age = DefaultAge
	}
	if o.Entries == 0 {
		o.Entries = limits.MaxAuditEntries
	}
	return &Service{
		Options: o, records: records.Of[group](o.Records, records.Audit), id: rand.Text()[:processLength],
		turn: make(chan struct{}, 1), begun: make(chan struct{}, 1), full: make(chan struct{}, 1),
		refusals: map[refusal]*repeated{}, untrimmed: o.Entries,
	}
}

// Note adds an entry to the trail. Note takes the caller and the changed entities
// from the context of the request where the entry does not name them. An entry that tells of security and of
// something allowed is stored when Note returns, unless the store is not available. Note never fails
// the request.
func (s *Service) Note(ctx context.Context, e Entry) {
	if s == nil {
		return
	}
	e.complete(ctx)
	if s.repeats(&e) {
		return
	}
	place := s.put(&e)
	if !e.stored() || place == 0 || s.failing() {
		return
	}
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := s.flush(waiting, place); err != nil {
		s.Logger.WarnContext(ctx, "an entry of the audit trail is not stored yet", "kind", e.Kind, "error", err)
	}
}

// Lost returns how many entries this process has lost because the store did not take them.
func (s *Service) Lost() int64 {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// put queues an entry, and returns its place, or 0 if the queue is full.
func (s *Service) put(e *Entry) (place int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) >= limits.MaxAuditQueue {
		s.lost++
		s.untold++
		return 0
	}
	s.noted++
	s.last = max(s.last, s.Now().UnixMilli())
	e.Time, e.ID = s.last, fmt.Sprintf("%s-%012d", s.id, s.noted)
	s.queue = append(s.queue, *e)
	signal(s.begun)
	if len(s.queue) >= groupEntries {
		signal(s.full)
	}
	return s.noted
}

func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// failing reports whether the store has refused entries a moment ago.
func (s *Service) failing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.failed.IsZero() && s.Now().Sub(s.failed) < pause
}

// flush stores the entries up to a place. Concurrent calls store each other's entries.
func (s *Service) flush(ctx context.Context, place int64) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return catalog.StoreFailure(ctx.Err())
	}
	for {
		next, name := s.next(place)
		if len(next) == 0 {
			return nil
		}
		// A group that the store took although it reported a failure is tried again under the same
		// name. The record then exists.
		if _, err := s.records.Put(ctx, name, group{next}, ""); err != nil && !errors.Is(err, records.ErrChanged) {
			s.mu.Lock()
			s.failed = s.Now()
			s.mu.Unlock()
			return err
		}
		s.mu.Lock()
		s.queue = append([]Entry(nil), s.queue[len(next):]...)
		s.stored += int64(len(next))
		s.untrimmed += int64(len(next))
		s.writing, s.failed = 0, time.Time{}
		s.mu.Unlock()
		s.tellLost()
	}
}

// next returns the next group with the name of its record, none if the entries up to the place are
// stored. The caller holds the turn.
func (s *Service) next(place int64) (next []Entry, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stored >= place || len(s.queue) == 0 {
		return nil, ""
	}
	if s.writing == 0 {
		size := 0
		for i := range s.queue[:min(len(s.queue), groupEntries)] {
			if size += s.queue[i].size(); i > 0 && (size > groupBytes || s.queue[i].Time-s.queue[0].Time > groupSpan) {
				break
			}
			s.writing = i + 1
		}
	}
	next = s.queue[:s.writing:s.writing]
	newest := &next[len(next)-1]
	return next, nameOf(newest.Time, fmt.Sprintf("%s-%03d", newest.ID, len(next)))
}

// tellLost queues an entry of the kind Lost, which reports how many entries are lost.
func (s *Service) tellLost() {
	s.mu.Lock()
	lost := s.untold
	s.untold = 0
	s.mu.Unlock()
	if lost > 0 {
		s.put(&Entry{Kind: Lost, Count: lost, Reason: "the store did not take these entries in time"})
	}
}

// maxTime is later than any time, in epoch milliseconds.
const maxTime = 999_999_999_999_999

// nameOf returns the name of the record of a group; newest is the time of its newest entry. Names of newer
// groups come first. rest is the end of the name, which ends with the number of entries.
func nameOf(newest int64, rest string) string {
	return fmt.Sprintf("%015d-%s", maxTime-min(max(newest, 0), maxTime), rest)
}
