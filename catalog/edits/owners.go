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
	URN, EntityType string
	// TypeURN is the kind of ownership. When it is "", Type names a built-in
	// kind, such as TECHNICAL_OWNER; when both are "", the kind is NONE.
	TypeURN, Type string
}

// systemOwnershipType is the prefix of the ids of the built-in kinds of
// ownership.
const systemOwnershipType = "__system__"

// AddOwners makes users and groups owners of entities. An owner is listed once
// with each kind of ownership.
func (s *Service) AddOwners(ctx context.Context, owners []NewOwner, resources []string, o catalog.WriteOptions) error {
	owners = slices.Clone(owners)
	for i := range owners {
		if err := s.checkOwner(ctx, &owners[i]); err != nil {
			return err
		}
	}
	edits := make([]catalog.Edit, len(resources))
	for i, urn := range resources {
		edits[i] = catalog.Edit{URN: urn, Aspect: model.AspectOwnership, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
			u, _, err := s.catalog.ParseURN(urn)
			if err != nil {
				return err
			}
			list := jsontree.Items(value, "owners")
			for _, owner := range owners {
				entry := owner.entry(u.Namespace())
				list = slices.DeleteFunc(list, func(e catalog.Tree) bool {
					return s.catalog.SameURN(jsontree.Text(e, "owner"), owner.URN) && s.ofOwnershipType(e, jsontree.Text(entry, "typeUrn"))
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
// when that is "", with all.
func (s *Service) RemoveOwners(ctx context.Context, owners []string, typeURN string, resources []string, o catalog.WriteOptions) error {
	owners, err := s.catalog.URNsOfType(owners)
	if err != nil {
		return err
	}
	if typeURN != "" {
		if typeURN, err = s.catalog.URNOf(typeURN, model.EntityOwnershipType); err != nil {
			return err
		}
	}
	edits := make([]catalog.Edit, len(resources))
	for i, urn := range resources {
		edits[i] = catalog.Edit{URN: urn, Aspect: model.AspectOwnership, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
			before := jsontree.Items(value, "owners")
			after := slices.DeleteFunc(slices.Clone(before), func(e catalog.Tree) bool {
				return s.catalog.SameURNAny(jsontree.Text(e, "owner"), owners) && (typeURN == "" || s.ofOwnershipType(e, typeURN))
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

// checkOwner checks an owner and puts its URNs into the graph's spelling.
func (s *Service) checkOwner(ctx context.Context, owner *NewOwner) error {
	u, _, err := s.catalog.ParseURN(owner.URN)
	if err != nil {
		return err
	}
	kind := u.EntityType()
	if kind != model.EntityCorpuser && kind != model.EntityCorpGroup || owner.EntityType != "" && owner.EntityType != kind {
		return catalog.Errorf(catalog.Invalid, "%s cannot be an owner of the kind given", u)
	}
	owner.URN = u.String()
	required := []string{owner.URN}
	if owner.TypeURN != "" {
		if owner.TypeURN, err = s.catalog.URNOf(owner.TypeURN, model.EntityOwnershipType); err != nil {
			return err
		}
		if !strings.Contains(owner.TypeURN, ":ownershipType:"+systemOwnershipType) { // built-in kinds need not be stored
			required = append(required, owner.TypeURN)
		}
	}
	return s.catalog.RequireExisting(ctx, required...)
}

// entry returns the owner in the form that the aspect has.
func (n *NewOwner) entry(namespace string) catalog.Tree {
	entry := catalog.Tree{"owner": n.URN, "source": catalog.Tree{"type": "MANUAL"}}
	name := n.Type
	if n.TypeURN == "" {
		if name == "" {
			name = "NONE"
		}
		entry["type"], entry["typeUrn"] = name, builtInOwnershipType(namespace, name)
		return entry
	}
	entry["typeUrn"], entry["type"] = n.TypeURN, "CUSTOM"
	if _, key, ok := strings.Cut(n.TypeURN, ":ownershipType:"+systemOwnershipType); ok {
		entry["type"] = strings.ToUpper(key)
	}
	return entry
}

func builtInOwnershipType(namespace, name string) string {
	return "urn:" + namespace + ":ownershipType:" + systemOwnershipType + strings.ToLower(name)
}

// ofOwnershipType reports whether an entry has a kind of ownership. Older entries
// have only the name of a built-in kind.
func (s *Service) ofOwnershipType(entry catalog.Tree, typeURN string) bool {
	if stated := jsontree.Text(entry, "typeUrn"); stated != "" {
		return s.catalog.SameURN(stated, typeURN)
	}
	_, key, ok := strings.Cut(typeURN, ":ownershipType:"+systemOwnershipType)
	return ok && strings.EqualFold(key, jsontree.Text(entry, "type"))
}
