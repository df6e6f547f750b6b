package edits

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// SetDomain puts entities into a domain; the zero URN removes each entity from its domain.
func (s *Service) SetDomain(ctx context.Context, domain model.URN, urns []model.URN, o catalog.WriteOptions) error {
	if !domain.IsZero() {
		if err := s.requireExisting(ctx, domain, model.EntityDomain); err != nil {
			return err
		}
	}
	edits := make([]write.Edit, len(urns))
	for i, urn := range urns {
		edits[i] = domainEdit(urn, domain)
	}
	return s.writer.Edit(ctx, edits, o)
}

// domainEdit returns the edit that puts an entity into a domain; the zero URN removes the
// entity from its domain.
func domainEdit(urn, domain model.URN) write.Edit {
	return write.Edit{URN: urn, Aspect: model.AspectDomains, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		if domain.IsZero() && len(value) == 0 {
			return nil // the entity is in no domain
		}
		clear(value)
		value["domains"] = []any{}
		if !domain.IsZero() {
			value["domains"] = []any{domain.String()}
		}
		return nil
	}}
}

// Deprecation says whether and why an entity should no longer be used.
type Deprecation struct {
	Deprecated bool
	// DecommissionTime is the time at which the entity will be removed, in epoch milliseconds.
	DecommissionTime *int64
	Note             string
}

// SetDeprecation deprecates entities, or ends their deprecation.
func (s *Service) SetDeprecation(ctx context.Context, d Deprecation, urns []model.URN, o catalog.WriteOptions) error {
	edits := make([]write.Edit, len(urns))
	for i, urn := range urns {
		edits[i] = write.Replace(urn, model.AspectDeprecation, func(by catalog.AuditStamp) catalog.Tree { return d.tree(by) })
	}
	return s.writer.Edit(ctx, edits, o)
}

// SetRemoved soft-deletes entities, or restores soft-deleted ones.
func (s *Service) SetRemoved(ctx context.Context, removed bool, urns []model.URN, o catalog.WriteOptions) error {
	edits := make([]write.Edit, len(urns))
	for i, urn := range urns {
		edits[i] = editRemoved(urn, removed)
	}
	return s.writer.Edit(ctx, edits, o)
}

// SetDescription sets the description that people write of an entity, or of a column of a
// dataset. The text is stored byte for byte.
func (s *Service) SetDescription(ctx context.Context, r Resource, description string, o catalog.WriteOptions) error {
	if r.URN.EntityType() != model.EntityDataset {
		r.Field = "" // for other types, the interface ignores the field
	}
	if err := s.requireFields(ctx, []Resource{r}); err != nil {
		return err
	}
	edit, err := descriptionEdit(r, func(tree catalog.Tree, at model.Member) { tree[at.Name] = description })
	if err != nil {
		return err
	}
	return s.writer.Edit(ctx, []write.Edit{edit}, o)
}

// descriptionEdit returns the edit of the description that people write of a resource. set changes
// the member of the tree that has the description.
func descriptionEdit(r Resource, set func(tree catalog.Tree, at model.Member)) (write.Edit, error) {
	if r.Field != "" {
		edit := editField(r, func(entry catalog.Tree, _ catalog.AuditStamp) { set(entry, model.Member{Name: "description"}) })
		edit.Privileges = []string{describeColumns}
		return edit, nil
	}
	at, ok := model.DescriptionOf(r.URN.EntityType())
	if !ok {
		return write.Edit{}, catalog.Errorf(catalog.Invalid, "the description of a %s cannot be set in this way", r.URN.EntityType())
	}
	edit := editMember(r.URN, at, func(tree catalog.Tree) { set(tree, at) })
	edit.Privileges = []string{describe}
	return edit, nil
}

// setMember sets a member of an aspect.
func setMember(u model.URN, m model.Member, value any) write.Edit {
	return editMember(u, m, func(tree catalog.Tree) { tree[m.Name] = value })
}

// editMember edits a member of an aspect.
func editMember(u model.URN, m model.Member, change func(tree catalog.Tree)) write.Edit {
	return write.Edit{URN: u, Aspect: m.Aspect, Change: func(tree catalog.Tree, _ catalog.AuditStamp) error {
		if m.Stated && len(tree) == 0 {
			return catalog.Errorf(catalog.Invalid, "Failed to update %s. It has no %s.", u, m.Aspect)
		}
		change(tree)
		return nil
	}}
}

// SetName renames an entity.
func (s *Service) SetName(ctx context.Context, u model.URN, name string, o catalog.WriteOptions) error {
	at, ok := model.NameOf(u.EntityType())
	if !ok {
		return catalog.Errorf(catalog.Invalid, "a %s cannot be renamed", u.EntityType())
	}
	if name == "" {
		return catalog.Errorf(catalog.Invalid, "a name must not be empty")
	}
	if _, ok := model.GlossaryTypeOf(u.EntityType()); ok {
		parent, err := s.parent(ctx, u)
		if err != nil {
			return err
		}
		if err := s.requireFreeName(ctx, u, name, parent); err != nil {
			return err
		}
	}
	return s.writer.Edit(ctx, []write.Edit{setMember(u, at, name)}, o)
}

// SetTagColor sets the colour of a tag.
func (s *Service) SetTagColor(ctx context.Context, u model.URN, colour string, o catalog.WriteOptions) error {
	if u.EntityType() != model.EntityTag {
		return catalog.Errorf(catalog.Invalid, "%s is not a tag", u)
	}
	return s.writer.Edit(ctx, []write.Edit{{URN: u, Aspect: model.AspectTagProperties, Privileges: []string{colourTags}, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		if jsontree.Text(value, "name") == "" {
			value["name"] = u.Key()
		}
		value["colorHex"] = colour
		return nil
	}}}, o)
}
