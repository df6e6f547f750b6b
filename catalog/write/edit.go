package write

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Edit asks for a change of one aspect of an entity that exists.
type Edit struct {
	URN    model.URN
	Aspect string
	// Change turns the latest value into the new one, in place. It gets an empty value if none is
	// stored, and may run more than once. If none was stored and the value stays empty, nothing is
	// written.
	Change func(value catalog.Tree, by catalog.AuditStamp) error
	// OrDelete deletes the aspect when its value is no longer valid, or when
	// Change reports that nothing is left.
	OrDelete bool
	// Privileges together permit the edit, besides the privileges that permit every change of the
	// entity. Without any, the privileges of the aspect permit it.
	Privileges []string
	// Labels are the tags and terms that the edit adds or removes.
	Labels []model.URN
	// RunID is the ID of the run of the edit, "" for none.
	RunID string
	// Instead, if not empty, are questions about other entities: a caller for whom all answers are yes may
	// make the edit too.
	Instead []permission.Question
}

// ErrNothingLeft is returned by a Change to report that the aspect may be
// deleted.
var ErrNothingLeft = errors.New("nothing is left of the aspect")

// MaxEdits bounds the edits of one request.
const MaxEdits = limits.MaxEdits

// UserInterface marks writes that a person made by hand.
var UserInterface = map[string]string{"appSource": "ui"}

// editing is the change type of edits within this package.
const editing = "EDIT"

// Edit applies edits, all of them or none. Edit fails if one of the entities does not exist.
func (w *Writer) Edit(ctx context.Context, edits []Edit, o catalog.WriteOptions) error {
	return w.EditWith(ctx, edits, UserInterface, o)
}

// EditWith applies edits with some properties in their system metadata.
func (w *Writer) EditWith(ctx context.Context, edits []Edit, properties map[string]string, o catalog.WriteOptions) error {
	changes, err := w.editChanges(edits, properties)
	if err != nil {
		return err
	}
	return w.together(ctx, changes, o)
}

// Editor edits and creates entities, as [Writer] does.
type Editor interface {
	Create(ctx context.Context, urn model.URN, aspects map[string]catalog.Tree, o catalog.WriteOptions) error
	Edit(ctx context.Context, edits []Edit, o catalog.WriteOptions) error
	Exists(ctx context.Context, u model.URN) (bool, error)
}

// EditOrCreate applies edits of different aspects of one entity. If the entity does not exist, EditOrCreate creates it
// with the aspects that the edits make of empty values, with the stamp by.
func EditOrCreate(ctx context.Context, w Editor, edits []Edit, by catalog.AuditStamp, o catalog.WriteOptions) error {
	urn := edits[0].URN
	exists, err := w.Exists(ctx, urn)
	if err != nil {
		return err
	}
	if !exists {
		aspects := make(map[string]catalog.Tree, len(edits))
		for _, e := range edits {
			value := catalog.Tree{}
			if err := e.Change(value, by); err != nil {
				return err
			}
			aspects[e.Aspect] = value
		}
		// Another request may have made the entity at the same time.
		if err := w.Create(ctx, urn, aspects, o); catalog.CodeOf(err) != catalog.Conflict {
			return err
		}
	}
	return w.Edit(ctx, edits, o)
}

// EditOrTry is Edit, and also reports whether something changed. A dry run computes the new values
// from the latest ones and writes nothing. Of each Change, the last call counts.
func (w *Writer) EditOrTry(ctx context.Context, edits []Edit, dryRun bool, o catalog.WriteOptions) (changed bool, err error) {
	changes, err := w.editChanges(edits, UserInterface)
	if err != nil || len(changes) == 0 {
		return false, err
	}
	if dryRun {
		if err := w.firstRefusal(ctx, wantsOf(changes)); err != nil {
			return false, err
		}
		return w.tryEdits(ctx, changes, o)
	}
	outcomes, err := w.allOrNone(ctx, changes, o)
	return slices.ContainsFunc(outcomes, func(one outcome) bool { return one.changed }), err
}

// editChanges makes the changes of edits.
func (w *Writer) editChanges(edits []Edit, properties map[string]string) ([]*change, error) {
	if len(edits) > MaxEdits {
		return nil, catalog.Errorf(catalog.Invalid, "%d changes in one request, at most %d are allowed", len(edits), MaxEdits)
	}
	changes := make([]*change, len(edits))
	for i, e := range edits {
		entity, err := w.EntityType(e.URN.EntityType())
		if err != nil {
			return nil, err
		}
		d, _ := w.Registry().DialectOf(e.URN)
		aspect, ok := w.Registry().Aspect(e.Aspect)
		if !ok || !entity.Has(e.Aspect) {
			return nil, catalog.Errorf(catalog.Invalid, "Unknown aspect %s for entity %s", e.Aspect, entity.Name)
		}
		changes[i] = &change{
			kind: editing, urn: e.URN, dialect: d, entity: entity, aspect: aspect, edit: &edits[i],
			system: w.systemMetadata(&catalog.SystemMetadata{Properties: properties, RunID: e.RunID}),
		}
	}
	return changes, nil
}

