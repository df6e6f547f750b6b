package write

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// Want is a write that a caller wants to make.
type Want struct {
	URN    model.URN
	Aspect string
	Kind   WantKind
	// Privileges together permit an edit, besides the privileges that permit every change of the
	// entity; without any, the privileges of the aspect permit it.
	Privileges []string
	// Labels are the tags and terms that the write adds or removes, if it is an edit of them.
	Labels []model.URN
	// Instead is Instead of [Edit].
	Instead []permission.Question
	// Value is the new value of an aspect, nil if it is not known before the write.
	Value catalog.Tree
	// Patch is the patch of an aspect, nil for other writes.
	Patch *model.Operations
	// Edit: the change is an edit, which the rules of an operation have made, and not a value that the
	// caller has sent.
	Edit bool
}

// WantKind is a kind of write.
type WantKind string

// The kinds of writes. Creates writes an entity or an aspect that must not exist yet; Deletes is the
// deletion of an aspect or, of a key aspect, of its entity.
const (
	Creates WantKind = "create"
	Changes WantKind = "change"
	Deletes WantKind = "delete"
)

// Protect decides which writes the caller of a context may make. It returns the refusal of each want, or nil
// if everything is permitted.
type Protect func(ctx context.Context, wants []Want) []error

// protects asks [Options.Protect]. Work of the server itself is never refused.
func (w *Writer) protects(ctx context.Context, wants []Want) []error {
	own, _ := ctx.Value(ownWorkKey{}).(bool)
	behalf, _ := ctx.Value(onBehalfKey{}).(bool)
	if own && !behalf || w.protect == nil || len(wants) == 0 {
		return nil
	}
	return w.protect(ctx, wants)
}

type onBehalfKey struct{}

// OnBehalfOf returns the context of work of the server itself that the caller of a request has started: its
// writes are judged like writes of the caller. A server without authentication judges no writes.
func OnBehalfOf(own, request context.Context) context.Context {
	own = requestinfo.WithCaller(own, requestinfo.CallerOf(request))
	return context.WithValue(permission.With(own, permission.Of(request)), onBehalfKey{}, true)
}

// protectChanges refuses the changes that the caller may not make.
func (w *Writer) protectChanges(ctx context.Context, changes []*change) {
	for i, refusal := range w.protects(ctx, wantsOf(changes)) {
		changes[i].refused = refusal
	}
}

// wantsOf returns the wants of changes.
func wantsOf(changes []*change) []Want {
	wants := make([]Want, len(changes))
	for i, ch := range changes {
		wants[i] = ch.want()
	}
	return wants
}

// want returns the want of a change.
func (ch *change) want() Want {
	w := Want{URN: ch.urn, Aspect: ch.aspect.Name, Kind: Changes, Patch: ch.patch}
	if ch.value != nil {
		w.Value = ch.value.Tree
	}
	switch {
	case ch.edit != nil:
		w.Edit, w.Privileges, w.Labels, w.Instead = true, ch.edit.Privileges, ch.edit.Labels, ch.edit.Instead
	case ch.kind == Create || ch.kind == CreateEntity:
		w.Kind = Creates
	case ch.kind == Delete:
		w.Kind = Deletes
	}
	return w
}

// Refusals returns the refusals of [Options.Protect] for wants that were not sent yet, for pages that offer
// edits.
func (w *Writer) Refusals(ctx context.Context, wants []Want) []error { return w.protects(ctx, wants) }

// firstRefusal returns the first refusal of wants.
func (w *Writer) firstRefusal(ctx context.Context, wants []Want) error {
	refusals := w.protects(ctx, wants)
	if i := slices.IndexFunc(refusals, func(err error) bool { return err != nil }); i >= 0 {
		return refusals[i]
	}
	return nil
}

// RequirePermitted fails with Forbidden unless the caller may make edits.
func (w *Writer) RequirePermitted(ctx context.Context, edits []Edit) error {
	changes, err := w.editChanges(edits, nil)
	if err != nil {
		return err
	}
	return w.firstRefusal(ctx, wantsOf(changes))
}

// RequireIngestible fails with Forbidden unless the caller may write proposals.
func (w *Writer) RequireIngestible(ctx context.Context, proposals []Proposal) error {
	wants := make([]Want, len(proposals))
	for i := range proposals {
		ch, err := w.changeOf(&proposals[i], catalog.WriteOptions{})
		if err != nil {
			return err
		}
		wants[i] = ch.want()
	}
	return w.firstRefusal(ctx, wants)
}

// RequireDeletable fails with Forbidden unless the caller may delete entities.
func (w *Writer) RequireDeletable(ctx context.Context, urns []model.URN) error {
	wants := make([]Want, len(urns))
	for i, u := range urns {
		wants[i] = Want{URN: u, Kind: Deletes}
		if entity, ok := w.Registry().Entity(u.EntityType()); ok {
			wants[i].Aspect = entity.KeyAspect
		}
	}
	return w.firstRefusal(ctx, wants)
}

// protectHistories returns the first refusal of an import.
func (w *Writer) protectHistories(ctx context.Context, histories []*History) error {
	var wants []Want
	for _, h := range histories {
		for i := range h.Versions {
			wants = append(wants, Want{URN: h.URN, Aspect: h.Versions[i].Name, Kind: Changes})
		}
	}
	return w.firstRefusal(ctx, wants)
}

// protectRows returns the first refusal of a rollback.
func (w *Writer) protectRows(ctx context.Context, entities []EntityRows) error {
	var wants []Want
	for _, e := range entities {
		for i := range e.Rows {
			wants = append(wants, Want{URN: model.StoredURN(e.URN), Aspect: e.Rows[i].Aspect, Kind: Changes})
		}
	}
	return w.firstRefusal(ctx, wants)
}
