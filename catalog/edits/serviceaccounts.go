package edits

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// ServiceAccountType is the subtype of users that are service accounts, which is the reference's.
const ServiceAccountType = "SERVICE_ACCOUNT"

// CreateServiceAccount makes a user for a program. Without a name, the account is called by its id.
func (s *Service) CreateServiceAccount(ctx context.Context, name, description string, o catalog.WriteOptions) (model.URN, error) {
	id := catalog.ServiceAccountPrefix + uuid.NewString()
	u, _, err := s.newURN(model.EntityCorpuser, id, o)
	if err != nil {
		return u, err
	}
	if name == "" {
		name = id
	}
	info := catalog.Tree{"active": true, "displayName": name}
	if description != "" {
		info["title"] = description
	}
	return u, s.writer.Create(ctx, u, map[string]catalog.Tree{
		model.AspectCorpUserInfo: info,
		model.AspectSubTypes:     {"typeNames": []any{ServiceAccountType}},
	}, o)
}

// DeleteServiceAccount deletes a service account. Its tokens end, since nobody is left to use them.
func (s *Service) DeleteServiceAccount(ctx context.Context, u model.URN, o catalog.WriteOptions) error {
	if err := s.requireServiceAccount(ctx, u); err != nil {
		return err
	}
	return s.removal.DeleteEntity(ctx, u, []string{model.EntityCorpuser}, o)
}

// SetServiceAccountView sets the view that a service account uses; the zero URN removes it. Only a
// global view can be set.
func (s *Service) SetServiceAccountView(ctx context.Context, u, view model.URN, o catalog.WriteOptions) error {
	if err := s.requireServiceAccount(ctx, u); err != nil {
		return err
	}
	if !view.IsZero() {
		kind, err := s.viewType(ctx, view)
		if err != nil {
			return err
		}
		if kind != GlobalView {
			return catalog.Errorf(catalog.Invalid, "%s is not a global view; a service account can use no other", view)
		}
	}
	return s.setSettings(ctx, u, chooseView(view), o)
}

// requireServiceAccount fails unless a URN is that of a service account.
func (s *Service) requireServiceAccount(ctx context.Context, u model.URN) error {
	is, err := s.IsServiceAccount(ctx, u)
	if err == nil && !is {
		err = catalog.Errorf(catalog.Invalid, "The specified URN is not a service account: %s", u)
	}
	return err
}

// IsServiceAccount reports whether a URN is that of a service account.
func (s *Service) IsServiceAccount(ctx context.Context, u model.URN) (bool, error) {
	if u.EntityType() != model.EntityCorpuser {
		return false, nil
	}
	stored, err := s.reader.Aspect(ctx, u, model.AspectSubTypes, 0)
	switch {
	case err == nil:
	case catalog.CodeOf(err) == catalog.NotFound:
		return false, nil
	default:
		return false, err
	}
	value, err := catalog.TreeOf(stored.Value)
	return slices.Contains(jsontree.Texts(value, "typeNames"), ServiceAccountType), err
}
