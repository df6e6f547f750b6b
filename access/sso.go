package access

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/headwater-io/headwater/access/oidc"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// SSO lets people sign in with identity providers. A sign-in that has begun is kept in a signed cookie of
// the browser, and not in the store: whoever begins sign-ins without end costs nothing.
type SSO struct {
	providers *oidc.Providers
	base      string
	users     *Provisioner
	secret    func() []byte
}

// NewSSO makes an SSO of the providers in the settings. The secret signs cookies; all servers over one
// store have the same.
func NewSSO(settings oidc.Settings, users *Provisioner, secret func() []byte, o oidc.Options) *SSO {
	return &SSO{oidc.New(settings, o), settings.BaseURL, users, secret}
}

// Buttons lists the providers.
func (s *SSO) Buttons() []oidc.Button { return s.providers.Buttons() }

// Base returns the address of this server as browsers see it, or "" if the settings do not say.
func (s *SSO) Base() string { return s.base }

// Begin starts a sign-in: the browser goes to the address and keeps the cookie. Callback is the address
// to which the provider sends the browser back, returnTo the page of ours after that.
func (s *SSO) Begin(ctx context.Context, provider, callback, returnTo string) (address, cookie string, err error) {
	start, err := s.providers.Begin(ctx, provider, callback, returnTo)
	if err != nil {
		return "", "", err
	}
	text, err := json.Marshal(start.State)
	if err != nil {
		return "", "", catalog.Errorf(catalog.Internal, "a sign-in could not begin: %w", err)
	}
	state := base64.RawURLEncoding.EncodeToString(text)
	return start.URL, state + "." + s.sign(state), nil
}

// sign returns the signature of a state.
func (s *SSO) sign(state string) string {
	code := hmac.New(sha256.New, s.secret())
	code.Write([]byte("headwater sign-in\n" + state)) // the write of a hash never fails
	return base64.RawURLEncoding.EncodeToString(code.Sum(nil))
}

// errNotBegun is the error of the end of a sign-in that did not begin in the browser.
var errNotBegun = catalog.Errorf(catalog.Unauthenticated, "this sign-in did not begin in this browser; try again")

// Finish ends a sign-in with the cookie and the provider's answer. It returns the user, and the page of
// ours to which the browser goes. The provider accepts an answer once.
func (s *SSO) Finish(ctx context.Context, cookie string, answer url.Values) (u model.URN, who oidc.Identity, returnTo string, err error) {
	text, signature, _ := strings.Cut(cookie, ".")
	if !hmac.Equal([]byte(signature), []byte(s.sign(text))) {
		return u, who, "", errNotBegun
	}
	var state oidc.State
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(decoded, &state) != nil {
		return u, who, "", errNotBegun
	}
	if who, err = s.providers.Finish(ctx, state, answer); err != nil {
		return u, who, "", err
	}
	if catalog.IsReservedName(who.UserName) {
		return u, who, "", catalog.Errorf(catalog.Forbidden, "nobody can sign in as %s, which is no person", who.UserName)
	}
	u, err = s.users.Provision(ctx, &who)
	return u, who, state.ReturnTo, err
}

// Machine returns the user of a token that a provider gave to a machine, which is made on the first use.
// It reports false if no provider makes such tokens.
func (s *SSO) Machine(ctx context.Context, token string) (u model.URN, ours bool, err error) {
	if !s.providers.Makes(token) {
		return u, false, nil
	}
	who, err := s.providers.Bearer(ctx, token)
	if err != nil {
		return u, true, err
	}
	who.Create = true
	u, err = s.users.Provision(ctx, &who)
	return u, true, err
}
