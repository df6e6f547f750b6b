package catalog

import (
	"context"

	"github.com/google/uuid"

	"github.com/headwater-io/headwater/model"
)

// NewEntity describes an entity that people create in the catalog.
type NewEntity struct {
	// EntityType is tag, domain, glossaryTerm, glossaryNode or corpGroup.
	EntityType string
	// ID is the last part of the URN; "" generates one.
	ID          string
	Name        string
	Description string
	// Parent is the glossary node that contains it.
	Parent string
}

// CreateEntity creates a tag, domain, glossary term, glossary node or group and
// returns its URN. The actor becomes its owner, except for groups.
func (c *Catalog) CreateEntity(ctx context.Context, n NewEntity, o WriteOptions) (string, error) {
	if n.Name == "" {
		return "", Errorf(Invalid, "a name must not be empty")
	}
	u, by, err := c.newURN(n.EntityType, n.ID, o)
	if err != nil {
		return "", err
	}
	if _, ok := model.GlossaryTypeOf(n.EntityType); ok {
		if n.Parent, err = c.parentOf(ctx, u, n.Parent); err != nil {
			return "", err
		}
		if err := c.requireFreeName(ctx, u, n.Name, n.Parent); err != nil {
			return "", err
		}
	}
	aspects := n.aspects(by)
	if aspects == nil {
		return "", Errorf(Invalid, "a %s cannot be created in this way", n.EntityType)
	}
	if n.EntityType != model.EntityCorpGroup {
		aspects[model.AspectOwnership] = ownedBy(u, by)
	}
	return u.String(), c.create(ctx, u, aspects, o)
}

// newURN returns the URN of an entity that is created, with a generated id when
// id is "", and the stamp of its creation.
func (c *Catalog) newURN(entityType, id string, o WriteOptions) (model.URN, AuditStamp, error) {
	if id == "" {
		id = uuid.NewString()
	}
	dialect, actor := c.dialectOfActor(o.Actor)
	u, err := model.BuildURN(dialect.Namespace, entityType, id)
	if err == nil {
		err = c.registry.CheckURN(u)
	}
	if err != nil {
		return model.URN{}, AuditStamp{}, &Error{Code: Invalid, Message: err.Error()}
	}
	return u, AuditStamp{Time: c.now().UnixMilli(), Actor: actor}, nil
}

// ownedBy makes the creator of an entity its technical owner.
func ownedBy(u model.URN, by AuditStamp) Tree {
	owner := NewOwner{URN: by.Actor, Type: "TECHNICAL_OWNER"}
	return Tree{"owners": []any{owner.entry(u.Namespace())}, "lastModified": by.tree()}
}

// dialectOfActor returns the dialect of an actor's URN.
func (c *Catalog) dialectOfActor(actor string) (model.Dialect, string) {
	if u, err := model.ParseURN(actor); err == nil {
		if d, ok := c.registry.DialectOf(u); ok {
			return d, c.registry.Normal(u).String()
		}
	}
	d := c.registry.Dialects()[0]
	return d, SystemActor(d)
}

// aspects returns the aspects of the new entity, nil for other types.
func (n *NewEntity) aspects(by AuditStamp) map[string]Tree {
	switch n.EntityType {
	case model.EntityTag:
		return map[string]Tree{model.AspectTagProperties: n.described(Tree{"name": n.Name})}
	case model.EntityDomain:
		return map[string]Tree{model.AspectDomainProperties: n.described(Tree{"name": n.Name, "created": by.tree()})}
	case model.EntityGlossaryTerm:
		return map[string]Tree{model.AspectGlossaryTermInfo: n.inGlossary(Tree{"name": n.Name, "definition": n.Description, "termSource": "INTERNAL"})}
	case model.EntityGlossaryNode:
		return map[string]Tree{model.AspectGlossaryNodeInfo: n.inGlossary(Tree{"name": n.Name, "definition": n.Description})}
	case model.EntityCorpGroup:
		return map[string]Tree{
			model.AspectCorpGroupInfo: n.described(Tree{
				"displayName": n.Name, "admins": []any{}, "members": []any{}, "groups": []any{}, "created": by.tree(),
			}),
			model.AspectOrigin: {"type": "NATIVE"},
		}
	}
	return nil
}

func (n *NewEntity) described(value Tree) Tree {
	if n.Description != "" {
		value["description"] = n.Description
	}
	return value
}

func (n *NewEntity) inGlossary(value Tree) Tree {
	if n.Parent != "" {
		value["parentNode"] = n.Parent
	}
	return value
}
