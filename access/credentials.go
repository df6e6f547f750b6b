package access

import (
	"cmp"
	"context"
	"time"

	"github.com/headwater-io/headwater/access/tokens"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// Standard is the reference's text for every refusal.
const Standard = "Unauthorized to perform this action. Please contact your DataHub administrator."

// errForbidden refuses a caller who lacks a privilege.
var errForbidden = &catalog.Error{Code: catalog.Forbidden, Message: Standard}

// The privileges of the platform that this package and its callers ask for.
const (
	ManageTokens          = "MANAGE_ACCESS_TOKENS"
	ManageServiceAccounts = "MANAGE_SERVICE_ACCOUNTS"
	ManageCredentials     = "MANAGE_USER_CREDENTIALS"
	ManagePolicies        = "MANAGE_POLICIES"
	makeOwnTokens         = "GENERATE_PERSONAL_ACCESS_TOKENS"
)

// Require refuses a caller who has none of some privileges of the platform, with the reference's text.
func Require(ctx context.Context, privileges ...string) error {
	if !permission.Holds(ctx, privileges...) {
		return errForbidden
	}
	return nil
}

// Credentials lets callers make and revoke tokens: their own, and those of others with the privilege to manage them. It
// is safe for concurrent use.
type Credentials struct {
	tokens   *tokens.Service
	accounts ServiceAccounts
	gate     *Gate
}

// ServiceAccounts tells which users are service accounts.
type ServiceAccounts interface {
	IsServiceAccount(ctx context.Context, u model.URN) (bool, error)
}

// NewCredentials makes Credentials.
func NewCredentials(t *tokens.Service, accounts ServiceAccounts, gate *Gate) *Credentials {
	return &Credentials{t, accounts, gate}
}

// TokenRequest asks for a token.
type TokenRequest struct {
	Type  tokens.Type
	Actor model.URN
	// For is how long the token is valid; 0 means for ever.
	For               time.Duration
	Name, Description string
}

// owner returns the caller as the owner of a token.
func owner(ctx context.Context) (model.URN, error) {
	actor := requestinfo.CallerOf(ctx).Actor
	if actor == "" {
		actor = catalog.SystemActor(model.Default().Dialects()[0])
	}
	return model.ParseURN(actor)
}

// MakeToken makes a token. Its text cannot be read again later, and is the only way to use the token.
func (s *Credentials) MakeToken(ctx context.Context, r TokenRequest, o catalog.WriteOptions) (string, tokens.Metadata, error) {
	by, err := owner(ctx)
	if err != nil {
		return "", tokens.Metadata{}, err
	}
	if err := mayMake(ctx, &r, by); err != nil {
		return "", tokens.Metadata{}, err
	}
	if r.Type == tokens.ServiceAccount {
		if is, err := s.accounts.IsServiceAccount(ctx, r.Actor); err != nil || !is {
			return "", tokens.Metadata{}, cmp.Or(err, error(catalog.Errorf(catalog.Invalid, "The specified URN is not a service account: %s", r.Actor)))
		}
	}
	state, err := s.gate.Actors.State(ctx, r.Actor)
	if err == nil && state.Denied != "" {
		err = catalog.Errorf(catalog.Invalid, "the user %s %s, so nobody could use the token", r.Actor, state.Denied)
	}
	if err != nil {
		return "", tokens.Metadata{}, err
	}
	return s.tokens.Make(ctx, tokens.Request{
		Type: r.Type, Actor: r.Actor, Owner: by, For: r.For, Name: r.Name, Description: r.Description,
	}, o)
}

// mayMake fails unless the caller may make a token.
func mayMake(ctx context.Context, r *TokenRequest, by model.URN) error {
	switch {
	case r.Type == tokens.ServiceAccount:
		return Require(ctx, ManageServiceAccounts)
	case r.Actor == by:
		return Require(ctx, makeOwnTokens, ManageTokens)
	}
	return Require(ctx, ManageTokens)
}

// MayListTokens fails unless the caller may see the tokens of the owners whom a filter names. Who
// manages tokens may see all of them.
func (s *Credentials) MayListTokens(ctx context.Context, owners []string) error {
	by, err := owner(ctx)
	if err != nil || permission.Holds(ctx, ManageTokens) {
		return err
	}
	if len(owners) != 1 || owners[0] != by.String() {
		return errForbidden
	}
	return nil
}

// RevokeToken ends a token by its id.
func (s *Credentials) RevokeToken(ctx context.Context, id string, o catalog.WriteOptions) error {
	by, err := owner(ctx)
	if err != nil {
		return err
	}
	m, err := s.tokens.Metadata(ctx, id)
	if catalog.CodeOf(err) == catalog.NotFound && permission.Holds(ctx, ManageTokens) {
		return catalog.Errorf(catalog.NotFound, "Failed to revoke access token. Root cause: Access token no longer exists")
	}
	if err != nil && catalog.CodeOf(err) != catalog.NotFound {
		return err
	}
	if !permission.Holds(ctx, ManageTokens) && (err != nil || m.Owner != by.String() && m.Actor != by.String()) {
		return errForbidden // do not tell whether another actor's token exists
	}
	defer s.gate.Forget()
	return s.tokens.Revoke(ctx, id, o)
}

// TokenMetadata returns the metadata of a token by its text, which only those may ask for who manage
// tokens.
func (s *Credentials) TokenMetadata(ctx context.Context, token string) (tokens.Metadata, error) {
	if err := Require(ctx, ManageTokens); err != nil {
		return tokens.Metadata{}, err
	}
	return s.tokens.Metadata(ctx, s.tokens.IDOf(token))
}

// sessionTime is how long a token of [Credentials.SessionToken] is valid, which is the reference's.
const sessionTime = 24 * time.Hour

// SessionToken makes a token for a user who has signed in at a web page server of the reference. It
// fails with [catalog.Forbidden] if the user may do nothing.
func (s *Credentials) SessionToken(ctx context.Context, user model.URN) (string, error) {
	state, err := s.gate.Actors.State(ctx, user)
	if err != nil {
		return "", err
	}
	if state.Denied != "" {
		return "", catalog.Errorf(catalog.Forbidden, "the user %s %s", user, state.Denied)
	}
	text, _, err := s.tokens.Make(ctx, tokens.Request{Type: tokens.Session, Actor: user, Owner: user, For: sessionTime, Name: "session"}, catalog.WriteOptions{})
	return text, err
}
