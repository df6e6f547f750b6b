package edits

import (
	"context"

	"github.com/google/uuid"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// NewEntity describes an entity that people create in the catalog.
type NewEntity struct {
	// EntityType is tag, domain, glossaryTerm, glossaryNode or corpGroup.
	EntityType string
	// ID is the last part of the URN. For "", an id is generated.
	ID          string
	Name        string
	Description string
	// Parent is the glossary node or domain that contains the entity, the zero URN for none.
	Parent model.URN
	// Owners own the entity. Without owners, the actor owns the entity.
	Owners []NewOwner
}

// CreateEntity creates a tag, domain, glossary term, glossary node or group and returns its
// URN. The actor becomes the owner of the entity, unless it is a group.
func (s *Service) CreateEntity(ctx context.Context, n NewEntity, o catalog.WriteOptions) (model.URN, error) {
	if n.Name == "" {
		return model.URN{}, catalog.Errorf(catalog.Invalid, "a name must not be empty")
	}
	u, by, err := s.newURN(n.EntityType, n.ID, o)
	if err != nil {
		return model.URN{}, err
	}
	if _, ok := placingOf(n.EntityType); ok {
		if err := s.checkParent(ctx, u, n.Parent); err != nil {
			return model.URN{}, err
		}
	}
	if _, ok := model.GlossaryTypeOf(n.EntityType); ok {
		if err := s.requireFreeName(ctx, u, n.Name, n.Parent); err != nil {
			return model.URN{}, err
		}
	}
	if err := s.checkOwners(ctx, n.Owners); err != nil {
		return model.URN{}, err
	}
	aspects := n.aspects(by)
	if aspects == nil {
		return model.URN{}, catalog.Errorf(catalog.Invalid, "a %s cannot be created in this way", n.EntityType)
	}
	if n.EntityType != model.EntityCorpGroup {
		aspects[model.AspectOwnership] = ownedByAll(u, by, n.Owners)
	}
	return u, s.writer.Create(ctx, u, aspects, o)
}

// newURN returns the URN of an entity to create, and the stamp of its creation. For the id "",
// an id is generated.
func (s *Service) newURN(entityType, id string, o catalog.WriteOptions) (model.URN, catalog.AuditStamp, error) {
	if id == "" {
		id = uuid.NewString()
	}
	dialect, actor := s.dialectOfActor(o.Actor)
	u, err := model.BuildURN(dialect.Namespace, entityType, id)
	if err == nil {
		err = s.names.Registry().CheckURN(u)
	}
	if err != nil {
		return model.URN{}, catalog.AuditStamp{}, &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
	}
	return u, catalog.AuditStamp{Time: s.now().UnixMilli(), Actor: actor.String()}, nil
}

// ownedBy makes the creator of an entity its technical owner.
func ownedBy(u model.URN, by catalog.AuditStamp) catalog.Tree {
	owner := NewOwner{URN: model.StoredURN(by.Actor), Type: "TECHNICAL_OWNER"}
	return catalog.Tree{"owners": []any{owner.entry(u.Namespace())}, "lastModified": by.Tree()}
}

// ownedByAll makes owners the owners of a new entity. Without owners, the creator owns the
// entity.
func ownedByAll(u model.URN, by catalog.AuditStamp, owners []NewOwner) catalog.Tree {
	ownership := ownedBy(u, by)
	if len(owners) > 0 {
		entries := make([]any, len(owners))
		for i := range owners {
			entries[i] = owners[i].entry(u.Namespace())
		}
		ownership["owners"] = entries
	}
	return ownership
}

// checkOwners checks the owners of an entity that is created.
func (s *Service) checkOwners(ctx context.Context, owners []NewOwner) error {
	if err := catalog.TooMany("owners", len(owners), write.MaxEdits); err != nil {
		return err
	}
	for i := range owners {
		if err := s.checkOwner(ctx, &owners[i]); err != nil {
			return err
		}
	}
	return nil
}

// dialectOfActor returns the dialect of an actor's URN.
func (s *Service) dialectOfActor(actor string) (model.Dialect, model.URN) {
	u := model.StoredURN(actor)
	if d, ok := s.names.Registry().DialectOf(u); ok {
		return d, u
	}
	d := s.names.Registry().Dialects()[0]
	return d, model.StoredURN(catalog.SystemActor(d))
}

// aspects returns the aspects of the new entity, or nil if people cannot create entities of the
// type.
func (n *NewEntity) aspects(by catalog.AuditStamp) map[string]catalog.Tree {
	switch n.EntityType {
	case model.EntityTag:
		return map[string]catalog.Tree{model.AspectTagProperties: n.described(catalog.Tree{"name": n.Name})}
	case model.EntityDomain:
		return map[string]catalog.Tree{model.AspectDomainProperties: n.placed(n.described(catalog.Tree{"name": n.Name, "created": by.Tree()}))}
	case model.EntityGlossaryTerm:
		return map[string]catalog.Tree{model.AspectGlossaryTermInfo: n.placed(catalog.Tree{"name": n.Name, "definition": n.Description, "termSource": "INTERNAL"})}
	case model.EntityGlossaryNode:
		return map[string]catalog.Tree{model.AspectGlossaryNodeInfo: n.placed(catalog.Tree{"name": n.Name, "definition": n.Description})}
	case model.EntityCorpGroup:
		return map[string]catalog.Tree{
			model.AspectCorpGroupInfo: n.described(catalog.Tree{
				"displayName": n.Name, "admins": []any{}, "members": []any{}, "groups": []any{}, "created": by.Tree(),
			}),
			model.AspectOrigin: {"type": "NATIVE"},
		}
	}
	return nil
}

func (n *NewEntity) described(value catalog.Tree) catalog.Tree {
	if n.Description != "" {
		value["description"] = n.Description
	}
	return value
}

func (n *NewEntity) placed(value catalog.Tree) catalog.Tree {
	if in, _ := placingOf(n.EntityType); !n.Parent.IsZero() {
		value[in.member] = n.Parent.String()
	}
	return value
}
