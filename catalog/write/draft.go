package write

import (
	"context"
	"errors"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// draft is the result of a change for one stored value of its aspect, before.
type draft struct {
	before []byte
	// value is the new value. If there is none, err says why.
	value      *model.Value
	err        error
	transition *transition
	// refused is the error with which a transaction refused this change of the same stored value.
	// Later changes of the attempt are drafted as if this one did not exist.
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

// refuse notes in the draft of a change that the rules refuse its value. A change without a draft
// notes nothing.
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

// draftAll drafts the changes of an attempt one after the other, each on the result of the one
// before, all with one time. It returns how many bytes of values it processed.
func (w *Writer) draftAll(ctx context.Context, a *attempt) (bytes int, err error) {
	changes, names := a.changes, []string(nil)
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
	by := catalog.AuditStamp{Time: w.now().UnixMilli(), Actor: a.actor}
	for _, ch := range changes {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if ch.aspect.TimeSeries {
			continue
		}
		if leftOut, err := ch.admit(latest[ch.aspectKey()], existed[ch.urn.String()]); leftOut || err != nil {
			continue // the transaction comes to the same result, or finds another stored value
		}
		if !a.whole { // each change is a request of its own
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
