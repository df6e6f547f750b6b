package write

import (
	"context"
	"errors"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/turns"
	"github.com/headwater-io/headwater/model"
)

// The way of a write.
//
// A request becomes changes, which are validated without stored values (proposal.go, snapshot.go,
// edit.go). The changes become an attempt, and [Writer.write] tries the attempt in rounds. A round
// takes a turn on the entities, beside other writes at first and alone after sharedTries. It does
// the expensive work on values that it reads just before the transaction: the drafts of the changes
// (draft.go), and the work that the last transaction lacked (lacking.go). Then it runs the rules in
// a transaction of the store (session.go). The rules compare the drafts with the latest values and
// put one batch together, which the store commits completely or not at all. If the values have
// changed, or the rules would process more than insideBytes, the transaction ends without a write
// and names the work that it lacks; the next round does this work first. After the commit the
// writer signals that something was written, and does the work that follows from deletions (delete.go).

// sharedTries is how often a transaction is tried while others write the same entities. After that
// the attempt keeps other writes of this process away from its entities.
const sharedTries = 3

// outsideTries bounds how often a transaction is tried without progress,
// outsideRounds how often it is tried in all.
const (
	outsideTries  = 8
	outsideRounds = 200
)

// attempt is a request on its way into the store.
type attempt struct {
	// urns are the entities that the transaction may write, sorted.
	urns []string
	// changes are drafted before the transaction, if that is needed. A rollback has none.
	changes []*change
	actor   string
	// alongside, if set, returns records that are stored in the transaction of the changes at
	// some positions.
	alongside func(written []int) []graphstore.Record
	// whole: the changes are written together or not at all, so the entities that one change
	// creates do not exist for the others.
	whole bool
	// rules fill the batch of the transaction. They may run more than once.
	rules func(*session) error

	// tries counts the rounds that did no work for a former transaction.
	tries int
	// drafting: the changes are drafted before the next transaction.
	drafting bool
	// lacks is the work that the last transaction ended without.
	lacks *lacking
	// These are results of work outside the transaction: the transitions of rollbacks, decoded
	// stored values, and definitions of structured properties by their URN.
	transitions map[graphstore.AspectKey]*transition
	parsed      map[graphstore.AspectKey]*model.Value
	definitions map[string]*propertyDefinition

	// These are results of the last transaction. outcomes has one entry for each change.
	outcomes []outcome
	// deleted lists the entities that the transaction deleted completely and that have an
	// [Writer.OnDelete]. unversioned lists the versions that it deleted from their sets.
	deleted     []model.URN
	unversioned []unversioned
}

// newAttempt makes an attempt without changes. The caller must set its rules.
func newAttempt(actor string, urns []string) *attempt {
	return &attempt{
		urns: urns, actor: actor, lacks: &lacking{},
		transitions: map[graphstore.AspectKey]*transition{}, parsed: map[graphstore.AspectKey]*model.Value{},
		definitions: map[string]*propertyDefinition{},
	}
}

// attemptOf makes the attempt that applies changes, of which there is at least one.
func attemptOf(changes []*change, o catalog.WriteOptions) *attempt {
	a := newAttempt(o.ActorIn(changes[0].dialect), urnsOf(changes))
	a.changes, a.alongside = changes, o.Alongside
	a.rules = a.applyChanges
	return a
}

// applyChanges are the rules of an attempt with changes. If these are written together, it fails
// with the error of the first change that is refused.
func (a *attempt) applyChanges(s *session) (err error) {
	if a.outcomes, err = s.applyAll(a.changes); err != nil {
		return err
	}
	for i := range a.outcomes {
		if a.whole && a.outcomes[i].err != nil {
			return a.outcomes[i].err
		}
	}
	return a.writeAlongside(s.tx)
}

// writeAlongside stores the records that belong to the changes of a transaction. A transaction that
// changes nothing stores none.
func (a *attempt) writeAlongside(tx graphstore.Tx) error {
	if a.alongside == nil {
		return nil
	}
	var written []int
	changed := false
	for i := range a.outcomes {
		if a.outcomes[i].err == nil {
			written = append(written, i)
			changed = changed || a.outcomes[i].changed
		}
	}
	if !changed {
		return nil
	}
	return tx.Write(graphstore.Batch{PutRecords: a.alongside(written)})
}

