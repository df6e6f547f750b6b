package people

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// A role has at most one invite. Its token can be shown again, but is not stored: it consists of the name of
// the record and a code that follows from the record and the secret of the server. A reader of the store who
// lacks the secret cannot make the token.

// invite is the record of a link that lets people in, named after the hash of its role.
type invite struct {
	// Role is the URN of the role of people who use the invite, "" for none.
	Role string `json:"role,omitempty"`
	// Nonce is another one for each link of the role.
	Nonce   string `json:"nonce"`
	By      string `json:"by,omitempty"`
	Created int64  `json:"created"`
	Expires int64  `json:"expires"`
}

// Invite is a link that lets people in.
type Invite struct {
	// Token is the secret part of the link.
	Token string
	// Role is the role of people who use the invite, the zero URN for none.
	Role model.URN
	// Expires is the end of the link, epoch milliseconds.
	Expires int64
}

// ErrInvite is the error of a link that is unknown or is no longer valid.
var ErrInvite = &catalog.Error{Code: catalog.Invalid, Message: "The invite is not valid. Ask an administrator for a new link."}

const inviteNameBytes = 16

func inviteName(role string) string {
	sum := sha256.Sum256([]byte(role))
	return hex.EncodeToString(sum[:inviteNameBytes])
}

// tokenOf returns the token of an invite.
func (s *Service) tokenOf(of *invite) (string, error) {
	secret := s.Secret()
	if len(secret) == 0 {
		return "", catalog.Errorf(catalog.Internal, "the server has no secret from which invites are derived")
	}
	sum := sha256.Sum256([]byte(of.Role))
	code := hmac.New(sha256.New, secret)
	code.Write([]byte("headwater invite\n" + of.Role + "\n" + of.Nonce)) // the write of a hash never fails
	return base64.RawURLEncoding.EncodeToString(code.Sum(sum[:inviteNameBytes])), nil
}

// GetInvite returns the link that lets people in with a role, the zero URN for none. It makes one
// if there is none, or if it has expired.
func (s *Service) GetInvite(ctx context.Context, role model.URN, by string) (Invite, error) {
	return s.invite(ctx, role, by, false)
}

// RenewInvite makes a link that lets people in with a role, the zero URN for none. The former link
// ends.
func (s *Service) RenewInvite(ctx context.Context, role model.URN, by string) (Invite, error) {
	return s.invite(ctx, role, by, true)
}

func (s *Service) invite(ctx context.Context, role model.URN, by string, renew bool) (Invite, error) {
	if !role.IsZero() {
		if err := catalog.RequireType(role, model.EntityDataHubRole); err != nil {
			return Invite{}, err
		}
	}
	name := inviteName(role.String())
	for pruned := false; ; {
		record, exists, err := s.invites.Get(ctx, name)
		if err != nil {
			return Invite{}, err
		}
		now := s.Now()
		if exists && !renew && now.UnixMilli() < record.Value.Expires {
			return s.shown(&record.Value)
		}
		next := invite{Role: role.String(), Nonce: newToken(), By: by, Created: now.UnixMilli(), Expires: now.Add(limits.InviteTime).UnixMilli()}
		if exists {
			_, err = s.invites.Put(ctx, name, next, record.Revision)
		} else {
			err = s.invites.Create(ctx, name, next, limits.MaxInvites)
		}
		switch {
		case err == nil:
			return s.shown(&next)
		case errors.Is(err, records.ErrChanged): // another request has just made one
		case errors.Is(err, records.ErrFull) && !pruned:
			if err := s.Prune(ctx); err != nil {
				return Invite{}, err
			}
			pruned = true
		case errors.Is(err, records.ErrFull):
			return Invite{}, catalog.Errorf(catalog.Validation, "there are %d invites, the limit", limits.MaxInvites)
		default:
			return Invite{}, err
		}
	}
}

func (s *Service) shown(of *invite) (Invite, error) {
	token, err := s.tokenOf(of)
	return Invite{Token: token, Role: model.StoredURN(of.Role), Expires: of.Expires}, err
}

