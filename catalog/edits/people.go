package edits

import (
	"context"
	"maps"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// EditGroupMembers adds users to a group, or removes users from it.
func (s *Service) EditGroupMembers(ctx context.Context, group model.URN, users []model.URN, add bool, o catalog.WriteOptions) error {
	if err := catalog.RequireType(group, model.EntityCorpGroup); err != nil {
		return err
	}
	exists, err := s.writer.Exists(ctx, group)
	if err != nil {
		return err
	}
	if !exists {
		return catalog.Errorf(catalog.NotFound, "The group %s does not exist.", group)
	}
	if users, err = catalog.AllOfType(users, model.EntityCorpuser); err != nil {
		return err
	}
	if ctx, err = judged(ctx, "change the members", []model.URN{group}, editMembers, manageUsers); err != nil {
		return err
	}
	edits := make([]write.Edit, len(users))
	for i, user := range users {
		edits[i] = write.Edit{URN: user, Aspect: model.AspectNativeGroupMembership, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
			s.editURNs(value, "nativeGroups", []model.URN{group}, add)
			return nil
		}}
	}
	return s.writer.Edit(ctx, edits, o)
}

// SetUserStatus sets the status of a user: ACTIVE or SUSPENDED.
func (s *Service) SetUserStatus(ctx context.Context, user model.URN, status string, o catalog.WriteOptions) error {
	if err := catalog.RequireType(user, model.EntityCorpuser); err != nil {
		return err
	}
	return s.writer.Edit(ctx, []write.Edit{write.Replace(user, model.AspectCorpUserStatus, func(by catalog.AuditStamp) catalog.Tree {
		return catalog.Tree{"status": status, "lastModified": by.Tree()}
	})}, o)
}

// EditProfile sets members of the profile of a user or group.
func (s *Service) EditProfile(ctx context.Context, u model.URN, members catalog.Tree, o catalog.WriteOptions) error {
	aspect, ok := model.ProfileOf(u.EntityType())
	if !ok {
		return catalog.Errorf(catalog.Invalid, "%s is neither a corpuser nor a corpGroup", u)
	}
	privilege := editUsers
	if u.EntityType() == model.EntityCorpGroup {
		privilege = editGroups
	}
	return s.writer.Edit(ctx, []write.Edit{{URN: u, Aspect: aspect, Privileges: []string{privilege}, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		maps.Copy(value, members)
		return nil
	}}}, o)
}
