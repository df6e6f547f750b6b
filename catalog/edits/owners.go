package edits

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// NewOwner names an owner.
type NewOwner struct {
	// URN is the URN of the owner. EntityType says whether the owner is a user ("corpuser") or
	// a group ("corpGroup"); "" allows both.
	URN        model.URN
	EntityType string
	// TypeURN is the kind of ownership. If it is zero, Type names a built-in kind, such as
	// TECHNICAL_OWNER; an empty Type stands for NONE.
	TypeURN model.URN
	Type    string
}

// systemOwnershipType is the prefix of the ids of the built-in kinds of
// ownership.
const systemOwnershipType = "__system__"

// AddOwners makes users and groups owners of entities. An owner has one entry for each kind of
// ownership.
func (s *Service) AddOwners(ctx context.Context, owners []NewOwner, resources []model.URN, o catalog.WriteOptions) error {
	for i := range owners {
		if err := s.checkOwner(ctx, &owners[i]); err != nil {
			return err
		}
	}
	return s.editOwners(ctx, owners, nil, resources, o)
}

// RemoveOwners removes owners from entities: the entries with one kind of ownership. If the
// kind is the zero URN, the entries with any kind are removed.
func (s *Service) RemoveOwners(ctx context.Context, owners []model.URN, typeURN model.URN, resources []model.URN, o catalog.WriteOptions) error {
	if !typeURN.IsZero() {
		if err := catalog.RequireType(typeURN, model.EntityOwnershipType); err != nil {
			return err
		}
	}
	gone := make([]NewOwner, len(owners))
	for i, owner := range owners {
		gone[i] = NewOwner{URN: owner, TypeURN: typeURN}
	}
	return s.editOwners(ctx, nil, gone, resources, o)
}

func (s *Service) editOwners(ctx context.Context, add, remove []NewOwner, resources []model.URN, o catalog.WriteOptions) error {
	edits := make([]write.Edit, len(resources))
	for i, urn := range resources {
		edits[i] = s.ownersEdit(urn, add, remove)
	}
	return s.writer.Edit(ctx, edits, o)
}

// ownersEdit returns the edit that adds and removes owners of an entity. If the entity has an
// entry with the same owner and kind, no entry is added. If an owner to remove has no kind, the
// entries with any kind are removed.
func (s *Service) ownersEdit(urn model.URN, add, remove []NewOwner) write.Edit {
	return write.Edit{URN: urn, Aspect: model.AspectOwnership, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
		before := jsontree.Items(value, "owners")
		lists := func(e catalog.Tree, owner *NewOwner, kind model.URN) bool {
			return s.names.SameURN(jsontree.Text(e, "owner"), owner.URN) && (kind.IsZero() || s.ofOwnershipType(e, kind))
		}
		after := slices.DeleteFunc(slices.Clone(before), func(e catalog.Tree) bool {
			return slices.ContainsFunc(remove, func(owner NewOwner) bool { return lists(e, &owner, owner.kind(urn.Namespace())) })
		})
		changed := len(after) < len(before)
		for i := range add {
			entry := add[i].entry(urn.Namespace())
			kind := model.StoredURN(jsontree.Text(entry, "typeUrn"))
			if !slices.ContainsFunc(after, func(e catalog.Tree) bool { return lists(e, &add[i], kind) }) {
				after, changed = append(after, entry), true
			}
		}
		if changed {
			jsontree.SetItems(value, "owners", after)
			value["lastModified"] = by.Tree()
		}
		return nil
	}}
}

// kind returns the kind of ownership of an owner, the zero URN if no kind is given.
func (n *NewOwner) kind(namespace string) model.URN {
	if n.TypeURN.IsZero() && n.Type != "" {
		return model.StoredURN(builtInOwnershipType(namespace, n.Type))
	}
	return n.TypeURN
}

// checkOwner fails when an owner, or the kind of ownership, is of another type or
// does not exist.
func (s *Service) checkOwner(ctx context.Context, owner *NewOwner) error {
	required, err := owner.check()
	if err != nil {
		return err
	}
	return s.writer.RequireExisting(ctx, required...)
}

// check fails when an owner, or the kind of ownership, is of another type. It returns the
// entities that must exist.
func (n *NewOwner) check() (required []model.URN, err error) {
	kind := n.URN.EntityType()
	if kind != model.EntityCorpuser && kind != model.EntityCorpGroup || n.EntityType != "" && n.EntityType != kind {
		return nil, catalog.Errorf(catalog.Invalid, "%s cannot be an owner of the kind given", n.URN)
	}
	required = []model.URN{n.URN}
	if !n.TypeURN.IsZero() {
		if err := catalog.RequireType(n.TypeURN, model.EntityOwnershipType); err != nil {
			return nil, err
		}
		if !strings.HasPrefix(n.TypeURN.Key(), systemOwnershipType) { // built-in kinds need not be stored
			required = append(required, n.TypeURN)
		}
	}
	return required, nil
}

// entry returns the owner in the form of the aspect.
func (n *NewOwner) entry(namespace string) catalog.Tree {
	entry := catalog.Tree{"owner": n.URN.String(), "source": catalog.Tree{"type": "MANUAL"}}
	name := n.Type
	if n.TypeURN.IsZero() {
		if name == "" {
			name = "NONE"
		}
		entry["type"], entry["typeUrn"] = name, builtInOwnershipType(namespace, name)
		return entry
	}
	entry["typeUrn"], entry["type"] = n.TypeURN.String(), model.CustomOwnership
	if key, ok := strings.CutPrefix(n.TypeURN.Key(), systemOwnershipType); ok {
		entry["type"] = strings.ToUpper(key)
	}
	return entry
}

func builtInOwnershipType(namespace, name string) string {
	return "urn:" + namespace + ":ownershipType:" + systemOwnershipType + strings.ToLower(name)
}

// ofOwnershipType reports whether an entry has a kind of ownership. Older entries
// have only the name of a built-in kind.
func (s *Service) ofOwnershipType(entry catalog.Tree, typeURN model.URN) bool {
	if stated := jsontree.Text(entry, "typeUrn"); stated != "" {
		return s.names.SameURN(stated, typeURN)
	}
	key, ok := strings.CutPrefix(typeURN.Key(), systemOwnershipType)
	return ok && strings.EqualFold(key, jsontree.Text(entry, "type"))
}
