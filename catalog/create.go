package catalog

import (
	"context"

	"github.com/google/uuid"

	"github.com/headwater-io/headwater/model"
)

// NewEntity describes something that people make in the catalog.
type NewEntity struct {
	// EntityType is tag, domain, glossaryTerm, glossaryNode or corpGroup.
	EntityType string
	// ID is the URN's last part; "" makes one.
	ID          string
	Name        string
	Description string
	// Parent is the glossary node that it is in.
	Parent string
}

// CreateEntity makes a tag, domain, glossary term or node or group and returns
// its URN. The actor owns it, except for groups.
func (c *Catalog) CreateEntity(ctx context.Context, n NewEntity, o WriteOptions) (string, error) {
	if n.Name == "" {
		return "", Errorf(Invalid, "a name must not be empty")
	}
	if n.ID == "" {
		n.ID = uuid.NewString()
	}
	dialect, actor := c.dialectOfActor(o.Actor)
	u, err := model.BuildURN(dialect.Namespace, n.EntityType, n.ID)
	if err == nil {
		err = c.registry.CheckURN(u)
	}
	if err != nil {
		return "", &Error{Code: Invalid, Message: err.Error()}
	}
	if glossaryTypes[n.EntityType] != "" {
		if n.Parent, err = c.parentOf(ctx, u, n.Parent); err != nil {
			return "", err
		}
		if err := c.requireFreeName(ctx, u, n.Name, n.Parent); err != nil {
			return "", err
		}
	}
	by := AuditStamp{Time: c.now().UnixMilli(), Actor: actor}
	aspects := n.aspects(by)
	if aspects == nil {
		return "", Errorf(Invalid, "a %s cannot be created in this way", n.EntityType)
	}
	if n.EntityType != "corpGroup" {
		owner := NewOwner{URN: actor, Type: "TECHNICAL_OWNER"}
		aspects[ownershipAspect] = Tree{"owners": []any{owner.entry(dialect.Namespace)}, "lastModified": by.tree()}
	}
	return u.String(), c.create(ctx, u, aspects, o)
}

// dialectOfActor is the vocabulary that an actor uses.
func (c *Catalog) dialectOfActor(actor string) (model.Dialect, string) {
	if u, err := model.ParseURN(actor); err == nil {
		if d, ok := c.registry.DialectOf(u); ok {
			return d, c.registry.Normal(u).String()
		}
	}
	d := c.registry.Dialects()[0]
	return d, SystemActor(d)
}

// aspects are what is said of the entity, nil for other types.
func (n *NewEntity) aspects(by AuditStamp) map[string]Tree {
	switch n.EntityType {
	case "tag":
		return map[string]Tree{"tagProperties": n.described(Tree{"name": n.Name})}
	case "domain":
		return map[string]Tree{"domainProperties": n.described(Tree{"name": n.Name, "created": by.tree()})}
	case "glossaryTerm":
		return map[string]Tree{"glossaryTermInfo": n.inGlossary(Tree{"name": n.Name, "definition": n.Description, "termSource": "INTERNAL"})}
	case "glossaryNode":
		return map[string]Tree{"glossaryNodeInfo": n.inGlossary(Tree{"name": n.Name, "definition": n.Description})}
	case "corpGroup":
		return map[string]Tree{
			"corpGroupInfo": n.described(Tree{
				"displayName": n.Name, "admins": []any{}, "members": []any{}, "groups": []any{}, "created": by.tree(),
			}),
			"origin": {"type": "NATIVE"},
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
