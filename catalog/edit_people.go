package catalog

import (
	"context"
	"maps"

	"github.com/headwater-io/headwater/model"
)

// EditGroupMembers adds users to a group or removes them from it.
func (c *Catalog) EditGroupMembers(ctx context.Context, group string, users []string, add bool, o WriteOptions) error {
	group, err := c.urnOf(group, model.EntityCorpGroup)
	if err != nil {
		return err
	}
	exists, err := c.Exists(ctx, group)
	if err != nil {
		return err
	}
	if !exists {
		return Errorf(NotFound, "The group %s does not exist.", group)
	}
	if users, err = c.urnsOfType(users, model.EntityCorpuser); err != nil {
		return err
	}
	edits := make([]Edit, len(users))
	for i, user := range users {
		edits[i] = Edit{URN: user, Aspect: model.AspectNativeGroupMembership, Change: func(value Tree, _ AuditStamp) error {
			c.editURNs(value, "nativeGroups", []string{group}, add)
			return nil
		}}
	}
	return c.Edit(ctx, edits, o)
}

// SetUserStatus sets the status of a user, which can only be ACTIVE.
func (c *Catalog) SetUserStatus(ctx context.Context, user, status string, o WriteOptions) error {
	user, err := c.urnOf(user, model.EntityCorpuser)
	if err != nil {
		return err
	}
	return c.Edit(ctx, []Edit{Replace(user, model.AspectCorpUserStatus, func(by AuditStamp) Tree {
		return Tree{"status": status, "lastModified": by.tree()}
	})}, o)
}

// EditProfile sets members of the profile of a user or group.
func (c *Catalog) EditProfile(ctx context.Context, urn string, members Tree, o WriteOptions) error {
	u, _, err := c.parseURN(urn)
	if err != nil {
		return err
	}
	aspect, ok := model.ProfileOf(u.EntityType())
	if !ok {
		return Errorf(Invalid, "%s is neither a corpuser nor a corpGroup", u)
	}
	return c.Edit(ctx, []Edit{{URN: urn, Aspect: aspect, Change: func(value Tree, _ AuditStamp) error {
		maps.Copy(value, members)
		return nil
	}}}, o)
}
