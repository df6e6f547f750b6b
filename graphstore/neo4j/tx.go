package neo4j

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

var errOver = errors.New("the transaction has ended")

// tx is a running transaction.
type tx struct {
	s   *Store
	ctx context.Context
	run driver.ManagedTransaction
	now int64
	// token identifies the transaction in its entities and its changes.
	token int64
	// locked has the named entities. fresh has the named entities that the lock created. blank has
	// the fresh entities about which nothing was written yet.
	locked map[string]bool
	fresh  map[string]bool
	blank  map[string]bool
	// loose has entities that lost edges to deleted entities.
	loose []string
	// pending is sent at the end, or before a statement that depends on it. changes is appended to
	// the change log, always at the end, because that locks the counters of its shards.
	pending pending
	changes []graphstore.Change
	// written tells that the running update has written something.
	written bool
	// failed is the first error of a write.
	failed error
	over   bool
}

// A transaction may end in a deadlock with a transaction that names other entities, because
// both write edges to the same other ends. The transaction then soon runs again: deadlockTries
// times, and as long as other transient failures are retried, because on a slow machine the
// winner takes long.
const (
	deadlockTries = 14
	deadlockWait  = 250 * time.Millisecond
)

// transaction runs body in a transaction, and again after transient failures.
func (s *Store) transaction(ctx context.Context, urns []string, body func(*tx) error) error {
	began := time.Now()
	for try := 0; ; try++ {
		leave, err := s.bulk.enter(ctx, len(urns), try > 0)
		if err != nil {
			return err
		}
		err = s.once(ctx, urns, body)
		leave()
		var lost *deadlock
		if !errors.As(err, &lost) {
			return err
		}
		s.logger.DebugContext(ctx, deadlockMessage, "entities", len(urns), "try", try+1)
		if try+1 >= deadlockTries && time.Since(began) >= s.retryTime {
			return fmt.Errorf("an update ended in %d deadlocks: %w", try+1, graphstore.ErrBusy)
		}
		if err := pause(ctx, min(deadlockWait, 2*time.Millisecond<<min(try, deadlockTries))); err != nil {
			return err
		}
	}
}

const deadlockMessage = "a write ended in a deadlock and runs again"

// deadlock hides from the driver that a transaction may be retried: the driver would first wait
// for a second or more.
type deadlock struct{ err error }

func (d *deadlock) Error() string { return d.err.Error() }

func isDeadlock(err error) bool {
	var server *driver.Neo4jError
	return errors.As(err, &server) && (server.Code == "Neo.TransientError.Transaction.DeadlockDetected" ||
		server.Code == "Neo.TransientError.Transaction.LockAcquisitionTimeout" || server.Code == "Neo.TransientError.Transaction.LockClientStopped")
}

// once runs body in a transaction. once runs body again only after failures that come from the
// state of the server.
func (s *Store) once(ctx context.Context, urns []string, body func(*tx) error) error {
	leave, err := s.lanes.writes.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	session := s.session(ctx, driver.AccessModeWrite)
	defer s.end(ctx, session)
	var own error
	_, err = session.ExecuteWrite(ctx, func(run driver.ManagedTransaction) (any, error) {
		t := newTx(ctx, s, run)
		own = nil
		err := t.lock(urns)
		if err == nil {
			err = body(t)
		}
		if err == nil {
			err = t.finish()
		}
		if isDeadlock(err) {
			err = &deadlock{err}
		}
		if err != nil && !driver.IsRetryable(err) {
			own = err // the driver may wrap the error
		}
		return nil, err
	}, bounds(ctx, 0)...)
	if err != nil && own != nil {
		return own
	}
	return err
}

func newTx(ctx context.Context, s *Store, run driver.ManagedTransaction) *tx {
	return &tx{s: s, ctx: ctx, run: run, token: newToken(), pending: newPending(nil)}
}

// isDriver reports whether an error comes from the driver. A transaction cannot be used after
// such an error.
func isDriver(err error) bool { return driver.IsNeo4jError(err) || driver.IsConnectivityError(err) }

