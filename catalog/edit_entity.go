package catalog

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/model"
)

// AddLink adds a link to an entity; a link with the same address is not added
// again.
func (c *Catalog) AddLink(ctx context.Context, urn, url, label string, o WriteOptions) error {
	return c.Edit(ctx, []Edit{{URN: urn, Aspect: linksAspect, Change: func(value Tree, by AuditStamp) error {
		links := items(value, "elements")
		if !slices.ContainsFunc(links, func(l Tree) bool { return text(l, "url") == url }) {
			setItems(value, "elements", append(links, Tree{"url": url, "description": label, "createStamp": by.tree()}))
		}
		return nil
	}}}, o)
}

// linksAspect holds an entity's links.
const linksAspect = "institutionalMemory"

// RemoveLink removes the links with an address from an entity.
func (c *Catalog) RemoveLink(ctx context.Context, urn, url string, o WriteOptions) error {
	return c.Edit(ctx, []Edit{{URN: urn, Aspect: linksAspect, Change: func(value Tree, _ AuditStamp) error {
		before := items(value, "elements")
		if after := slices.DeleteFunc(slices.Clone(before), func(l Tree) bool { return text(l, "url") == url }); len(after) < len(before) {
			setItems(value, "elements", after)
		}
		return nil
	}}}, o)
}

// SetDomain puts entities into a domain; "" removes them from theirs.
func (c *Catalog) SetDomain(ctx context.Context, domain string, urns []string, o WriteOptions) error {
	in := []any{}
	if domain != "" {
		urn, err := c.urnOf(domain, "domain")
		if err != nil {
			return err
		}
		if err := c.requireExisting(ctx, urn); err != nil {
			return err
		}
		in = append(in, urn)
	}
	edits := make([]Edit, len(urns))
	for i, urn := range urns {
		edits[i] = Replace(urn, "domains", func(AuditStamp) Tree { return Tree{"domains": in} })
	}
	return c.Edit(ctx, edits, o)
}

// Deprecation says whether and why something should not be used any more.
type Deprecation struct {
	Deprecated bool
	// DecommissionTime is when it will be removed, epoch milliseconds.
	DecommissionTime *int64
	Note             string
}

// SetDeprecation deprecates entities, or ends their deprecation.
func (c *Catalog) SetDeprecation(ctx context.Context, d Deprecation, urns []string, o WriteOptions) error {
	edits := make([]Edit, len(urns))
	for i, urn := range urns {
		edits[i] = Replace(urn, "deprecation", func(by AuditStamp) Tree { return d.tree(by) })
	}
	return c.Edit(ctx, edits, o)
}

// SetRemoved soft-deletes entities, or restores soft-deleted ones.
func (c *Catalog) SetRemoved(ctx context.Context, removed bool, urns []string, o WriteOptions) error {
	edits := make([]Edit, len(urns))
	for i, urn := range urns {
		edits[i] = Replace(urn, statusAspect, func(AuditStamp) Tree { return Tree{"removed": removed} })
	}
	return c.Edit(ctx, edits, o)
}

// member is the place in an aspect of a text that people edit.
type member struct {
	aspect, name string
	// stated: the aspect must exist, because it needs other members too.
	stated bool
}

// descriptions say where each entity type has the description that people
// write.
var descriptions = map[string]member{
	"container":      {"editableContainerProperties", "description", false},
	"domain":         {"domainProperties", "description", true},
	"tag":            {"tagProperties", "description", true},
	"glossaryTerm":   {"glossaryTermInfo", "definition", true},
	"glossaryNode":   {"glossaryNodeInfo", "definition", true},
	"corpGroup":      {"corpGroupEditableInfo", "description", false},
	"notebook":       {"editableNotebookProperties", "description", false},
	"mlModel":        {"editableMlModelProperties", "description", false},
	"mlModelGroup":   {"editableMlModelGroupProperties", "description", false},
	"mlFeature":      {"editableMlFeatureProperties", "description", false},
	"mlFeatureTable": {"editableMlFeatureTableProperties", "description", false},
	"mlPrimaryKey":   {"editableMlPrimaryKeyProperties", "description", false},
	"dataProduct":    {"dataProductProperties", "description", true},
}

// SetDescription sets the description of a resource, byte for byte.
func (c *Catalog) SetDescription(ctx context.Context, r Resource, description string, o WriteOptions) error {
	u, _, err := c.parseURN(r.URN)
	if err != nil {
		return err
	}
	if u.EntityType() == "dataset" {
		if r.Field == "" {
			return Errorf(Invalid, "Update description without subresource is not currently supported")
		}
		if err := c.requireFields(ctx, []Resource{r}); err != nil {
			return err
		}
		return c.Edit(ctx, []Edit{editField(r, func(entry Tree, _ AuditStamp) { entry["description"] = description })}, o)
	}
	at, ok := descriptions[u.EntityType()]
	if !ok {
		return Errorf(Invalid, "the description of a %s cannot be set in this way", u.EntityType())
	}
	return c.Edit(ctx, []Edit{at.set(u, description)}, o)
}

// set edits the member.
func (m member) set(u model.URN, value any) Edit {
	return Edit{URN: u.String(), Aspect: m.aspect, Change: func(tree Tree, _ AuditStamp) error {
		if m.stated && len(tree) == 0 {
			return Errorf(Invalid, "Failed to update %s. It has no %s.", u, m.aspect)
		}
		tree[m.name] = value
		return nil
	}}
}

// names say where each entity type has a name that people may change.
var names = map[string]member{
	"domain":       {"domainProperties", "name", true},
	"glossaryTerm": {"glossaryTermInfo", "name", true},
	"glossaryNode": {"glossaryNodeInfo", "name", true},
	"corpGroup":    {"corpGroupInfo", "displayName", true},
	"dataProduct":  {"dataProductProperties", "name", true},
}

// SetName renames an entity.
func (c *Catalog) SetName(ctx context.Context, urn, name string, o WriteOptions) error {
	u, _, err := c.parseURN(urn)
	if err != nil {
		return err
	}
	at, ok := names[u.EntityType()]
	if !ok {
		return Errorf(Invalid, "a %s cannot be renamed", u.EntityType())
	}
	if name == "" {
		return Errorf(Invalid, "a name must not be empty")
	}
	if glossaryTypes[u.EntityType()] != "" {
		parent, err := c.parentNode(ctx, u)
		if err != nil {
			return err
		}
		if err := c.requireFreeName(ctx, u, name, parent); err != nil {
			return err
		}
	}
	return c.Edit(ctx, []Edit{at.set(u, name)}, o)
}

// SetTagColor sets the colour of a tag.
func (c *Catalog) SetTagColor(ctx context.Context, urn, colour string, o WriteOptions) error {
	u, _, err := c.parseURN(urn)
	if err != nil {
		return err
	}
	if u.EntityType() != "tag" {
		return Errorf(Invalid, "%s is not a tag", u)
	}
	return c.Edit(ctx, []Edit{{URN: u.String(), Aspect: "tagProperties", Change: func(value Tree, _ AuditStamp) error {
		if text(value, "name") == "" {
			value["name"] = u.Key()
		}
		value["colorHex"] = colour
		return nil
	}}}, o)
}