// tryEdits drafts edits, fails as writing them would, and reports whether something would
// change.
func (w *Writer) tryEdits(ctx context.Context, changes []*change, o catalog.WriteOptions) (changed bool, err error) {
	urns := make([]model.URN, len(changes))
	for i, ch := range changes {
		urns[i] = ch.urn
	}
	existing, err := w.Existing(ctx, catalog.Distinct(urns))
	if err != nil {
		return false, err
	}
	for _, urn := range urns {
		if !existing[urn] {
			return false, missing(urn.String())
		}
	}
	a := attemptOf(changes, o)
	a.whole, a.drafting = true, true
	release, err := w.workOutside(ctx, a)
	if err != nil {
		return false, catalog.StoreFailure(err)
	}
	defer release()
	for _, ch := range changes {
		if err := ch.draft.err; err != nil && !ch.removedBy(err) {
			return false, err
		}
		if t := ch.draft.transition; t != nil && !t.equal && (t.before != nil || t.after != nil) {
			changed = true
		}
	}
	return changed, nil
}

// Create writes the aspects of an entity that must not exist yet.
func (w *Writer) Create(ctx context.Context, urn model.URN, aspects map[string]catalog.Tree, o catalog.WriteOptions) error {
	nodes, err := w.store.Entities(ctx, []string{urn.String()}) // also if the caller may not see the entity
	if err != nil {
		return catalog.StoreFailure(err)
	}
	if len(nodes) > 0 && nodes[0].Exists {
		return catalog.Errorf(catalog.Conflict, "%s exists already", urn)
	}
	var changes []*change
	for name, value := range aspects {
		text, err := json.Marshal(value)
		if err != nil {
			return catalog.Errorf(catalog.Internal, "%s: %w", name, err)
		}
		ch, err := w.changeAbout(urn, &Proposal{
			ChangeType: Create, AspectName: name,
			Aspect: &GenericAspect{Value: text, ContentType: "application/json"},
			System: &catalog.SystemMetadata{Properties: UserInterface},
		})
		if err != nil {
			return err
		}
		changes = append(changes, ch)
	}
	err = w.together(ctx, changes, o)
	if catalog.CodeOf(err) == catalog.Precondition { // another request has just made the entity
		return catalog.Errorf(catalog.Conflict, "%s exists already", urn)
	}
	return err
}

// edited applies an edit to the latest value. It returns nil when nothing needs
// to be written.
func (w *Writer) edited(ch *change, latest *graphstore.Aspect, by catalog.AuditStamp) (*model.Value, error) {
	value := catalog.Tree{}
	if latest != nil {
		var err error
		if value, err = catalog.TreeOf(latest.Value); err != nil {
			return nil, err
		}
	}
	if err := ch.edit.Change(value, by); err != nil {
		return nil, err
	}
	if latest == nil && len(value) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", ch.aspect.Name, ch.urn, err)
	}
	if err := w.checkSize(ch, text); err != nil {
		return nil, err
	}
	return w.parseFor(ch, textOf(latest), text)
}

// applyEdit applies an edit to an entity that exists.
func (s *session) applyEdit(ch *change) (changed bool, err error) {
	state := s.states[ch.aspectKey()]
	if s.states[ch.keyAspect()].Latest == nil {
		return false, missing(ch.urn.String())
	}
	if !ch.draft.fits(state.Latest) {
		return false, s.lacks
	}
	value, err := ch.draft.value, ch.draft.err
	switch {
	case ch.removedBy(err):
		return s.delete(ch)
	case err != nil:
		return false, err
	case value == nil:
		return false, nil
	}
	if changed, err = s.put(ch, value); err != nil {
		return false, err
	}
	return changed, s.addDefaults(ch)
}

// removedBy reports whether an edit that ended with an error deletes its aspect.
func (ch *change) removedBy(err error) bool {
	return ch.edit.OrDelete && (catalog.CodeOf(err) == catalog.Validation || errors.Is(err, ErrNothingLeft))
}

// missing is the error for a change of an entity that does not exist.
func missing(urn string) error {
	return catalog.Errorf(catalog.Invalid, "Failed to update %s. %s does not exist.", urn, urn)
}

// RequireExisting fails unless all the entities exist.
func (w *Writer) RequireExisting(ctx context.Context, urns ...model.URN) error {
	existing, err := w.Existing(ctx, catalog.Distinct(urns))
	if err != nil {
		return err
	}
	for _, urn := range urns {
		if !existing[urn] {
			return catalog.Errorf(catalog.Invalid, "%s does not exist.", urn)
		}
	}
	return nil
}

// Replace returns an edit that replaces the latest value.
func Replace(urn model.URN, aspect string, value func(by catalog.AuditStamp) catalog.Tree) Edit {
	return Edit{URN: urn, Aspect: aspect, Change: func(tree catalog.Tree, by catalog.AuditStamp) error {
		clear(tree)
		for name, member := range value(by) {
			tree[name] = member
		}
		return nil
	}}
}