// write repeats an attempt until its transaction is committed. Each further round first does the
// work that the transaction before it lacked. write fails with Busy after too many rounds.
func (w *Writer) write(ctx context.Context, a *attempt, o catalog.WriteOptions) error {
	w.protectChanges(ctx, a.changes)
	for range outsideRounds {
		lacks, err := w.try(ctx, a)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		if lacks == nil {
			w.written.Signal()
			if w.afterCommit != nil {
				w.afterCommit(a.urns)
			}
			return w.finishDeletions(ctx, a, o)
		}
		if a.tries >= outsideTries {
			break
		}
		a.lacks, a.drafting = lacks, len(a.changes) > 0
		a.urns = sortedTexts(append(a.urns, lacks.urns...))
	}
	return catalog.Errorf(catalog.Busy, "others keep writing the same entities; nothing was changed, try again")
}

// try is one round of an attempt. It returns the work that the transaction lacks, or nil if the
// transaction was committed.
func (w *Writer) try(ctx context.Context, a *attempt) (lacks *lacking, err error) {
	mode := turns.Shared
	if a.tries >= sharedTries {
		mode = turns.Alone
	}
	if !a.lacks.work() { // otherwise the last transaction got further than the former one
		a.tries++
	}
	endTurn, err := w.takeTurn(ctx, mode, a.urns)
	if err != nil {
		return nil, err
	}
	defer endTurn()
	release, err := w.workOutside(ctx, a)
	if err != nil {
		return nil, err
	}
	defer release()
	err = w.commit(ctx, a.urns, func(tx graphstore.Tx) error { return a.rules(w.newSession(tx, a)) })
	if errors.As(err, &lacks) {
		return lacks, nil
	}
	return nil, err
}

// takeTurn waits for a turn on entities. Call end after the transaction.
func (w *Writer) takeTurn(ctx context.Context, mode turns.Mode, urns []string) (end func(), err error) {
	end, err = w.turns.Take(ctx, mode, urns...)
	if errors.Is(err, turns.ErrBusy) {
		return nil, graphstore.ErrBusy
	}
	return end, err
}

func newTurns() *turns.Turns { return turns.New(limits.MaxQueuedWrites, limits.MaxQueuedWriteTime) }

// workOutside does the work of an attempt before its transaction: the work that the last
// transaction lacked, and the drafts. Call release when the store is done with the results.
func (w *Writer) workOutside(ctx context.Context, a *attempt) (release func(), err error) {
	lacked, size := a.lacks.work(), 0
	if !lacked && !a.drafting {
		return func() {}, nil
	}
	leave, err := enter(ctx, w.gates.drafts)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := w.supply(a); err != nil {
		return nil, err
	}
	if a.drafting {
		if size, err = w.draftAll(ctx, a); err != nil {
			return nil, err
		}
	}
	if lacked || size > insideBytes {
		return enter(ctx, w.gates.large)
	}
	return func() {}, nil
}

// A decoded value takes many times the memory of its text. So few requests draft changes at a time,
// and fewer keep large drafts until the store has written them.
const (
	draftsAtOnce = 4
	largeAtOnce  = 2
)

// gates bound how many requests draft changes, and how many keep large drafts.
type gates struct{ drafts, large chan struct{} }

func newGates() gates {
	return gates{make(chan struct{}, draftsAtOnce), make(chan struct{}, largeAtOnce)}
}

// enter takes a place behind a gate. Call leave to give it back.
func enter(ctx context.Context, gate chan struct{}) (leave func(), err error) {
	select {
	case gate <- struct{}{}:
		return func() { <-gate }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// commit runs a transaction of writes. A replica refuses every write, and a read-only server every
// write except [OwnWork].
func (w *Writer) commit(ctx context.Context, urns []string, rules func(graphstore.Tx) error) error {
	if err := w.RequireWritableUnless(ctx, false); err != nil {
		return err
	}
	return w.store.Update(ctx, urns, rules)
}

// urnsOf lists the entities of changes, each once and sorted.
func urnsOf(changes []*change) []string {
	urns := make([]string, len(changes))
	for i, ch := range changes {
		urns[i] = ch.urn.String()
	}
	return sortedTexts(urns)
}

// sortedTexts sorts texts in place and removes repeated ones.
func sortedTexts(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}
