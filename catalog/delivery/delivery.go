// Package delivery brings the change log to its followers: Kafka, webhooks, feeds. Each
// follower has a durable cursor. Of several servers over one store, one server at a time
// delivers to a follower. When that server stops, in whatever way, another server takes over
// within seconds.
//
// Delivery is at least once, in the order of the log for each entity. A cursor is saved after
// the changes before it were delivered, so a crash repeats some changes and loses none.
// The reasons are in docs/decisions/0069-records-and-delivery.md.
package delivery

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/tasks"
)

// Now as the start of a [Worker] means the end of the log when the follower is first seen.
const Now = "now"

// ErrRemoved tells that the follower was removed while its worker ran. If the worker runs
// again, it registers a new follower.
var ErrRemoved = errors.New("the follower was removed")

// Log is the part of the change log that delivery reads.
type Log interface {
	FollowChanges(ctx context.Context, from string, limit int, patience time.Duration) ([]catalog.Change, string, error)
	FollowChangeHeads(ctx context.Context, from string, limit int, patience time.Duration) ([]catalog.ChangeHead, string, error)
	EndOfChanges(ctx context.Context) (string, error)
}

// Store is the part of the graph store that delivery reads.
type Store interface {
	Lag(ctx context.Context, after string) (int64, error)
}

// Options configure a Service.
type Options struct {
	Log     Log
	Store   Store
	Records *records.Door
	Logger  *slog.Logger
	Now     func() time.Time
	// Alone tells that no other server can use the store while this one does. Then every follower
	// that another server holds is free, and leases are not renewed.
	Alone bool
	// Lease is how long a server may be silent before other servers take over its followers; 0
	// means 6 seconds.
	Lease time.Duration
	// SaveEvery bounds the time for which a moved cursor may stay unsaved, and the time for which a reader
	// waits for changes; 0 means one second. The changes since the last save are delivered again after a crash.
	SaveEvery time.Duration
}

// Service runs the workers of one server.
type Service struct {
	log   Log
	store Store
	// followers has the states of all followers, whichever server holds them. servers has the
	// renewals of the servers that are alive. terms has the terms of removed followers.
	followers records.Records[state]
	servers   records.Records[renewal]
	terms     records.Records[endedTerms]
	logger    *slog.Logger
	now       func() time.Time
	alone     bool
	lease     time.Duration
	saveEvery time.Duration
	// id identifies this server among those that share the store.
	id       string
	presence presence
	own      *tasks.Group

	mu      sync.Mutex
	running map[string]*progress
}

const (
	defaultLease = 6 * time.Second
	// renewals is the number of renewals of a lease within its duration.
	renewals = 3
	// defaultPage is the default number of changes that are delivered at once.
	defaultPage = 500
	// defaultSaveEvery is the default of Options.SaveEvery.
	defaultSaveEvery = time.Second
)

// New makes the Service of a server.
func New(o Options) *Service {
	s := &Service{
		log: o.Log, store: o.Store, logger: o.Logger, now: o.Now, alone: o.Alone, lease: o.Lease, saveEvery: o.SaveEvery,
		followers: records.Of[state](o.Records, records.Followers), servers: records.Of[renewal](o.Records, records.Servers), terms: records.Of[endedTerms](o.Records, records.EndedTerms),
		id: rand.Text(), running: map[string]*progress{}, own: tasks.New("delivery", o.Logger),
	}
	if s.lease == 0 {
		s.lease = defaultLease
	}
	if s.saveEvery == 0 {
		s.saveEvery = defaultSaveEvery
	}
	s.presence = presence{service: s, seen: map[string]sighting{}}
	return s
}

// Worker delivers the changes of the log to one follower.
type Worker struct {
	// Name identifies the follower in the store, such as "kafka" or "webhook/abc".
	Name string
	// Start is the cursor of a new follower: "" for the beginning of the log, or [Now] for its
	// end.
	Start string
	// Page bounds the changes that are delivered at once; 0 means 500.
	Page int
	// Wants, if set, reports whether any of the changes matters to the follower, judged without
	// values. The values of changes that do not matter are not read, and the changes are not
	// delivered.
	Wants func(ctx context.Context, heads []catalog.ChangeHead) (bool, error)
	// Deliver returns nil when the changes are durable at their destination. If Deliver fails,
	// Deliver is called again with the same changes, after a pause that grows. The context of
	// Deliver ends when the server stops, and when another server may have replaced this server.
	Deliver func(ctx context.Context, changes []catalog.Change) error
	// Prepare may be set instead of Deliver. Prepare does the work that is possible while earlier
	// changes are still being delivered, and returns the function that delivers these changes.
	Prepare func(ctx context.Context, changes []catalog.Change) (Sending, error)
	// Read, if set, reads the batches to deliver, in place of the changes and of Deliver. Read
	// waits for a batch as long as patience allows. The returned batches are delivered in order.
	Read func(ctx context.Context, after Position, limit int, patience time.Duration) (Batch, error)
}

// Sending begins to deliver prepared changes, and returns the function wait, which waits until
// the changes are delivered and returns an error as Deliver of a [Worker] does. Later changes
// may be sent before wait returns.
type Sending = func(ctx context.Context) (wait func() error)

// Position is the place from which a worker reads.
type Position struct {
	Cursor string
	// Term grows whenever a server begins to deliver to the follower. So a late delivery of a
	// server that was replaced has an earlier term.
	Term int64
}

// Batch is a unit of delivery.
type Batch struct {
	// Changes counts the changes of the batch. Changes is 0 for a batch that only tells that time
	// has passed.
	Changes int
	// Next is the cursor after the batch.
	Next string
	// Deliver is as that of a [Worker].
	Deliver func(ctx context.Context) error
	// ahead, if not nil, prepares the batch and takes the place of Deliver.
	ahead *ahead
}

// Run delivers until the context ends, which is no error, or until the follower is removed.
func (s *Service) Run(ctx context.Context, w Worker) error {
	if w.Page == 0 {
		w.Page = defaultPage
	}
	p := s.enter(w.Name)
	defer s.leave(w.Name)
	stop := s.presence.join()
	defer stop()
	wait := catalog.RetryFirst
	for ctx.Err() == nil {
		h, err := s.take(ctx, &w)
		if err == nil && h != nil {
			wait = catalog.RetryFirst
			err = s.work(ctx, &w, h, p)
		}
		switch {
		case errors.Is(err, ErrRemoved):
			return err
		case ctx.Err() != nil:
			return nil
		case err != nil && !errors.Is(err, errReplaced):
			p.fail(err, s.now())
			s.logger.WarnContext(ctx, "changes cannot be delivered; trying again", "follower", w.Name, "error", err)
		}
		if !pause(ctx, wait) {
			return nil
		}
		wait = min(2*wait, s.lease/renewals)
	}
	return nil
}

// pause waits. pause returns false if the context ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
