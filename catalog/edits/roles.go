package edits

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// SetRole replaces the roles of users and groups by one role, for all of them or none. The zero
// URN removes their roles. The server grants nothing by roles.
func (s *Service) SetRole(ctx context.Context, role model.URN, actors []model.URN, o catalog.WriteOptions) error {
	actors, err := catalog.AllOfType(actors, model.EntityCorpuser, model.EntityCorpGroup)
	if err != nil {
		return err
	}
	if err := catalog.TooMany("actors", len(actors), write.MaxEdits); err != nil {
		return err
	}
	roles := []any{}
	if !role.IsZero() {
		if err := s.requireExisting(ctx, role, model.EntityDataHubRole); err != nil {
			return err
		}
		roles = append(roles, role.String())
	}
	if err := s.writer.RequireExisting(ctx, actors...); err != nil {
		return err
	}
	edits := make([]write.Edit, len(actors))
	for i, actor := range actors {
		edits[i] = write.Edit{URN: actor, Aspect: model.AspectRoleMembership, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
			value["roles"] = roles
			return nil
		}}
	}
	return s.writer.Edit(ctx, edits, o)
}
