// Package webhooks sends what happens in the catalog to receivers: who receives what, in
// which batches, how often an attempt is repeated, and what becomes of batches that a
// receiver does not take.
//
// Each enabled webhook is a follower of the change log (package delivery), so that one of
// several servers sends, every event arrives at least once and in order for each entity,
// and a receiver that fails delays no other.
// The reasons are in docs/decisions/0067-webhooks.md.
package webhooks

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/hooksend"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/tasks"
)

// Sender sends one message.
type Sender interface {
	CheckURL(url string) error
	Send(ctx context.Context, m *hooksend.Message) (hooksend.Answer, error)
}

// Log is what webhooks read of the change log beside delivery.
type Log interface {
	Changes(ctx context.Context, from string, limit int) ([]catalog.Change, string, error)
	EndOfChanges(ctx context.Context) (string, error)
}

// Followers are the followers of the change log.
type Followers interface {
	Run(ctx context.Context, w delivery.Worker) error
	Followers(ctx context.Context) ([]delivery.Follower, error)
	Cursor(ctx context.Context, name string) (string, bool, error)
	Remove(ctx context.Context, name string) error
}

// Retry says how long a batch is tried.
type Retry struct {
	// First is the pause after the first failure; each is twice as long as the one before,
	// up to Most. What a receiver asks for counts up to Most.
	First, Most time.Duration
	// After so many Attempts, or when the first one is Age ago, a batch is a dead letter.
	Attempts int
	Age      time.Duration
}

// DefaultRetry is the retry of servers.
var DefaultRetry = Retry{First: time.Second, Most: limits.MaxWebhookPause, Attempts: limits.MaxWebhookAttempts, Age: limits.MaxWebhookAge}

// Options configure the service.
type Options struct {
	Log       Log
	Records   graphstore.Records
	Followers Followers
	Streams   *streams.Service
	Sender    Sender
	Now       func() time.Time
	Logger    *slog.Logger
	// Retry is DefaultRetry when zero.
	Retry Retry
	// Poll is how often the definitions are read, which another server may have changed;
	// 3 s when 0.
	Poll time.Duration
}

// Service keeps webhooks and delivers to them. It is safe for concurrent use.
type Service struct {
	Options
	wake    chan struct{}
	running *tasks.Group

	delivered, failed, dead atomic.Int64
}

const defaultPoll = 3 * time.Second

// New makes the service.
func New(o Options) *Service {
	if o.Retry == (Retry{}) {
		o.Retry = DefaultRetry
	}
	if o.Poll == 0 {
		o.Poll = defaultPoll
	}
	return &Service{Options: o, wake: make(chan struct{}, 1), running: tasks.New("webhooks", o.Logger)}
}

// Deliveries are how many requests to receivers this server has made since its start, by
// their result.
type Deliveries struct {
	// Delivered were taken, Failed will be repeated, Dead became dead letters.
	Delivered, Failed, Dead int64
}

// Deliveries returns the counts.
func (s *Service) Deliveries() Deliveries {
	return Deliveries{s.delivered.Load(), s.failed.Load(), s.dead.Load()}
}

// changed makes Run look at the definitions now.
func (s *Service) changed() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