// affectsAll reports whether an error concerns a whole group, and not one of its updates.
func (s *Store) affectsAll(ctx context.Context, err error) bool {
	return ctx.Err() != nil || s.closed.Load() || errors.Is(err, graphstore.ErrBusy) || driver.IsConnectivityError(err) ||
		driver.IsRetryable(err) || driver.IsTransactionExecutionLimit(err)
}

// ownFailure converts errors of the driver, and leaves an error of fn unchanged.
func (s *Store) ownFailure(ctx context.Context, err error) error {
	if isDriver(err) || driver.IsTransactionExecutionLimit(err) || ctx.Err() != nil {
		return s.failure(ctx, err)
	}
	return err
}

// call runs fn. A panic in fn becomes an error.
func (t *tx) call(fn func(graphstore.Tx) error) (err error) {
	defer func() {
		t.over = true
		if cause := recover(); cause != nil {
			err = fmt.Errorf("update panicked: %v", cause)
		}
	}()
	return fn(t)
}

// lock locks the named entities, and moves the time of the transaction after theirs, unless
// these come from a clock that was ahead.
func (t *tx) lock(urns []string) error {
	t.now = t.s.clock.Tick()
	t.locked, t.fresh, t.blank = make(map[string]bool, len(urns)), map[string]bool{}, map[string]bool{}
	if len(urns) == 0 {
		return nil
	}
	_, err := records(t, "write/lock", map[string]any{"urns": urns, "token": t.token, "now": t.now, "horizon": t.now + graphstore.ClockTolerance.Milliseconds()}, func(r *driver.Record) (struct{}, error) {
		urn := text(r, "urn")
		t.locked[urn] = true
		if fresh, _ := r.Get("fresh"); fresh == true {
			t.fresh[urn], t.blank[urn] = true, true
		}
		t.now = max(t.now, integer(r, "changedOn"))
		return struct{}{}, nil
	})
	return err
}

// holdBack moves versions and nodes from a batch to the pending writes, if nothing else in the
// batch depends on them.
func (t *tx) holdBack(b *graphstore.Batch) bool {
	if len(b.DeleteEntities)+len(b.Archive)+len(b.Restore)+len(b.PutArchived)+len(b.AddEnded)+len(b.PutTimeSeries)+len(b.DeleteTimeSeries) > 0 ||
		t.pending.appends(b) != nil {
		return false
	}
	t.pending.addVersions(b)
	return true
}

// flush sends the pending writes, except for the change log.
func (t *tx) flush() error {
	b := t.pending.batch
	t.pending.batch = graphstore.Batch{}
	clear(t.pending.first)
	for _, step := range []func(*graphstore.Batch) error{t.deleteVersions, t.observe, t.putVersions, t.putNodes, t.putLabels} {
		if err := step(&b); err != nil {
			return err
		}
	}
	return nil
}

// finish sends all pending writes, and deletes nodes that are not needed.
func (t *tx) finish() error {
	for _, step := range []func() error{t.flush, t.dropFresh, t.dropLoose} {
		if err := step(); err != nil {
			return err
		}
	}
	return t.addChanges(&graphstore.Batch{Changes: t.changes})
}

// dropFresh deletes the nodes that were created only for the lock, and about which nothing was
// written.
func (t *tx) dropFresh() error {
	if len(t.fresh) == 0 {
		return nil
	}
	urns := make([]string, 0, len(t.fresh))
	for urn := range t.fresh {
		urns = append(urns, urn)
	}
	return execRows(t, "write/drop_fresh", urns)
}

// dropLoose deletes the placeholders that are no longer the end of an edge. dropLoose deletes
// columns first, because the entities to which they belong may then have no column left.
func (t *tx) dropLoose() error {
	var columns, others []string
	for _, urn := range t.loose {
		if holder := t.s.describe(urn).Holder; holder != "" {
			columns, others = append(columns, urn), append(others, holder)
		} else {
			others = append(others, urn)
		}
	}
	for _, urns := range [][]string{columns, others} {
		slices.Sort(urns)
		if urns = slices.Compact(urns); len(urns) == 0 {
			continue
		}
		if err := t.exec("write/drop_untouched", map[string]any{"urns": urns}); err != nil {
			return err
		}
	}
	return nil
}

// exec runs a statement by name for its effect.
func (t *tx) exec(name string, params map[string]any) error {
	statement, err := t.s.statements.Text(name)
	if err != nil {
		return err
	}
	return t.execText(statement, params)
}