// checkInvite returns the invite of a token. It fails with [ErrInvite] if there is none, and says
// so if the invite has expired.
func (s *Service) checkInvite(ctx context.Context, token string) (invite, error) {
	decoded, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(decoded) != inviteNameBytes+sha256.Size {
		return invite{}, ErrInvite
	}
	record, exists, err := s.invites.Get(ctx, hex.EncodeToString(decoded[:inviteNameBytes]))
	if err != nil {
		return invite{}, err
	}
	if !exists {
		return invite{}, ErrInvite
	}
	want, err := s.tokenOf(&record.Value)
	if err != nil {
		return invite{}, err
	}
	if !hmac.Equal([]byte(want), []byte(token)) {
		return invite{}, ErrInvite
	}
	if s.Now().UnixMilli() >= record.Value.Expires {
		return invite{}, catalog.Errorf(catalog.Invalid, "The invite has expired. Ask an administrator for a new link.")
	}
	return record.Value, nil
}

// SignUp makes a user from an invite, named after the e-mail address, and returns the URN. It gives
// the user no role: [Service.AcceptRole] does. A user who exists keeps their identity: an
// administrator lets them in with [Service.CreateReset].
func (s *Service) SignUp(ctx context.Context, n SignUp) (model.URN, error) {
	if strings.TrimSpace(n.InviteToken) == "" {
		return model.URN{}, catalog.Errorf(catalog.Invalid, "Invite token must not be empty.")
	}
	if err := s.check(&n, false); err != nil {
		return model.URN{}, err
	}
	if _, err := s.checkInvite(ctx, n.InviteToken); err != nil {
		return model.URN{}, err
	}
	u, err := s.userOf(n.Email)
	if err != nil {
		return u, catalog.Errorf(catalog.Invalid, "Email cannot be the name of a user: %w", err)
	}
	exists, err := s.Writer.Exists(ctx, u)
	if err != nil {
		return u, err
	}
	if exists {
		return u, s.alreadyThere(ctx, u)
	}
	hash, err := s.hasher.hash(ctx, n.Password)
	if err != nil {
		return u, err
	}
	info, status := n.profile(s.stampOf(u))
	return u, s.create(ctx, u, hash, map[string]catalog.Tree{model.AspectCorpUserInfo: info, model.AspectCorpUserStatus: status})
}

// alreadyThere returns the error of a sign-up with the name of a user who exists.
func (s *Service) alreadyThere(ctx context.Context, u model.URN) error {
	has, err := s.HasPassword(ctx, u)
	switch {
	case err != nil:
		return err
	case has:
		return catalog.Errorf(catalog.Conflict, "This user already exists! Sign in as %s, or ask an administrator for a link that sets a new password.", u.Key())
	}
	return catalog.Errorf(catalog.Conflict, "The catalog knows %s already, without a password. Ask an administrator for a link that sets one.", u.Key())
}

func (s *Service) stampOf(u model.URN) catalog.AuditStamp {
	return catalog.AuditStamp{Time: s.Now().UnixMilli(), Actor: u.String()}
}

// AcceptRole replaces the roles of a user by the role of an invite; an invite without a role
// removes them. An administrator stays an administrator, so that nobody can take this role away
// with a link.
func (s *Service) AcceptRole(ctx context.Context, u model.URN, token string, o catalog.WriteOptions) error {
	of, err := s.checkInvite(ctx, token)
	if err != nil {
		return err
	}
	return s.Writer.Edit(ctx, []write.Edit{{URN: u, Aspect: model.AspectRoleMembership, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		roles := []any{}
		if of.Role != "" {
			roles = append(roles, of.Role)
		}
		admin := s.adminRole()
		if s.names.SameURN(of.Role, admin) || !s.hasRole(value, admin) {
			value["roles"] = roles
			return nil
		}
		value["roles"] = append([]any{admin.String()}, roles...)
		return nil
	}}}, o)
}
