package write

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/turns"
	"github.com/headwater-io/headwater/model"
)

// Expensive work is done before the store's transaction, on values that are
// read just before it. The transaction compares these with the latest values
// and only writes. If they differ, the transaction ends without a write and the
// work is done again.

// insideBytes is how many bytes of values may be processed inside a
// transaction.
const insideBytes = 1 << 20

// sharedTries is how often a transaction is tried while others write the same
// entities. After that it locks them against other writes of this process.
const sharedTries = 3

// outsideTries bounds how often a transaction is tried without progress,
// outsideRounds how often it is tried in all.
const (
	outsideTries  = 8
	outsideRounds = 200
)

// errOutside ends a transaction that would have to do more work than is allowed
// inside it.
var errOutside = errors.New("this needs more work than is allowed inside a transaction")

// job holds the results that a request has prepared so far, and the work that
// its last transaction asked for.
type job struct {
	// whole: the changes of the request are written together or not at all, so
	// what one of them makes does not count as existing for the others.
	whole       bool
	transitions map[graphstore.AspectKey]*transition
	parsed      map[graphstore.AspectKey]*model.Value
	// definitions are those of structured properties, by URN.
	definitions map[string]*propertyDefinition
	wanted      []func() error
	// deleted are the entities that the last transaction deleted completely and whose
	// deletion has more to follow, see [Writer.OnDelete].
	deleted []model.URN
	// unversioned are the versions that it deleted from their sets.
	unversioned []unversioned
	// locked are the entities that the transaction may write, also those that it asked for
	// besides.
	locked, also []string
}

func newJob() *job {
	return &job{
		transitions: map[graphstore.AspectKey]*transition{}, parsed: map[graphstore.AspectKey]*model.Value{},
		definitions: map[string]*propertyDefinition{},
	}
}

// doWanted does the work that a transaction asked for, and reports whether
// there was any.
func (j *job) doWanted() (asked bool, err error) {
	wanted := j.wanted
	j.wanted = nil
	for _, do := range wanted {
		if err := do(); err != nil {
			return true, err
		}
	}
	return len(wanted) > 0, nil
}

// transact runs fn in a transaction of the store. When fn fails with
// errOutside, the work that it asked for in j is done, draft is run unless it
// is nil, and fn is tried again. With early, draft also runs before the first
// try.
func (w *Writer) transact(ctx context.Context, urns []string, j *job, early bool, draft func() (int, error), fn func(graphstore.Tx) error) error {
	tries := 0
	for range outsideRounds {
		if len(j.also) > 0 {
			urns = slices.Concat(urns, j.also)
			slices.Sort(urns)
			urns, j.also = slices.Compact(urns), nil
		}
		j.locked = urns
		err := w.inTurn(ctx, urns, tries >= sharedTries, func() error {
			asked := len(j.wanted) > 0
			if !asked { // or it got further in the last try
				tries++
			}
			release, err := w.workOut(ctx, j, asked || early && draft != nil, func() (int, error) {
				if !early || draft == nil {
					return 0, nil
				}
				return draft()
			})
			if err != nil {
				return err
			}
			defer release()
			return w.commit(ctx, urns, fn)
		})
		if !errors.Is(err, errOutside) {
			return catalog.StoreFailure(err)
		}
		if early = true; tries >= outsideTries {
			break
		}
	}
	return catalog.Errorf(catalog.Busy, "others keep writing the same entities; nothing was changed, try again")
}

// A value as a tree takes many times the memory of its text. So only a few
// requests prepare values at a time, and even fewer hold large ones until the
// store is done.
const (
	draftsAtOnce = 4
	largeAtOnce  = 2
)

// gates bound how many requests prepare values at a time.
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

// workOut does the work of a request outside its transaction, if needed: what
// its last transaction asked for, and draft, which returns how many bytes of
// values it processed. Call release when the store is done with the results.
func (w *Writer) workOut(ctx context.Context, j *job, needed bool, draft func() (int, error)) (release func(), err error) {
	release = func() {}
	if !needed {
		return release, nil
	}
	leave, err := enter(ctx, w.gates.drafts)
	if err != nil {
		return nil, err
	}
	defer leave()
	asked, err := j.doWanted()
	if err != nil {
		return nil, err
	}
	size, err := draft()
	if err == nil && (asked || size > insideBytes) {
		release, err = enter(ctx, w.gates.large)
	}
	return release, err
}

