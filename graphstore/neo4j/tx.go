package neo4j

import (
	"context"
	"errors"
	"fmt"
	"slices"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

var errOver = errors.New("the transaction is over")

// tx is a running transaction.
type tx struct {
	s   *Store
	ctx context.Context
	run driver.ManagedTransaction
	now int64
	// locked are the entities named; fresh those that the lock made, and blank
	// the fresh ones that nothing was written of yet.
	locked map[string]bool
	fresh  map[string]bool
	blank  map[string]bool
	// loose are entities that lost edges to what was deleted.
	loose []string
	// failed is the first error of a write.
	failed error
	over   bool
}

// From bulkEntities on, a transaction is a bulk one, and bulkTransactions of a
// process run at once: they touch so many nodes of each other that more would
// mostly wait for each other, or end in a deadlock and run again.
const (
	bulkEntities     = 64
	bulkTransactions = 2
)

// Update runs fn in a transaction, again after transient failures.
func (s *Store) Update(ctx context.Context, urns []string, fn func(graphstore.Tx) error) error {
	if s.closed.Load() {
		return graphstore.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	urns = slices.Compact(slices.Sorted(slices.Values(urns)))
	if len(urns) > bulkEntities {
		select {
		case s.bulk <- struct{}{}:
			defer func() { <-s.bulk }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	session := s.session(ctx, driver.AccessModeWrite)
	defer s.end(ctx, session)
	var own error
	_, err := session.ExecuteWrite(ctx, func(run driver.ManagedTransaction) (any, error) {
		t := &tx{s: s, ctx: ctx, run: run}
		own = nil
		if err := t.lock(urns); err != nil {
			return nil, err
		}
		err := t.call(fn)
		if err == nil {
			err = t.failed
		}
		if err == nil {
			err = t.dropFresh()
		}
		if err == nil {
			err = t.dropLoose()
		}
		if err != nil && !driver.IsRetryable(err) {
			own = err
		}
		return nil, err
	})
	if err != nil && own != nil {
		// fn's own error is the caller's; the driver may have wrapped it.
		return s.ownFailure(ctx, own)
	}
	return s.failure(ctx, err)
}

// ownFailure leaves an error of fn as it is, but translates the driver's.
func (s *Store) ownFailure(ctx context.Context, err error) error {
	if driver.IsNeo4jError(err) || driver.IsConnectivityError(err) {
		return s.failure(ctx, err)
	}
	return err
}

// call runs fn; a panic in it is an error.
func (t *tx) call(fn func(graphstore.Tx) error) (err error) {
	defer func() {
		t.over = true
		if cause := recover(); cause != nil {
			err = fmt.Errorf("update panicked: %v", cause)
		}
	}()
	return fn(t)
}

// lock takes the entities named and moves the time behind theirs, as far as
// they are not stamped by a clock that was ahead.
func (t *tx) lock(urns []string) error {
	t.now = t.s.clock.Tick()
	t.locked, t.fresh, t.blank = make(map[string]bool, len(urns)), map[string]bool{}, map[string]bool{}
	if len(urns) == 0 {
		return nil
	}
	_, err := records(t, "write/lock", map[string]any{"urns": urns, "now": t.now, "horizon": t.now + graphstore.ClockTolerance.Milliseconds()}, func(r *driver.Record) (struct{}, error) {
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

// dropFresh removes the nodes that were made to be locked and never written.
func (t *tx) dropFresh() error {
	if len(t.fresh) == 0 {
		return nil
	}
	urns := make([]string, 0, len(t.fresh))
	for urn := range t.fresh {
		urns = append(urns, urn)
	}
	return t.exec("write/drop_fresh", map[string]any{"urns": urns})
}

// dropLoose removes the placeholders that no edge touches any more.
func (t *tx) dropLoose() error {
	if len(t.loose) == 0 {
		return nil
	}
	slices.Sort(t.loose)
	return t.exec("write/drop_untouched", map[string]any{"urns": slices.Compact(t.loose)})
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

// records runs a statement by name and converts its records.
func records[T any](t *tx, name string, params map[string]any, convert func(*driver.Record) (T, error)) ([]T, error) {
	statement, err := t.s.statements.Text(name)
	if err != nil {
		return nil, err
	}
	result, err := t.run.Run(t.ctx, statement, params)
	if err != nil {
		return nil, err
	}
	return collect(t.ctx, result, convert)
}

// Now is the transaction's clock.
func (t *tx) Now() int64 { return t.now }

// Aspects returns the state of aspects.
func (t *tx) Aspects(keys []graphstore.AspectKey) ([]graphstore.AspectState, error) {
	if err := t.usable(); err != nil {
		return nil, err
	}
	states := make([]graphstore.AspectState, len(keys))
	var wanted []any
	for i, key := range keys {
		states[i].NextSeq = 1
		if t.blank[key.URN] {
			continue // nothing to look for
		}
		wanted = append(wanted, map[string]any{"i": i, "urn": key.URN, "name": key.Name})
	}
	if len(wanted) == 0 {
		return states, nil
	}
	var missing []any
	_, err := records(t, "write/aspect_states", map[string]any{"keys": wanted}, func(r *driver.Record) (struct{}, error) {
		i := integer(r, "i")
		latest := properties(r, "latest")
		if latest == nil {
			if !t.fresh[keys[i].URN] { // a node made just now has no versions
				missing = append(missing, map[string]any{"i": i, "urn": keys[i].URN, "name": keys[i].Name})
			}
			return struct{}{}, nil
		}
		a, err := aspectOf(latest)
		states[i] = graphstore.AspectState{Latest: &a, NextSeq: a.Seq + 1}
		return struct{}{}, err
	})
	if err != nil || len(missing) == 0 {
		return states, err
	}
	_, err = records(t, "write/last_seq", map[string]any{"keys": missing}, func(r *driver.Record) (struct{}, error) {
		states[integer(r, "i")].NextSeq = integer(r, "seq") + 1
		return struct{}{}, nil
	})
	return states, err
}

func (t *tx) usable() error {
	if t.over {
		return errOver
	}
	return t.failed
}

// Latest returns every latest aspect of entities.
func (t *tx) Latest(urns []string) (map[string][]graphstore.Aspect, error) {
	if err := t.usable(); err != nil {
		return nil, err
	}
	aspects, err := records(t, "read/latest_all", map[string]any{"urns": urns}, aspectRecord)
	if err != nil {
		return nil, err
	}
	return byURN(aspects), nil
}

// Version returns one version.
func (t *tx) Version(key graphstore.AspectKey, version int64) (graphstore.Aspect, bool, error) {
	if err := t.usable(); err != nil {
		return graphstore.Aspect{}, false, err
	}
	for _, name := range versionStatements(version) {
		found, err := records(t, name, versionParams(key, name, version), aspectRecord)
		if err != nil || len(found) > 0 {
			return first(found), err == nil, err
		}
	}
	return graphstore.Aspect{}, false, nil
}
