// Package webhooks sends the events of the catalog to receivers. The package decides which
// receiver gets which events, the batches, how often an attempt is repeated, and what happens
// to batches that a receiver does not accept.
//
// Each enabled webhook is a follower of the change log (package delivery). So only one of
// several servers sends, every event arrives at least once and in order for each entity, and a
// receiver that fails delays no other receiver.
// The reasons are in docs/decisions/0067-webhooks.md.
package webhooks

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/internal/hooksend"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/tasks"
)

// Sender sends one message.
type Sender interface {
	CheckURL(url string) error
	Send(ctx context.Context, m *hooksend.Message) (hooksend.Answer, error)
}

// Log is the part of the change log that webhooks read besides package delivery.
type Log interface {
	Changes(ctx context.Context, from string, limit int) ([]catalog.Change, string, error)
	EndOfChanges(ctx context.Context) (string, error)
}

// Followers runs, lists and removes the followers of the change log.
type Followers interface {
	Run(ctx context.Context, w delivery.Worker) error
	Followers(ctx context.Context) ([]delivery.Follower, error)
	Cursor(ctx context.Context, name string) (string, bool, error)
	Remove(ctx context.Context, name string) error
}

// Retry tells how long a batch is tried.
type Retry struct {
	// First is the pause after the first failure; each further pause is twice as long as the one
	// before, up to Most. A longer pause that the receiver asks for is granted up to Most.
	First, Most time.Duration
	// A batch becomes a dead letter after this number of Attempts, or when the first attempt is as
	// old as Age.
	Attempts int
	Age      time.Duration
}

// DefaultRetry is the Retry of servers.
var DefaultRetry = Retry{First: time.Second, Most: limits.MaxWebhookPause, Attempts: limits.MaxWebhookAttempts, Age: limits.MaxWebhookAge}

// Options configure a Service.
type Options struct {
	Log       Log
	Records   *records.Door
	Followers Followers
	Streams   *streams.Service
	Sender    Sender
	Now       func() time.Time
	Logger    *slog.Logger
	// A zero Retry means DefaultRetry.
	Retry Retry
	// Poll is the pause between readings of the definitions, which other servers may change; 0
	// means 3 s.
	Poll time.Duration
}

// Service stores webhooks and delivers to them. Service is safe for concurrent use.
type Service struct {
	Options
	// hooks has the definitions, progress the progress of deliveries, and letters the dead
	// letters. A record is named after the webhook; the name of a letter adds a slash and the id
	// of the letter.
	hooks    records.Records[definition]
	progress records.Records[progress]
	letters  records.Records[Letter]
	wake     chan struct{}
	running  *tasks.Group

	delivered, failed, dead atomic.Int64
}

const defaultPoll = 3 * time.Second

// New makes a Service.
func New(o Options) *Service {
	if o.Retry == (Retry{}) {
		o.Retry = DefaultRetry
	}
	if o.Poll == 0 {
		o.Poll = defaultPoll
	}
	return &Service{
		Options: o,
		hooks:   records.Of[definition](o.Records, records.Webhooks), progress: records.Of[progress](o.Records, records.Progress), letters: records.Of[Letter](o.Records, records.DeadLetters),
		wake: make(chan struct{}, 1), running: tasks.New("webhooks", o.Logger),
	}
}

// Deliveries counts the requests to receivers that this server has made since its start, by
// their result.
type Deliveries struct {
	// Delivered counts accepted requests, Failed counts requests that will be repeated, and Dead
	// counts requests that became dead letters.
	Delivered, Failed, Dead int64
}

// Deliveries returns the counts of this server.
func (s *Service) Deliveries() Deliveries {
	return Deliveries{s.delivered.Load(), s.failed.Load(), s.dead.Load()}
}

// changed makes Run read the definitions now.
func (s *Service) changed() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
