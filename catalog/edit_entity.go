package catalog

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// AddLink adds a link to an entity; a link with the same address is not added
// again.
func (c *Catalog) AddLink(ctx context.Context, urn, url, label string, o WriteOptions) error {
	return c.Edit(ctx, []Edit{{URN: urn, Aspect: model.AspectInstitutionalMemory, Change: func(value Tree, by AuditStamp) error {
		links := jsontree.Items(value, "elements")
		if !slices.ContainsFunc(links, func(l Tree) bool { return jsontree.Text(l, "url") == url }) {
			jsontree.SetItems(value, "elements", append(links, Tree{"url": url, "description": label, "createStamp": by.tree()}))
		}
		return nil
	}}}, o)
}

// RemoveLink takes the links with an address off an entity.
func (c *Catalog) RemoveLink(ctx context.Context, urn, url string, o WriteOptions) error {
	return c.Edit(ctx, []Edit{{URN: urn, Aspect: model.AspectInstitutionalMemory, Change: func(value Tree, _ AuditStamp) error {
		before := jsontree.Items(value, "elements")
		if after := slices.DeleteFunc(slices.Clone(before), func(l Tree) bool { return jsontree.Text(l, "url") == url }); len(after) < len(before) {
			jsontree.SetItems(value, "elements", after)
		}
		return nil
	}}}, o)
}

// SetDomain puts entities into a domain; "" removes them from theirs.
func (c *Catalog) SetDomain(ctx context.Context, domain string, urns []string, o WriteOptions) error {
	in := []any{}
	if domain != "" {
		urn, err := c.urnOf(domain, model.EntityDomain)
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
		edits[i] = Replace(urn, model.AspectDomains, func(AuditStamp) Tree { return Tree{"domains": in} })
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
		edits[i] = Replace(urn, model.AspectDeprecation, func(by AuditStamp) Tree { return d.tree(by) })
	}
	return c.Edit(ctx, edits, o)
}

// SetRemoved soft-deletes entities, or restores soft-deleted ones.
func (c *Catalog) SetRemoved(ctx context.Context, removed bool, urns []string, o WriteOptions) error {
	edits := make([]Edit, len(urns))
	for i, urn := range urns {
		edits[i] = Replace(urn, model.AspectStatus, func(AuditStamp) Tree { return Tree{"removed": removed} })
	}
	return c.Edit(ctx, edits, o)
}

// SetDescription sets what people wrote about a resource, byte for byte.
func (c *Catalog) SetDescription(ctx context.Context, r Resource, description string, o WriteOptions) error {
	u, _, err := c.parseURN(r.URN)
	if err != nil {
		return err
	}
	if u.EntityType() == model.EntityDataset {
		if r.Field == "" {
			return Errorf(Invalid, "Update description without subresource is not currently supported")
		}
		if err := c.requireFields(ctx, []Resource{r}); err != nil {
			return err
		}
		return c.Edit(ctx, []Edit{editField(r, func(entry Tree, _ AuditStamp) { entry["description"] = description })}, o)
	}
	at, ok := model.DescriptionOf(u.EntityType())
	if !ok {
		return Errorf(Invalid, "the description of a %s cannot be set in this way", u.EntityType())
	}
	return c.Edit(ctx, []Edit{setMember(u, at, description)}, o)
}

// setMember edits a member of an aspect.
func setMember(u model.URN, m model.Member, value any) Edit {
	return Edit{URN: u.String(), Aspect: m.Aspect, Change: func(tree Tree, _ AuditStamp) error {
		if m.Stated && len(tree) == 0 {
			return Errorf(Invalid, "Failed to update %s. It has no %s.", u, m.Aspect)
		}
		tree[m.Name] = value
		return nil
	}}
}

// SetName renames an entity.
func (c *Catalog) SetName(ctx context.Context, urn, name string, o WriteOptions) error {
	u, _, err := c.parseURN(urn)
	if err != nil {
		return err
	}
	at, ok := model.NameOf(u.EntityType())
	if !ok {
		return Errorf(Invalid, "a %s cannot be renamed", u.EntityType())
	}
	if name == "" {
		return Errorf(Invalid, "a name must not be empty")
	}
	if _, ok := model.GlossaryTypeOf(u.EntityType()); ok {
		parent, err := c.parentNode(ctx, u)
		if err != nil {
			return err
		}
		if err := c.requireFreeName(ctx, u, name, parent); err != nil {
			return err
		}
	}
	return c.Edit(ctx, []Edit{setMember(u, at, name)}, o)
}

// SetTagColor sets the colour of a tag.
func (c *Catalog) SetTagColor(ctx context.Context, urn, colour string, o WriteOptions) error {
	u, _, err := c.parseURN(urn)
	if err != nil {
		return err
	}
	if u.EntityType() != model.EntityTag {
		return Errorf(Invalid, "%s is no tag", u)
	}
	return c.Edit(ctx, []Edit{{URN: u.String(), Aspect: model.AspectTagProperties, Change: func(value Tree, _ AuditStamp) error {
		if jsontree.Text(value, "name") == "" {
			value["name"] = u.Key()
		}
		value["colorHex"] = colour
		return nil
	}}}, o)
}
