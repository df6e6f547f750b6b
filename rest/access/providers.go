package access

import (
	"context"
	"net/http"
	"net/url"

	"github.com/headwater-io/headwater/access/oidc"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// Providers lets people sign in with identity providers.
type Providers interface {
	Buttons() []oidc.Button
	// Base is the address of this server as browsers see it, or "".
	Base() string
	Begin(ctx context.Context, provider, callback, returnTo string) (address, secret string, err error)
	Finish(ctx context.Context, secret string, answer url.Values) (u model.URN, who oidc.Identity, returnTo string, err error)
}

const (
	// signInCookie has the secret of a sign-in that has begun.
	signInCookie = "headwater_sign_in"
	callbackPath = "/callback/oidc"
	startPage    = "/ui"
)

// withProviders are the calls of sign-ins with an identity provider. The browser follows them.
func (h handlers) withProviders() []call.Endpoint {
	back := func(usual string) []call.Parameter {
		return []call.Parameter{{Name: "redirect_uri", Kind: "string", Help: "the page of this server to go to afterwards, " + usual + " by default"}}
	}
	return []call.Endpoint{
		{
			Method: http.MethodGet, Path: "/authenticate", Open: true, Status: http.StatusSeeOther,
			Summary:    "Go to a page if somebody is signed in, and otherwise to the only identity provider, or to the page on which people sign in.",
			Parameters: back(signedInPage),
			Handle:     h.goAndAuthenticate,
		},
		{
			Method: http.MethodGet, Path: "/sso", Open: true, Status: http.StatusSeeOther,
			Summary:    "Begin a sign-in with an identity provider.",
			Parameters: append(back(startPage), call.Parameter{Name: "provider", Kind: "string", Help: "the name of the provider; it may be left out if there is one only"}),
			Handle:     h.sso,
		},
		{
			Method: http.MethodGet, Path: callbackPath, Open: true, AnyQuery: true, Status: http.StatusSeeOther,
			Summary: "End a sign-in with an identity provider, which sends the browser here.",
			Handle:  h.callback,
		},
	}
}

// returnTo returns the page to which the browser goes afterwards: usual, unless the request names another one.
func returnTo(c *call.Call, usual string) (string, error) {
	page := c.Query("redirect_uri")
	if page == "" {
		page = usual
	}
	return page, oidc.CheckReturnTo(page)
}

// goAndAuthenticate ends on [signedInPage] unless the request names another page: only programs open the address
// without a page, such as `datahub init --sso`.
func (h handlers) goAndAuthenticate(c *call.Call) error {
	page, err := returnTo(c, signedInPage)
	if err != nil {
		return err
	}
	switch {
	case requestinfo.CallerOf(c.Request.Context()).Means == requestinfo.BySession:
		c.Redirect(http.StatusSeeOther, page)
	case h.SSO != nil && len(h.SSO.Buttons()) == 1:
		return h.signInWith(c, page)
	default:
		c.Redirect(http.StatusSeeOther, signInPage+"?"+url.Values{"redirect_uri": {page}}.Encode())
	}
	return nil
}

func (h handlers) sso(c *call.Call) error {
	page, err := returnTo(c, startPage)
	if err != nil {
		return err
	}
	return h.signInWith(c, page)
}

// signInWith sends the browser to an identity provider, and afterwards to a page.
func (h handlers) signInWith(c *call.Call, page string) error {
	if h.SSO == nil {
		return h.backToSignIn(c, catalog.Errorf(catalog.NotFound, "this server has no identity provider"))
	}
	provider := c.Query("provider")
	if all := h.SSO.Buttons(); provider == "" && len(all) == 1 {
		provider = all[0].Name
	}
	address, secret, err := h.SSO.Begin(c.Request.Context(), provider, h.base(c)+callbackPath, page)
	if err != nil {
		return h.backToSignIn(c, err)
	}
	setSignInCookie(c, secret, int(limits.SignInTime.Seconds()))
	c.Redirect(http.StatusSeeOther, address)
	return nil
}

// base returns the address of this server as the browser sees it.
func (h handlers) base(c *call.Call) string {
	if base := h.SSO.Base(); base != "" {
		return base
	}
	scheme := "http"
	if encrypted(c) {
		scheme = "https"
	}
	return scheme + "://" + c.Request.Host
}

// encrypted reports whether the browser has sent the request by HTTPS.
func encrypted(c *call.Call) bool {
	return c.Request.TLS != nil || c.Request.Header.Get("X-Forwarded-Proto") == "https"
}

func setSignInCookie(c *call.Call, secret string, seconds int) {
	http.SetCookie(c.Writer, &http.Cookie{
		Name: signInCookie, Value: secret, Path: callbackPath, MaxAge: seconds, HttpOnly: true, Secure: encrypted(c), SameSite: http.SameSiteLaxMode,
	})
	c.Header("Cache-Control", "no-store")
}

func (h handlers) callback(c *call.Call) error {
	if h.SSO == nil {
		return h.backToSignIn(c, catalog.Errorf(catalog.NotFound, "this server has no identity provider"))
	}
	secret := ""
	if cookie, err := c.Request.Cookie(signInCookie); err == nil {
		secret = cookie.Value
	}
	setSignInCookie(c, "", -1)
	if c.Request.Method != http.MethodGet { // HEAD would end the sign-in without a browser
		return catalog.Errorf(catalog.Invalid, "a sign-in ends with GET")
	}
	u, who, page, err := h.SSO.Finish(c.Request.Context(), secret, c.Request.URL.Query())
	if err != nil {
		h.noteRefused(c, who.UserName, err)
		return h.backToSignIn(c, err)
	}
	if err := h.beginAs(c, u, who.Provider); err != nil {
		return err
	}
	c.Redirect(http.StatusSeeOther, page)
	return nil
}

// backToSignIn shows an error on the page on which people sign in. Errors of the server itself are
// answered as such.
func (h handlers) backToSignIn(c *call.Call, err error) error {
	if catalog.CodeOf(err) == catalog.Internal {
		return err
	}
	c.Redirect(http.StatusSeeOther, signInPage+"?"+url.Values{"error_msg": {catalog.MessageOf(err)}}.Encode())
	return nil
}