// inTurn runs step while others may write the same entities, or alone.
func (w *Writer) inTurn(ctx context.Context, urns []string, alone bool, step func() error) error {
	mode := turns.Shared
	if alone {
		mode = turns.Alone
	}
	end, err := w.turns.Take(ctx, mode, urns...)
	if errors.Is(err, turns.ErrBusy) {
		return graphstore.ErrBusy
	}
	if err != nil {
		return err
	}
	defer end()
	return step()
}

func newTurns() *turns.Turns { return turns.New(limits.MaxQueuedWrites, limits.MaxQueuedWriteTime) }

// transition is the change of an aspect from one value to another. A value is
// nil when there is none.
type transition struct {
	before, after []byte
	former, value *model.Value
	// equal: both values are the same.
	equal bool
	edges edgeDiff
}

// is reports whether the transition is the one between two texts.
func (t *transition) is(before, after []byte) bool {
	return t != nil && sameText(t.before, before) && sameText(t.after, after)
}

func sameText(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// transitionTo computes the transition from a stored value to another one.
func (w *Writer) transitionTo(ch *change, before []byte, value *model.Value) (*transition, error) {
	t := &transition{before: before, value: value}
	if value != nil {
		t.after = value.JSON
	}
	if before != nil && value != nil && bytes.Equal(before, value.JSON) {
		t.equal = true
		return t, nil
	}
	if before != nil {
		var err error
		if t.former, err = w.Registry().ParseStored(ch.aspect.Name, before); err != nil {
			return nil, err
		}
		if t.equal = value != nil && t.former.Equal(value); t.equal {
			return t, nil
		}
	}
	t.edges = w.diffEdges(ch, t.former, value)
	return t, nil
}

// draft is a change that was prepared for the value that its aspect had.
type draft struct {
	before []byte
	// value is the result of a patch or an edit, err why there is none.
	value      *model.Value
	err        error
	transition *transition
	// refused is why a transaction has refused this change of the same value. Those
	// drafted after it are then drafted without it.
	refused error
}

// size returns how many bytes of text the draft processed.
func (d *draft) size() int {
	if d.transition == nil {
		return len(d.before)
	}
	return len(d.transition.before) + len(d.transition.after)
}

// fits reports whether a draft is for the latest version.
func (d *draft) fits(latest *graphstore.Aspect) bool {
	return d != nil && sameText(d.before, textOf(latest))
}

// refuse notes in the draft of a change, if it has one, that the rules for its value
// refuse it.
func (ch *change) refuse(err error) error {
	if ch.draft != nil && catalog.CodeOf(err) != catalog.Internal {
		ch.draft.refused = err
	}
	return err
}

// textOf returns the text of a version, nil when there is none.
func textOf(a *graphstore.Aspect) []byte {
	if a == nil {
		return nil
	}
	return a.Value
}

// early reports whether changes should be drafted before the first try.
func early(changes []*change) bool {
	size := 0
	for _, ch := range changes {
		switch {
		case ch.kind == editing, ch.kind == Patch && !ch.patch.Small():
			return true
		case ch.value != nil && !ch.aspect.TimeSeries:
			size += len(ch.value.JSON)
		}
	}
	return size > insideBytes
}

// draftAll drafts changes one after the other, each on the result of the one
// before, all with one time. It returns how many bytes of values it processed.
func (w *Writer) draftAll(ctx context.Context, changes []*change, actor string, whole bool) (bytes int, err error) {
	var names []string
	for _, ch := range changes {
		names = append(names, ch.aspect.Name)
		if ch.kind == CreateEntity {
			names = append(names, ch.entity.KeyAspect)
		}
	}
	slices.Sort(names)
	stored, err := w.store.LatestAspects(ctx, urnsOf(changes), slices.Compact(names))
	if err != nil {
		return 0, err
	}
	latest := map[graphstore.AspectKey]*graphstore.Aspect{}
	for urn, aspects := range stored {
		for i := range aspects {
			latest[graphstore.AspectKey{URN: urn, Name: aspects[i].Name}] = &aspects[i]
		}
	}
	existed := map[string]bool{}
	for _, ch := range changes {
		existed[ch.urn.String()] = latest[ch.keyAspect()] != nil
	}
	by := catalog.AuditStamp{Time: w.now().UnixMilli(), Actor: actor}
	for _, ch := range changes {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if ch.aspect.TimeSeries {
			continue
		}
		if leftOut, err := ch.admit(latest[ch.aspectKey()], existed[ch.urn.String()]); leftOut || err != nil {
			continue // the transaction finds the same, or works on other values
		}
		if !whole { // each change is a request of its own
			existed[ch.urn.String()] = true
		}
		if ch.kind == Delete && ch.aspect.IsKey {
			existed[ch.urn.String()] = false
			for key := range latest {
				if key.URN == ch.urn.String() {
					delete(latest, key)
				}
			}
			continue
		}
		if err := w.draftOne(ch, latest, by); err != nil {
			return 0, err
		}
		bytes += ch.draft.size()
	}
	return bytes, nil
}

// draftOne drafts a change and puts the result into latest.
func (w *Writer) draftOne(ch *change, latest map[graphstore.AspectKey]*graphstore.Aspect, by catalog.AuditStamp) error {
	key := ch.aspectKey()
	d := &draft{before: textOf(latest[key])}
	if ch.draft != nil && ch.draft.refused != nil && sameText(ch.draft.before, d.before) {
		return nil
	}
	ch.draft = d
	removes := ch.kind == Delete
	switch ch.kind {
	case Patch:
		d.value, d.err = w.patched(ch, d.before, model.Stamp(by))
	case editing:
		d.value, d.err = w.edited(ch, latest[key], by)
		removes = ch.removedBy(d.err)
	default:
		if d.value = ch.value; ch.followsStored() {
			d.value, d.err = w.settled(ch, d.before)
		}
	}
	switch {
	case d.err != nil && catalog.CodeOf(d.err) == catalog.Internal && !errors.Is(d.err, ErrNothingLeft):
		return d.err
	case !removes && d.value == nil: // nothing will be written
		return nil
	}
	var err error
	if d.transition, err = w.transitionTo(ch, d.before, d.value); err != nil || d.transition.equal {
		return err
	}
	seq := int64(catalog.FirstVersion)
	if before := latest[key]; before != nil {
		seq = before.Seq + 1
	}
	delete(latest, key)
	if d.value != nil {
		latest[key] = &graphstore.Aspect{URN: key.URN, Name: key.Name, Seq: seq, Value: d.value.JSON, CreatedOn: by.Time}
	}
	return nil
}

// spend takes bytes from what this transaction may still process. It fails with
// errOutside when too little is left.
func (s *session) spend(bytes int) error {
	if s.inside -= bytes; s.inside < 0 {
		return errOutside
	}
	return nil
}

// transition returns the transition from the latest version to a value.
func (s *session) transition(ch *change, latest *graphstore.Aspect, value *model.Value) (*transition, error) {
	before, after := textOf(latest), []byte(nil)
	if value != nil {
		after = value.JSON
	}
	if ch.draft != nil && ch.draft.transition.is(before, after) {
		return ch.draft.transition, nil
	}
	if t := s.job.transitions[ch.aspectKey()]; t.is(before, after) {
		return t, nil
	}
	if before == nil || after == nil || !bytes.Equal(before, after) {
		if err := s.spend(len(before) + len(after)); err != nil {
			return nil, err
		}
	}
	return s.w.transitionTo(ch, before, value)
}

// parsed decodes stored versions, or asks for that to be done outside when they
// are too large.
func (s *session) parsed(stored []graphstore.Aspect) (map[string]*model.Value, error) {
	values, missing, size := map[string]*model.Value{}, stored[:0:0], 0
	for _, a := range stored {
		if v := s.job.parsed[graphstore.AspectKey{URN: a.URN, Name: a.Name}]; v != nil && bytes.Equal(v.JSON, a.Value) {
			values[a.Name] = v
			continue
		}
		missing = append(missing, a)
		size += len(a.Value)
	}
	parse := func(each func(graphstore.Aspect, *model.Value)) error {
		for _, a := range missing {
			v, err := s.w.Registry().ParseStored(a.Name, a.Value)
			if err != nil {
				return err
			}
			each(a, v)
		}
		return nil
	}
	if err := s.spend(size); err != nil {
		j := s.job
		j.wanted = append(j.wanted, func() error {
			return parse(func(a graphstore.Aspect, v *model.Value) {
				j.parsed[graphstore.AspectKey{URN: a.URN, Name: a.Name}] = v
			})
		})
		return nil, err
	}
	return values, parse(func(a graphstore.Aspect, v *model.Value) { values[a.Name] = v })
}
