package edits

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// requireFound fails when an entity is of another type, or does not exist.
func (s *Service) requireFound(ctx context.Context, urn model.URN, entityType string) error {
	if err := catalog.RequireType(urn, entityType); err != nil {
		return err
	}
	exists, err := s.writer.Exists(ctx, urn)
	if err != nil {
		return err
	}
	if !exists {
		return catalog.Errorf(catalog.NotFound, "%s does not exist.", urn)
	}
	return nil
}

// requireExisting fails when an entity to which a request refers is of another type, or does
// not exist.
func (s *Service) requireExisting(ctx context.Context, urn model.URN, entityType string) error {
	if err := catalog.RequireType(urn, entityType); err != nil {
		return err
	}
	return s.writer.RequireExisting(ctx, urn)
}

// editKnown edits aspects of an entity, all or none. The entity must exist and have the given
// type.
func (s *Service) editKnown(ctx context.Context, urn model.URN, entityType string, edits []write.Edit, o catalog.WriteOptions) error {
	if err := s.requireFound(ctx, urn, entityType); err != nil {
		return err
	}
	return s.writer.Edit(ctx, edits, o)
}

// editStated edits an aspect that must be stored before, because the edit alone would not make
// a valid value.
func editStated(urn model.URN, aspect string, change func(value catalog.Tree, by catalog.AuditStamp)) write.Edit {
	return write.Edit{URN: urn, Aspect: aspect, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
		if len(value) == 0 {
			return catalog.Errorf(catalog.Invalid, "Failed to update %s. It has no %s.", urn, aspect)
		}
		change(value, by)
		return nil
	}}
}

// editOrMake edits an aspect, and creates the entity when it does not exist.
func (s *Service) editOrMake(ctx context.Context, e write.Edit, o catalog.WriteOptions) error {
	_, actor := s.dialectOfActor(o.Actor)
	by := catalog.AuditStamp{Time: s.now().UnixMilli(), Actor: actor.String()}
	return write.EditOrCreate(ctx, s.writer, []write.Edit{e}, by, o)
}

// setTexts sets the members that are given.
func setTexts(value catalog.Tree, texts map[string]*string) {
	for name, text := range texts {
		if text != nil {
			value[name] = *text
		}
	}
}

// requireName fails when a name is empty.
func requireName(name *string) error {
	if name != nil && strings.TrimSpace(*name) == "" {
		return catalog.Errorf(catalog.Invalid, "a name must not be empty")
	}
	return nil
}

// requireLive fails unless all the entities exist and none is soft-deleted.
func (s *Service) requireLive(ctx context.Context, urns ...model.URN) error {
	if len(urns) == 0 {
		return nil
	}
	if err := s.writer.RequireExisting(ctx, urns...); err != nil {
		return err
	}
	stored, err := s.store.LatestAspects(ctx, catalog.Texts(urns), []string{model.AspectStatus})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	for _, urn := range urns {
		for _, a := range stored[urn.String()] {
			status, err := catalog.TreeOf(a.Value)
			if err != nil {
				return err
			}
			if removed, _ := status["removed"].(bool); removed {
				return catalog.Errorf(catalog.Invalid, "%s is soft-deleted; restore it first.", urn)
			}
		}
	}
	return nil
}

// requireLiveOf fails unless all the entities are of one of the types, exist and are not
// soft-deleted. It returns each entity once.
func (s *Service) requireLiveOf(ctx context.Context, what string, urns []model.URN, types ...string) ([]model.URN, error) {
	if err := catalog.TooMany(what, len(urns), write.MaxEdits); err != nil {
		return nil, err
	}
	if len(types) > 0 {
		if _, err := catalog.AllOfType(urns, types...); err != nil {
			return nil, err
		}
	}
	urns = catalog.Distinct(urns)
	return urns, s.requireLive(ctx, urns...)
}

// editLive edits aspects of an entity, all or none. The entity must exist, have the given type
// and not be soft-deleted.
func (s *Service) editLive(ctx context.Context, urn model.URN, entityType string, edits []write.Edit, o catalog.WriteOptions) error {
	if err := s.requireFound(ctx, urn, entityType); err != nil {
		return err
	}
	if err := s.requireLive(ctx, urn); err != nil {
		return err
	}
	return s.writer.Edit(ctx, edits, o)
}

// setOrDrop sets a list. An empty list is deleted.
func setOrDrop(value catalog.Tree, name string, items []any) {
	if len(items) == 0 {
		delete(value, name)
		return
	}
	value[name] = items
}
