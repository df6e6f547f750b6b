package edits

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// ForgetToken deletes the stored metadata of an access token, which may come from another
// server. It fails if no metadata is stored.
func (s *Service) ForgetToken(ctx context.Context, id string, o catalog.WriteOptions) error {
	dialect, _ := s.dialectOfActor(o.Actor)
	u, err := model.BuildURN(dialect.Namespace, model.EntityDataHubAccessToken, id)
	if err != nil {
		return &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
	}
	return s.removal.DeleteEntity(ctx, u, []string{model.EntityDataHubAccessToken}, o)
}
