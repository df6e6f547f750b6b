package people

import (
	"context"
	"errors"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// reset is the record of a link that sets a new password, named after the URN of its user.
type reset struct {
	// Hash is the hash of the token.
	Hash    string `json:"hash"`
	By      string `json:"by,omitempty"`
	Expires int64  `json:"expires"`
}

// ErrReset is the error for a link that never set a password, or no longer sets one.
var ErrReset = &catalog.Error{Code: catalog.Invalid, Message: "The link that sets a new password is not valid. Ask an administrator for a new one."}

// CreateReset makes a link with which a user sets a new password once, and returns its token, which
// is not shown again. A former link of the user ends. The user need not have a password.
func (s *Service) CreateReset(ctx context.Context, u model.URN, by string) (token string, err error) {
	if err := catalog.RequireType(u, model.EntityCorpuser); err != nil {
		return "", err
	}
	exists, err := s.Writer.Exists(ctx, u)
	if err != nil {
		return "", err
	}
	if !exists {
		return "", catalog.NotStored(u, "The user %s does not exist.")
	}
	if catalog.IsReservedName(u.Key()) {
		return "", catalog.Errorf(catalog.Invalid, "The user %s has no password.", u)
	}
	token = newToken()
	_, err = s.resets.Update(ctx, u.String(), func(r *reset) error {
		*r = reset{Hash: hashOf(token), By: by, Expires: s.Now().Add(limits.ResetTime).UnixMilli()}
		return nil
	})
	return token, err
}

// Reset sets the password of a user (an e-mail address, name or URN) who has the token of a link,
// and ends the sessions of the user. It fails with [ErrReset] if the user has no such link.
func (s *Service) Reset(ctx context.Context, user, text, token string) (model.URN, error) {
	u, err := s.userOf(user)
	if err != nil {
		return u, ErrReset
	}
	record, _, err := s.resets.Get(ctx, u.String())
	if err != nil {
		return u, err
	}
	if !isToken(token, record.Value.Hash) {
		return u, ErrReset
	}
	if s.Now().UnixMilli() >= record.Value.Expires {
		return u, catalog.Errorf(catalog.Invalid, "The link that sets a new password has expired. Ask an administrator for a new one.")
	}
	may, err := s.active(ctx, u)
	if err != nil {
		return u, err
	}
	if !may {
		return u, catalog.Errorf(catalog.Forbidden, "The user %s is suspended or removed.", u.Key())
	}
	if err := s.checkPassword(text, u.Key()); err != nil {
		return u, err
	}
	hash, err := s.hasher.hash(ctx, text)
	if err != nil {
		return u, err
	}
	// Delete makes the link work only once: of two callers, one deletes this revision.
	if err := s.resets.Delete(ctx, u.String(), record.Revision); errors.Is(err, records.ErrChanged) {
		return u, ErrReset
	} else if err != nil {
		return u, err
	}
	return u, s.storePassword(ctx, u, hash, "")
}
