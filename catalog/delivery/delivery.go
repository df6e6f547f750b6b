// Package delivery brings the change log to its followers: Kafka, webhooks, feeds. Each has a
// durable cursor. Of several servers over one store, one delivers to a follower at a time, and
// another one takes over within seconds when that server stops, however it stops.
//
// Delivery is at least once, in the order of the log for each entity. A cursor is saved after
// what it covers was delivered, so a crash repeats some changes and loses none.
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
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/tasks"
)

// Now as the start of a [Worker] means the end of the log when the follower is first seen.
const Now = "now"

// ErrRemoved: the follower was removed while its worker ran. If its worker runs again, it is a
// new follower.
var ErrRemoved = errors.New("the follower was removed")

// Log is what delivery reads of the catalog.
type Log interface {
	FollowChanges(ctx context.Context, from string, limit int, patience time.Duration) ([]catalog.Change, string, error)
	FollowChangeHeads(ctx context.Context, from string, limit int, patience time.Duration) ([]catalog.ChangeHead, string, error)
	EndOfChanges(ctx context.Context) (string, error)
}

// Store keeps what is known of followers.
type Store interface {
	graphstore.Records
	Lag(ctx context.Context, after string) (int64, error)
}

// Options are what a service needs.
type Options struct {
	Log    Log
	Store  Store
	Logger *slog.Logger
	Now    func() time.Time
	// Alone: no other server can use the store while this one does, so whatever another
	// server holds is free, and nothing need be renewed.
	Alone bool
	// Lease is how long a server may be silent before others take over what it delivers; 0
	// means 6 seconds.
	Lease time.Duration
}

// Service runs the workers of one server.
type Service struct {
	log    Log
	store  Store
	logger *slog.Logger
	now    func() time.Time
	alone  bool
	lease  time.Duration
	// id is the name of this server among those that share the store.
	id       string
	presence presence
	own      *tasks.Group

	mu      sync.Mutex
	running map[string]*progress
}

const (
	defaultLease = 6 * time.Second
	// renewals is how often a lease is renewed while it lasts.
	renewals = 3
	// defaultPage is how many changes are delivered at once.
	defaultPage = 500
	// saveEvery is how long a cursor that has moved may stay unsaved. What was delivered
	// since is delivered again after a crash.
	saveEvery = time.Second
)

// New makes the service of a server.
func New(o Options) *Service {
	s := &Service{
		log: o.Log, store: o.Store, logger: o.Logger, now: o.Now, alone: o.Alone, lease: o.Lease,
		id: rand.Text(), running: map[string]*progress{}, own: tasks.New("delivery", o.Logger),
	}
	if s.lease == 0 {
		s.lease = defaultLease
	}
	s.presence = presence{service: s, seen: map[string]sighting{}}
	return s
}

// Worker delivers the changes of the log to one follower.
type Worker struct {
	// Name identifies the follower in the store, such as "kafka" or "webhook/abc".
	Name string
	// Start is the cursor of a follower that is new: "" for the beginning of the log, or
	// [Now].
	Start string
	// Page is how many changes are delivered at once at most; 0 means 500.
	Page int
	// Wants, if set, says whether any of some changes matters to the follower, from what is
	// known without their values. Those that do not are passed without being read.
	Wants func(ctx context.Context, heads []catalog.ChangeHead) (bool, error)
	// Deliver returns when the changes are durable at their destination. If it fails, they
	// come again after a pause that grows. Its context ends when the server stops, or
	// may have been replaced by another one.
	Deliver func(ctx context.Context, changes []catalog.Change) error
	// Prepare may stand in place of Deliver. It does what can be done while changes before
	// these are still being delivered, and returns what delivers these.
	Prepare func(ctx context.Context, changes []catalog.Change) (Sending, error)
	// Read, if set, reads what is delivered instead of the changes and of Deliver. It waits for
	// something as long as it is told to. The batches that it returns are delivered in order.
	Read func(ctx context.Context, after Position, limit int, patience time.Duration) (Batch, error)
}

// Sending begins to deliver changes that were prepared, and returns what waits until that is
// done, as Deliver of a [Worker] does. Those after them may be sent before it is.
type Sending = func(ctx context.Context) (wait func() error)

// Position is where a worker reads.
type Position struct {
	Cursor string
	// Term grows whenever a server begins to deliver to the follower. What a server sends late,
	// although it was replaced, is of an earlier term.
	Term int64
}

// Batch is something to deliver.
type Batch struct {
	// Changes counts what the batch tells of, and may be 0: time has passed.
	Changes int
	// Next is the cursor after the batch.
	Next string
	// Deliver is as that of a [Worker].
	Deliver func(ctx context.Context) error
	// ahead, unless nil, is what can be prepared, and stands in place of Deliver.
	ahead *ahead
}

// Run delivers until the context ends, which is no error, or the follower is removed.
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

// pause returns false if the context ended first.
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
