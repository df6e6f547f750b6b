package catalog

import (
	"context"
	"maps"
)

// EditGroupMembers adds users to a group or removes them from it.
func (c *Catalog) EditGroupMembers(ctx context.Context, group string, users []string, add bool, o WriteOptions) error {
	group, err := c.urnOf(group, "corpGroup")
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
	if users, err = c.urnsOfType(users, "corpuser"); err != nil {
		return err
	}
	edits := make([]Edit, len(users))
	for i, user := range users {
		edits[i] = Edit{URN: user, Aspect: "nativeGroupMembership", Change: func(value Tree, _ AuditStamp) error {
			c.editURNs(value, "nativeGroups", []string{group}, add)
			return nil
		}}
	}
	return c.Edit(ctx, edits, o)
}

// SetUserStatus sets the status of a user, which can only be ACTIVE.
func (c *Catalog) SetUserStatus(ctx context.Context, user, status string, o WriteOptions) error {
	user, err := c.urnOf(user, "corpuser")
	if err != nil {
		return err
	}
	return c.Edit(ctx, []Edit{Replace(user, "corpUserStatus", func(by AuditStamp) Tree {
		return Tree{"status": status, "lastModified": by.tree()}
	})}, o)
}

// profiles name the aspects with the profiles of users and groups.
var profiles = map[string]string{"corpuser": "corpUserEditableInfo", "corpGroup": "corpGroupEditableInfo"}

// EditProfile sets members of the profile of a user or group.
func (c *Catalog) EditProfile(ctx context.Context, urn string, members Tree, o WriteOptions) error {
	u, _, err := c.parseURN(urn)
	if err != nil {
		return err
	}
	aspect, ok := profiles[u.EntityType()]
	if !ok {
		return Errorf(Invalid, "%s is neither a corpuser nor a corpGroup", u)
	}
	return c.Edit(ctx, []Edit{{URN: urn, Aspect: aspect, Change: func(value Tree, _ AuditStamp) error {
		maps.Copy(value, members)
		return nil
	}}}, o)
}
