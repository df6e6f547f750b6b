package oidc

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net/url"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// State carries data from the start of a sign-in to its end. The caller stores it under its Key, and deletes
// it before it calls Finish, so that no sign-in ends twice.
type State struct {
	// Key is the hash of the secret in the address of the provider.
	Key      string `json:"key"`
	Provider string `json:"provider"`
	// Nonce is in the identity token. Verifier proves to the provider that the server which ends
	// the sign-in has begun the sign-in; a Verifier is worth nothing without the code, which only
	// the browser gets.
	Nonce       string    `json:"nonce"`
	Verifier    string    `json:"verifier"`
	RedirectURL string    `json:"redirectUrl"`
	ReturnTo    string    `json:"returnTo"`
	Expires     time.Time `json:"expires"`
}

// Start is the start of a sign-in: the address to which the browser goes. The caller puts Secret into a
// cookie of the browser, and at the end finds the State with KeyOf(cookie). Without the cookie, an attacker
// could let another person end a sign-in that the attacker began.
type Start struct {
	URL    string
	Secret string
	State  State
}

// KeyOf returns the key of the state with a secret.
func KeyOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Begin starts a sign-in. redirectURL is the address of our own page to which the provider sends the
// browser back, returnTo the path of the page that the person wanted, "" for the first page.
func (ps *Providers) Begin(ctx context.Context, name, redirectURL, returnTo string) (Start, error) {
	p, err := ps.find(name)
	if err != nil {
		return Start{}, err
	}
	setDefault(&returnTo, "/")
	if err := CheckReturnTo(returnTo); err != nil {
		return Start{}, err
	}
	d, err := p.discover(ctx)
	if err != nil {
		return Start{}, err
	}
	secret := rand.Text() + rand.Text()
	s := State{
		Key: KeyOf(secret), Provider: p.Name, Nonce: rand.Text() + rand.Text(), Verifier: oauth2.GenerateVerifier(),
		RedirectURL: redirectURL, ReturnTo: returnTo, Expires: p.now().Add(limits.SignInTime),
	}
	address := p.client(d, redirectURL).AuthCodeURL(secret, gooidc.Nonce(s.Nonce), oauth2.S256ChallengeOption(s.Verifier))
	return Start{URL: address, Secret: secret, State: s}, nil
}

// client is ourselves, as the provider knows us.
func (p *provider) client(d *discovered, redirectURL string) *oauth2.Config {
	endpoint := d.Endpoint()
	endpoint.AuthStyle = d.style
	return &oauth2.Config{ClientID: p.ClientID, ClientSecret: string(p.ClientSecret), Endpoint: endpoint, RedirectURL: redirectURL, Scopes: p.Scopes}
}

// Finish ends a sign-in with the query of the address to which the provider sent the browser.
func (ps *Providers) Finish(ctx context.Context, s State, query url.Values) (Identity, error) {
	p, err := ps.find(s.Provider)
	if err != nil {
		return Identity{}, err
	}
	// No parameter of the query is used or shown before the state is checked.
	state, known := single(query, "state")
	if !known || subtle.ConstantTimeCompare([]byte(KeyOf(state)), []byte(s.Key)) != 1 {
		return Identity{}, catalog.Errorf(catalog.Unauthenticated, "this sign-in was not begun in this browser: begin it again")
	}
	if p.now().After(s.Expires) {
		return Identity{}, catalog.Errorf(catalog.Unauthenticated, "this sign-in took more than %s: begin it again", limits.SignInTime)
	}
	d, err := p.discover(ctx)
	if err != nil {
		return Identity{}, err
	}
	if err := p.checkAnswer(d, query); err != nil {
		return Identity{}, err
	}
	code, known := single(query, "code")
	if !known {
		return Identity{}, catalog.Errorf(catalog.Unauthenticated, "the identity provider %s has sent no code", p.Name)
	}
	token, err := p.client(d, s.RedirectURL).Exchange(gooidc.ClientContext(ctx, d.client), code, oauth2.VerifierOption(s.Verifier))
	if err != nil {
		return Identity{}, p.refusedCode(err)
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return Identity{}, catalog.Errorf(catalog.Unauthenticated, "the identity provider %s has sent no identity token", p.Name)
	}
	verified, claims, err := p.verify(ctx, d, raw)
	if err != nil {
		return Identity{}, err
	}
	if err := p.checkIdentityToken(verified, claims, s.Nonce, token.AccessToken); err != nil {
		return Identity{}, err
	}
	if err := p.addUserInfo(ctx, d, token.AccessToken, claims); err != nil {
		return Identity{}, err
	}
	return p.person(verified, claims, raw)
}

// single returns the value of a parameter that occurs once.
func single(query url.Values, name string) (string, bool) {
	values := query[name]
	if len(values) != 1 || values[0] == "" {
		return "", false
	}
	return values[0], true
}

// checkAnswer refuses the answer of another provider, and an error.
func (p *provider) checkAnswer(d *discovered, query url.Values) error {
	if issuer, named := single(query, "iss"); (named || query.Has("iss") || d.namesItself) && issuer != d.issuer {
		return catalog.Errorf(catalog.Unauthenticated, "the answer is not from the identity provider %s", p.Name)
	}
	if !query.Has("error") {
		return nil
	}
	code := catalog.Unauthenticated
	switch query.Get("error") {
	case "access_denied":
		code = catalog.Forbidden
	case "server_error", "temporarily_unavailable":
		code = catalog.Unavailable
	}
	return catalog.Errorf(code, "the identity provider %s refuses the sign-in: %s", p.Name, explained(query.Get("error"), query.Get("error_description")))
}

// refusedCode is the error of an exchange that has failed. The library's error has the whole answer,
// which is left out.
func (p *provider) refusedCode(err error) error {
	refused := new(oauth2.RetrieveError)
	if !errors.As(err, &refused) {
		return &catalog.Error{Code: catalog.Unavailable, Message: "the identity provider " + p.Name + " gives no token", Err: briefly(err)}
	}
	code := catalog.Unauthenticated
	if refused.Response != nil && refused.Response.StatusCode >= 500 {
		code = catalog.Unavailable
	}
	return catalog.Errorf(code, "the identity provider %s refuses the code: %s", p.Name, explained(refused.ErrorCode, refused.ErrorDescription))
}

// SignOutURL returns the address at which a person signs out of the provider, and which then sends the
// browser to after. It is "" if the provider has none.
func (ps *Providers) SignOutURL(ctx context.Context, name, idToken, after string) (string, error) {
	p, err := ps.find(name)
	if err != nil {
		return "", err
	}
	d, err := p.discover(ctx)
	if err != nil || d.endSession == "" {
		return "", err
	}
	address, err := url.Parse(d.endSession)
	if err != nil {
		return "", catalog.Errorf(catalog.Unavailable, "the identity provider %s has a bad end_session_endpoint", p.Name)
	}
	query := address.Query()
	query.Set("client_id", p.ClientID)
	if idToken != "" {
		query.Set("id_token_hint", idToken)
	}
	if after != "" {
		query.Set("post_logout_redirect_uri", after)
	}
	address.RawQuery = query.Encode()
	return address.String(), nil
}
