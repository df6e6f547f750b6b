package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/headwater-io/headwater/catalog"
)

// wellKnown is the path of discovery documents. A document is read again after discoveryAge, together with
// the keys, so that a key that the provider has withdrawn is not accepted for longer. After a failure, a
// provider is not asked again for discoveryPause.
const (
	discoveryPath  = "/.well-known/openid-configuration"
	discoveryAge   = time.Hour
	discoveryPause = 5 * time.Second
)

// Options are the needs of providers besides their settings.
type Options struct {
	Now func() time.Time
	// Transport sends the requests; by default it is http.DefaultTransport.
	Transport http.RoundTripper
}

// Providers are the identity providers of a server. A provider gets no request before its answer is needed.
type Providers struct {
	now    func() time.Time
	listed []*provider
}

// provider is a provider with its settings and its discovery document.
type provider struct {
	ProviderSettings
	now  func() time.Time
	base http.RoundTripper

	// turn has one place: the goroutine that fills it may read and write the members below.
	turn    chan struct{}
	known   *discovered
	failure error
	asked   time.Time
}

// discovered is the provider's description of itself.
type discovered struct {
	*gooidc.Provider
	issuer     string
	client     *http.Client
	keys       gooidc.KeySet
	style      oauth2.AuthStyle
	endSession string
	// namesItself: the provider puts its issuer into the addresses to which it sends people back.
	namesItself bool
}

// New returns the providers of settings that ReadFile or FromEnvironment has read.
func New(s Settings, o Options) *Providers {
	p := &Providers{now: o.Now}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	for _, settings := range s.Providers {
		p.listed = append(p.listed, &provider{ProviderSettings: settings, now: p.now, base: o.Transport, turn: make(chan struct{}, 1)})
	}
	return p
}

// Button is a provider as the page of sign-in shows it.
type Button struct{ Name, Title string }

// Buttons returns the providers in the order of the settings.
func (ps *Providers) Buttons() []Button {
	buttons := make([]Button, len(ps.listed))
	for i, p := range ps.listed {
		buttons[i] = Button{p.Name, p.Title}
	}
	return buttons
}

func (ps *Providers) find(name string) (*provider, error) {
	for _, p := range ps.listed {
		if p.Name == name {
			return p, nil
		}
	}
	return nil, catalog.Errorf(catalog.NotFound, "there is no identity provider %q", name)
}

// discover returns the provider's discovery document. One caller reads it, for at most requestTime, and the
// other callers wait for the result.
func (p *provider) discover(ctx context.Context) (*discovered, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, catalog.Errorf(catalog.Timeout, "the identity provider %s does not answer in time", p.Name)
	}
	now := p.now()
	age := now.Sub(p.asked)
	switch {
	case p.failure == nil && p.known != nil && age < discoveryAge:
		return p.known, nil
	case p.failure != nil && age < discoveryPause && p.known == nil:
		return nil, p.failure
	case p.failure != nil && age < discoveryPause:
		return p.known, nil
	}
	// A caller who hangs up must not end the reading for the callers who wait.
	found, err := p.read(context.WithoutCancel(ctx))
	p.asked, p.failure = p.now(), err
	switch {
	case err == nil:
		p.known = found
	case p.known == nil:
		return nil, err
	}
	return p.known, nil
}

func (p *provider) read(ctx context.Context) (*discovered, error) {
	client := newClient(p.base)
	ctx = gooidc.ClientContext(ctx, client)
	issuer := p.Issuer
	found, err := gooidc.NewProvider(ctx, issuer)
	// Some issuers end with a slash, which people leave out in the settings.
	if other := new(gooidc.IssuerMismatchError); errors.As(err, &other) && withoutSlash(other.Discovered) == withoutSlash(issuer) {
		issuer = other.Discovered
		found, err = gooidc.NewProvider(ctx, issuer)
	}
	if other := new(gooidc.IssuerMismatchError); errors.As(err, &other) {
		return nil, catalog.Errorf(catalog.Unavailable, "the identity provider %s calls itself %q, and not %q as in the settings", p.Name, clean(other.Discovered), issuer)
	}
	if err != nil {
		return nil, &catalog.Error{Code: catalog.Unavailable, Message: "the identity provider " + p.Name + " cannot be reached", Err: briefly(err)}
	}
	var said struct {
		JWKS          string   `json:"jwks_uri"`
		Authorization string   `json:"authorization_endpoint"`
		Token         string   `json:"token_endpoint"`
		UserInfo      string   `json:"userinfo_endpoint"`
		EndSession    string   `json:"end_session_endpoint"`
		Methods       []string `json:"token_endpoint_auth_methods_supported"`
		NamesItself   bool     `json:"authorization_response_iss_parameter_supported"`
	}
	if err := found.Claims(&said); err != nil {
		return nil, &catalog.Error{Code: catalog.Unavailable, Message: "the identity provider " + p.Name + " has a discovery document that cannot be read", Err: err}
	}
	for _, endpoint := range []struct {
		name, address string
		needed        bool
	}{{"jwks_uri", said.JWKS, true}, {"authorization_endpoint", said.Authorization, true}, {"token_endpoint", said.Token, true}, {"userinfo_endpoint", said.UserInfo, false}, {"end_session_endpoint", said.EndSession, false}} {
		if endpoint.address == "" && !endpoint.needed {
			continue
		}
		if err := p.checkEndpoint(endpoint.address); err != nil {
			return nil, catalog.Errorf(catalog.Unavailable, "the identity provider %s has a discovery document with a bad %s: %s", p.Name, endpoint.name, err)
		}
	}
	keysClient := newClient(&seldom{base: p.base, now: p.now})
	return &discovered{
		Provider: found, issuer: issuer, client: client,
		keys:       gooidc.NewRemoteKeySet(gooidc.ClientContext(context.WithoutCancel(ctx), keysClient), said.JWKS),
		style:      p.style(said.Methods),
		endSession: said.EndSession, namesItself: said.NamesItself,
	}, nil
}

// checkEndpoint refuses an endpoint without TLS of an issuer with TLS.
func (p *provider) checkEndpoint(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return errors.New("it is no address")
	}
	issuer, err := url.Parse(p.Issuer)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || issuer.Scheme != "http") {
		return fmt.Errorf("its scheme is %q", clean(u.Scheme))
	}
	return nil
}

// style says how the client's secret is sent. The library would try both ways otherwise, and the first
// try may use the code up.
func (p *provider) style(methods []string) oauth2.AuthStyle {
	basic, post := len(methods) == 0, false
	for _, m := range methods {
		basic, post = basic || m == "client_secret_basic", post || m == "client_secret_post"
	}
	if p.ClientSecret == "" || p.ClientAuthentication == "post" || p.ClientAuthentication == "" && post && !basic {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}
