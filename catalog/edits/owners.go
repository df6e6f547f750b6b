package edits

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// NewOwner names an owner.
type NewOwner struct {
	// URN is the owner, a user or a group. EntityType says which ("corpuser" or
	// "corpGroup"); "" allows either.
	URN        model.URN
	EntityType string
	// TypeURN is the kind of ownership. When it is zero it is the built-in one
	// that Type names, as in TECHNICAL_OWNER; NONE when that is "".
	TypeURN model.URN
	Type    string
}

// systemOwnershipType is the prefix of the ids of the built-in kinds of
// ownership.
const systemOwnershipType = "__system__"

// AddOwners makes users and groups owners of entities. An owner is listed once
// with each kind of ownership.
func (s *Service) AddOwners(ctx context.Context, owners []NewOwner, resources []model.URN, o catalog.WriteOptions) error {
	for i := range owners {
		if err := s.checkOwner(ctx, &owners[i]); err != nil {
			return err
		}
	}
	edits := make([]catalog.Edit, len(resources))
	for i, urn := range resources {
		edits[i] = catalog.Edit{URN: urn, Aspect: model.AspectOwnership, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
			list := jsontree.Items(value, "owners")
			for _, owner := range owners {
				entry := owner.entry(urn.Namespace())
				list = slices.DeleteFunc(list, func(e catalog.Tree) bool {
					return s.catalog.SameURN(jsontree.Text(e, "owner"), owner.URN) && s.ofOwnershipType(e, model.StoredURN(jsontree.Text(entry, "typeUrn")))
				})
				list = append(list, entry)
			}
			jsontree.SetItems(value, "owners", list)
			value["lastModified"] = by.Tree()
			return nil
		}}
	}
	return s.catalog.Edit(ctx, edits, o)
}

// RemoveOwners removes owners from entities: with one kind of ownership or,
// when that is the zero URN, with all.
func (s *Service) RemoveOwners(ctx context.Context, owners []model.URN, typeURN model.URN, resources []model.URN, o catalog.WriteOptions) error {
	if !typeURN.IsZero() {
		if err := catalog.RequireType(typeURN, model.EntityOwnershipType); err != nil {
			return err
		}
	}
	edits := make([]catalog.Edit, len(resources))
	for i, urn := range resources {
		edits[i] = catalog.Edit{URN: urn, Aspect: model.AspectOwnership, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
			before := jsontree.Items(value, "owners")
			after := slices.DeleteFunc(slices.Clone(before), func(e catalog.Tree) bool {
				return s.catalog.SameURNAny(jsontree.Text(e, "owner"), owners) && (typeURN.IsZero() || s.ofOwnershipType(e, typeURN))
			})
			if len(after) < len(before) {
				jsontree.SetItems(value, "owners", after)
				value["lastModified"] = by.Tree()
			}
			return nil
		}}
	}
	return s.catalog.Edit(ctx, edits, o)
}

// checkOwner fails when an owner, or the kind of ownership, is of another type or
// does not exist.
func (s *Service) checkOwner(ctx context.Context, owner *NewOwner) error {
	kind := owner.URN.EntityType()
	if kind != model.EntityCorpuser && kind != model.EntityCorpGroup || owner.EntityType != "" && owner.EntityType != kind {
		return catalog.Errorf(catalog.Invalid, "%s cannot be an owner of the kind given", owner.URN)
	}
	required := []model.URN{owner.URN}
	if !owner.TypeURN.IsZero() {
		if err := catalog.RequireType(owner.TypeURN, model.EntityOwnershipType); err != nil {
			return err
		}
		if !strings.HasPrefix(owner.TypeURN.Key(), systemOwnershipType) { // the built-in ones need not be stored
			required = append(required, owner.TypeURN)
		}
	}
	return s.catalog.RequireExisting(ctx, required...)
}

// entry returns the owner in the form that the aspect has.
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
	entry["typeUrn"], entry["type"] = n.TypeURN.String(), "CUSTOM"
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
		return s.catalog.SameURN(stated, typeURN)
	}
	key, ok := strings.CutPrefix(typeURN.Key(), systemOwnershipType)
	return ok && strings.EqualFold(key, jsontree.Text(entry, "type"))
}
