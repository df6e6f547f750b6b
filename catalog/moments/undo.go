package moments

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// UndoRequest asks that one change of an aspect be taken back. Column, Member and Label select the
// part of the aspect that the change made, as in a [RestoreRequest]; without them, the part is all
// of the aspect.
type UndoRequest struct {
	URN    model.URN
	Aspect string
	// Made is the number of the version that the change made.
	Made           int64
	Column, Member string
	Label          model.URN
}

// Undo gives parts of aspects the values that they had before some changes: all of them or nothing.
// Undo fails with Precondition if one of the parts has been changed again since, and with Gone if a
// version that Undo needs is not kept any more.
func (s *Service) Undo(ctx context.Context, requests []UndoRequest, o catalog.WriteOptions) error {
	if err := s.writer.RequireWritableUnless(ctx, false); err != nil {
		return err
	}
	if err := catalog.TooMany("changes to undo", len(requests), write.MaxEdits); err != nil {
		return err
	}
	edits := make([]write.Edit, len(requests))
	for i := range requests {
		edits[i] = asked(&requests[i])
	}
	// The caller's rights come first, so that an error does not tell of things that they may not see.
	if err := s.writer.RequirePermitted(ctx, edits); err != nil {
		return err
	}
	for i := range requests {
		edit, err := s.undoing(ctx, &requests[i])
		if err != nil {
			return err
		}
		edits[i] = *edit
	}
	return s.writer.Edit(ctx, edits, o)
}

// asked returns the edit that a request asks for, as far as the request tells.
func asked(r *UndoRequest) write.Edit {
	edit := write.Edit{URN: r.URN, Aspect: r.Aspect, OrDelete: true, Privileges: privilegesOf(r)}
	if isLabel(r.Label) {
		edit.Labels = []model.URN{r.Label}
	}
	return edit
}

func isLabel(u model.URN) bool {
	return u.EntityType() == model.EntityTag || u.EntityType() == model.EntityGlossaryTerm
}

// undoing returns the edit that takes back a change.
func (s *Service) undoing(ctx context.Context, r *UndoRequest) (*write.Edit, error) {
	if r.Made < 1 {
		return nil, catalog.Errorf(catalog.Invalid, "the number of a version is 1 or more, not %d", r.Made)
	}
	part, err := s.settle(&RestoreRequest{URN: r.URN, Version: &r.Made, Aspects: []string{r.Aspect}, Column: r.Column, Member: r.Member, Label: r.Label})
	if err != nil {
		return nil, err
	}
	made, was, err := s.whole.madeOf(ctx, r)
	if err != nil {
		return nil, err
	}
	edit := asked(r)
	if edit.Labels, err = movedLabels(r, made, was); err != nil {
		return nil, err
	}
	edit.Change = func(value catalog.Tree, _ catalog.AuditStamp) error {
		after, err := undone(value, made, was, part)
		switch {
		case err != nil:
			return err
		case after == nil:
			return changedAgain(r)
		case len(after) == 0:
			return write.ErrNothingLeft
		}
		clear(value)
		maps.Copy(value, after)
		return nil
	}
	return &edit, nil
}

func changedAgain(r *UndoRequest) error {
	return catalog.Errorf(catalog.Precondition, "%s of %s has been changed again since; undoing would overwrite that change", r.Aspect, r.URN)
}

// madeOf reads the value that a change made and the value before it, which is nil if there was none.
func (v view) madeOf(ctx context.Context, r *UndoRequest) (made, was json.RawMessage, err error) {
	now, err := v.latest(ctx, r.URN)
	if err != nil {
		return nil, nil, err
	}
	latest := now[r.Aspect]
	version := latest
	switch {
	case latest == nil:
		return nil, nil, changedAgain(r)
	case latest.Seq < r.Made:
		return nil, nil, catalog.Errorf(catalog.NotFound, "%s of %s has no version %d yet", r.Aspect, r.URN, r.Made)
	case latest.Seq != r.Made:
		if version, err = v.storedVersion(ctx, r, r.Made); err != nil {
			return nil, nil, err
		}
	}
	if r.Made == catalog.FirstVersion || catalog.StartsAgain(version) {
		return version.Value, nil, nil
	}
	former, err := v.storedVersion(ctx, r, r.Made-1)
	if err != nil {
		return nil, nil, err
	}
	return version.Value, former.Value, nil
}

func (v view) storedVersion(ctx context.Context, r *UndoRequest, version int64) (*graphstore.Aspect, error) {
	a, ok, err := v.store.AspectVersion(ctx, graphstore.AspectKey{URN: r.URN.String(), Name: r.Aspect}, version)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	if !ok {
		return nil, catalog.Errorf(catalog.Gone, "version %d of %s of %s is not kept any more, so the change cannot be undone", version, r.Aspect, r.URN)
	}
	return &a, nil
}

// undone returns a value with a change taken back, an empty tree if nothing is left of it, and nil if
// the part that the change made has changed again. If nothing of the aspect has changed since, it
// becomes exactly the former value, without traces such as an empty list.
func undone(value catalog.Tree, made, was json.RawMessage, part part) (catalog.Tree, error) {
	now, err := jsontree.Encode(value)
	if err != nil {
		return nil, catalog.Errorf(catalog.Internal, "a value to undo: %w", err)
	}
	if same, err := sameValues(now, made); err != nil {
		return nil, err
	} else if same {
		part = wholeValue
	}
	restored, err := part.restored(now, made)
	if err != nil {
		return nil, err
	}
	if same, err := sameValues(now, restored); err != nil || !same {
		return nil, err
	}
	after, err := part.restored(now, was)
	if err != nil || after == nil {
		return catalog.Tree{}, err
	}
	return catalog.TreeOf(after)
}

// privilegesOf returns the privileges that permit undoing an edit of a part that has a privilege of its own: the privilege
// of the edit. Parts that sources state need the right to write the whole aspect.
func privilegesOf(r *UndoRequest) []string {
	if !strings.HasPrefix(r.Aspect, "editable") {
		return nil
	}
	described := r.Member == "description"
	switch {
	case r.Column == "" && described:
		return []string{permission.PrivilegeDescribe}
	case r.Column != "" && described:
		return []string{permission.PrivilegeDescribeColumns}
	case r.Column != "" && r.Label.EntityType() == model.EntityTag:
		return []string{permission.PrivilegeTagColumns}
	case r.Column != "" && r.Label.EntityType() == model.EntityGlossaryTerm:
		return []string{permission.PrivilegeTermColumns}
	}
	return nil
}

// movedLabels returns the tags and terms that an undone change had added or removed.
func movedLabels(r *UndoRequest, made, was json.RawMessage) ([]model.URN, error) {
	if isLabel(r.Label) {
		return []model.URN{r.Label}, nil
	}
	var lists [2][]string
	for _, kind := range []string{model.EntityTag, model.EntityGlossaryTerm} {
		place := labels[kind]
		if place.aspect != r.Aspect {
			continue
		}
		for i, value := range []json.RawMessage{made, was} {
			if value == nil {
				continue
			}
			tree, err := catalog.TreeOf(value)
			if err != nil {
				return nil, err
			}
			for _, item := range jsontree.Items(tree, place.list) {
				lists[i] = append(lists[i], jsontree.Text(item, place.member))
			}
		}
	}
	var moved []model.URN
	for i := range lists {
		for _, label := range lists[i] {
			if !slices.Contains(lists[1-i], label) {
				moved = append(moved, model.StoredURN(label))
			}
		}
	}
	return moved, nil
}