func (t *tx) execText(statement string, params map[string]any) error {
	result, err := t.run.Run(t.ctx, statement, params)
	if err != nil {
		return err
	}
	_, err = result.Consume(t.ctx)
	return err
}

// runner runs statements by name.
type runner interface {
	start(name string, params map[string]any) (context.Context, driver.ResultWithContext, error)
}

func (t *tx) start(name string, params map[string]any) (context.Context, driver.ResultWithContext, error) {
	statement, err := t.s.statements.Text(name)
	if err != nil {
		return nil, nil, err
	}
	result, err := t.run.Run(t.ctx, statement, params)
	return t.ctx, result, err
}

// records runs a statement by name and converts its records.
func records[T any](r runner, name string, params map[string]any, convert func(*driver.Record) (T, error)) ([]T, error) {
	ctx, result, err := r.start(name, params)
	if err != nil {
		return nil, err
	}
	return collect(ctx, result, convert)
}

// Now returns the time of the transaction.
func (t *tx) Now() int64 { return t.now }

// Aspects returns the states of aspects.
func (t *tx) Aspects(keys []graphstore.AspectKey) ([]graphstore.AspectState, error) {
	if err := t.usable(); err != nil {
		return nil, err
	}
	states := make([]graphstore.AspectState, len(keys))
	unknown := t.pending.known(keys, states)
	if err := t.readStates(keys, unknown, states); err != nil {
		return nil, err
	}
	for _, i := range unknown {
		t.pending.states[keys[i]] = states[i]
	}
	t.pending.known(keys, states) // states gets copies of the latest versions
	return states, nil
}

// readStates reads the unknown states of aspects.
func (t *tx) readStates(keys []graphstore.AspectKey, unknown []int, states []graphstore.AspectState) error {
	var wanted []any
	for _, i := range unknown {
		key := keys[i]
		states[i].NextSeq = 1
		if t.blank[key.URN] {
			continue // a blank entity has no versions
		}
		wanted = append(wanted, map[string]any{"i": i, "urn": key.URN, "name": key.Name})
	}
	if len(wanted) == 0 {
		return nil
	}
	var missing []any
	_, err := records(t, "write/aspect_states", map[string]any{"keys": wanted}, func(r *driver.Record) (struct{}, error) {
		i := integer(r, "i")
		latest := properties(r, "latest")
		if latest == nil {
			if !t.fresh[keys[i].URN] { // a node that the lock created has no versions
				missing = append(missing, map[string]any{"i": i, "urn": keys[i].URN, "name": keys[i].Name})
			}
			return struct{}{}, nil
		}
		a, err := aspectOf(latest)
		states[i] = graphstore.AspectState{Latest: &a, NextSeq: a.Seq + 1}
		return struct{}{}, err
	})
	if err != nil || len(missing) == 0 {
		return err
	}
	_, err = records(t, "write/last_seq", map[string]any{"keys": missing}, func(r *driver.Record) (struct{}, error) {
		states[integer(r, "i")].NextSeq = integer(r, "seq") + 1
		return struct{}{}, nil
	})
	return err
}

func (t *tx) usable() error {
	if t.over {
		return errOver
	}
	return t.failed
}

// current sends the pending writes, so that the transaction can read them.
func (t *tx) current() error {
	if err := t.usable(); err != nil {
		return err
	}
	t.failed = t.flush()
	return t.failed
}

// Latest returns every latest aspect of entities.
func (t *tx) Latest(urns []string) (map[string][]graphstore.Aspect, error) {
	if err := t.current(); err != nil {
		return nil, err
	}
	return latestIn(t, urns, locked)
}

// Version returns one version.
func (t *tx) Version(key graphstore.AspectKey, version int64) (graphstore.Aspect, bool, error) {
	if err := t.current(); err != nil {
		return graphstore.Aspect{}, false, err
	}
	return versionIn(t, key, version)
}

func versionIn(r runner, key graphstore.AspectKey, version int64) (graphstore.Aspect, bool, error) {
	return findVersion(key, version, func(statement string, params map[string]any) ([]graphstore.Aspect, error) {
		return records(r, statement, params, aspectRecord)
	})
}
