package follower

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/indexer"
)

// These are internals that the tests need. The tests are in another package because their
// harness imports this one.
const (
	FollowerPrefix = followerPrefix
	ForgetAfter    = forgetAfter
	MaxReason      = maxReason
	ReasonAsked    = reasonAsked
	ReasonDamaged  = reasonDamaged
	ReasonLost     = reasonLost
)

type (
	Position = position
	Ticket   = ticket
)

var (
	ParsePosition = parsePosition
	RestBound     = restBound
)

func NewPosition(index, cursor string, refused Refusals) *Position {
	return &position{index: index, cursor: cursor, refused: refused}
}

// Name returns the name of the index.
func (p *position) Name() string { return p.index }

func (p *position) Parts() (index, cursor string, refused Refusals) {
	return p.index, p.cursor, p.refused
}

func (r Refusals) After(batch *indexer.Batch, refused []indexer.Refusal, at time.Time) (Refusals, bool) {
	return r.after(batch, refused, at)
}

func (f *Follower) SetNow(now func() time.Time)                       { f.now = now }
func (f *Follower) StoreRead() Store                                  { return f.store }
func (f *Follower) SetEnd(read func(context.Context) (string, error)) { f.end.read = read }
func (f *Follower) SetStore(store Store)                              { f.store = store }
func (f *Follower) WrittenIndex() indexer.Index                       { return f.index }
func (f *Follower) AwaitBuilds()                                      { _ = f.work.Wait(context.Background()) }
func (f *Follower) SomeoneWaits() bool                                { return f.someoneWaits() }
func (f *Follower) Tickets() []Ticket                                 { return f.tickets() }
func (f *Follower) Renew(ctx context.Context) error                   { return f.renewRegistration(ctx) }

func (f *Follower) Stored(ctx context.Context) (Position, error) { return f.stored(ctx) }

func (f *Follower) Answer(tickets []Ticket, cursor string) error { return f.answer(tickets, cursor) }

func (f *Follower) RebuildNow(ctx context.Context, reason string) error {
	return f.rebuildNow(ctx, reason)
}

func (f *Follower) Project(ctx context.Context, urns []string) (indexer.Batch, error) {
	return f.project(ctx, urns)
}

func (f *Follower) Scan(ctx context.Context, build indexer.Build, refused *Refusals) error {
	return f.scan(ctx, build, refused)
}

// WithoutModel returns a copy of the follower without a registry.
func (f *Follower) WithoutModel() *Follower {
	return &Follower{store: f.store, index: f.index, schema: f.schema, logger: f.logger, written: f.written, wake: f.wake}
}
