package catalog

import (
	"context"
	"strings"
)

// requireFound fails when an entity is of another type, or does not exist.
func (c *Catalog) requireFound(ctx context.Context, urn, entityType string) error {
	urn, err := c.urnOf(urn, entityType)
	if err != nil {
		return err
	}
	exists, err := c.Exists(ctx, urn)
	if err != nil {
		return err
	}
	if !exists {
		return Errorf(NotFound, "%s does not exist.", urn)
	}
	return nil
}

// editKnown edits aspects of an entity of a type that must exist, all or none.
func (c *Catalog) editKnown(ctx context.Context, urn, entityType string, edits []Edit, o WriteOptions) error {
	if err := c.requireFound(ctx, urn, entityType); err != nil {
		return err
	}
	return c.Edit(ctx, edits, o)
}

// editStated edits an aspect that must exist, because it needs other members
// too.
func editStated(urn, aspect string, change func(value Tree, by AuditStamp)) Edit {
	return Edit{URN: urn, Aspect: aspect, Change: func(value Tree, by AuditStamp) error {
		if len(value) == 0 {
			return Errorf(Invalid, "Failed to update %s. It has no %s.", urn, aspect)
		}
		change(value, by)
		return nil
	}}
}

// editOrMake edits an aspect, and creates the entity when it does not exist.
func (c *Catalog) editOrMake(ctx context.Context, e Edit, o WriteOptions) error {
	u, _, err := c.parseURN(e.URN)
	if err != nil {
		return err
	}
	exists, err := c.Exists(ctx, e.URN)
	if err != nil {
		return err
	}
	if !exists {
		value, by := Tree{}, AuditStamp{Time: c.now().UnixMilli()}
		_, by.Actor = c.dialectOfActor(o.Actor)
		if err := e.Change(value, by); err != nil {
			return err
		}
		err := c.create(ctx, u, map[string]Tree{e.Aspect: value}, o)
		if code := CodeOf(err); code != Conflict && code != Precondition { // somebody else may have just made it
			return err
		}
	}
	return c.Edit(ctx, []Edit{e}, o)
}

// setTexts sets the members that are given.
func setTexts(value Tree, texts map[string]*string) {
	for name, text := range texts {
		if text != nil {
			value[name] = *text
		}
	}
}

// requireName fails when a name is empty.
func requireName(name *string) error {
	if name != nil && strings.TrimSpace(*name) == "" {
		return Errorf(Invalid, "a name must not be empty")
	}
	return nil
}
