package oidc

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	gooidc "github.com/coreos/go-oidc/v3/oidc"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/limits"
)

// algorithms are the accepted signatures, all of them with a public key. With a signature by a
// shared secret, anybody who knows the public key or the client's secret could sign.
var algorithms = []string{
	gooidc.RS256, gooidc.RS384, gooidc.RS512, gooidc.PS256, gooidc.PS384, gooidc.PS512,
	gooidc.ES256, gooidc.ES384, gooidc.ES512,
}

// watched is a set of keys for one token. It keeps the error of a request for keys, which the
// library's error has only as text.
type watched struct {
	gooidc.KeySet
	failed *keysError
}

func (w *watched) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := w.KeySet.VerifySignature(ctx, token)
	// Another token may have fetched the key after this one looked into the cache.
	if failed := new(keysError); errors.As(err, &failed) && failed.tooSoon {
		payload, err = w.KeySet.VerifySignature(ctx, token)
	}
	if errors.As(err, &w.failed) {
		return nil, w.failed
	}
	return payload, err
}

// verify checks issuer, signature and times of a token. The caller checks the audience.
func (p *provider) verify(ctx context.Context, d *discovered, raw string) (*gooidc.IDToken, map[string]any, error) {
	refused := func(why string) error {
		return catalog.Errorf(catalog.Unauthenticated, "a token of the identity provider %s is refused: %s", p.Name, why)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	keys := &watched{KeySet: d.keys}
	verifier := gooidc.NewVerifier(d.issuer, keys, &gooidc.Config{SkipClientIDCheck: true, SkipExpiryCheck: true, SupportedSigningAlgs: algorithms, Now: p.now})
	token, err := verifier.Verify(ctx, raw)
	switch {
	case keys.failed != nil && keys.failed.down:
		return nil, nil, &catalog.Error{Code: catalog.Unavailable, Message: "the identity provider " + p.Name + " does not give its keys", Err: briefly(keys.failed)}
	case ctx.Err() != nil:
		return nil, nil, catalog.Errorf(catalog.Timeout, "the identity provider %s does not give its keys in time", p.Name)
	case err != nil:
		return nil, nil, &catalog.Error{Code: catalog.Unauthenticated, Message: refused("its issuer, algorithm or signature is wrong").Error(), Err: briefly(err)}
	}
	claims := map[string]any{}
	if err := token.Claims(&claims); err != nil {
		return nil, nil, refused("it has no claims")
	}
	now := p.now()
	switch {
	case token.Expiry.IsZero():
		return nil, nil, refused("it never expires")
	case now.After(token.Expiry.Add(limits.ProviderLeeway)):
		return nil, nil, refused("it has expired")
	case later(claims["nbf"], now), later(claims["iat"], now):
		return nil, nil, refused("it is not valid yet")
	case token.Subject == "":
		return nil, nil, refused("it has no subject")
	}
	return token, claims, nil
}

// later reports whether a claim is a moment that has not come. A claim that is no number is later.
func later(claim any, now time.Time) bool {
	if claim == nil {
		return false
	}
	seconds, ok := claim.(float64)
	return !ok || seconds > float64(now.Add(limits.ProviderLeeway).Unix())
}

// checkIdentityToken refuses an identity token that was made for another client or another sign-in.
func (p *provider) checkIdentityToken(token *gooidc.IDToken, claims map[string]any, nonce, access string) error {
	why, party := "", claims["azp"]
	switch {
	case !slices.Contains(token.Audience, p.ClientID):
		why = "it is for another audience"
	case party != nil && party != p.ClientID, party == nil && len(token.Audience) > 1:
		why = "it was given to another client"
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(nonce)) != 1:
		why = "it is of another sign-in (nonce)"
	case token.AccessTokenHash != "" && token.VerifyAccessToken(access) != nil:
		why = "it does not belong to the access token"
	default:
		return nil
	}
	return catalog.Errorf(catalog.Unauthenticated, "a token of the identity provider %s is refused: %s", p.Name, why)
}

// addUserInfo asks the provider for the claims that the identity token lacks. Many providers put only
// the subject into the token.
func (p *provider) addUserInfo(ctx context.Context, d *discovered, access string, claims map[string]any) error {
	lacks := func(name string) bool { return find(claims, name) == nil }
	wanted := append([]string{p.UserNameClaim, "email"}, commaList(p.GroupsClaim)...)
	if d.UserInfoEndpoint() == "" || access == "" || !slices.ContainsFunc(wanted, lacks) {
		return nil
	}
	failed := func(why string, cause error) error {
		return &catalog.Error{Code: catalog.Unavailable, Message: "the identity provider " + p.Name + " does not tell who signs in: " + why, Err: briefly(cause)}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.UserInfoEndpoint(), http.NoBody)
	if err != nil {
		return failed("its address is bad", err)
	}
	request.Header.Set("Authorization", "Bearer "+access)
	request.Header.Set("Accept", "application/json")
	resp, err := d.client.Do(request)
	if err != nil {
		return failed("no answer", err)
	}
	defer resp.Body.Close()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // no type at all is accepted
	if resp.StatusCode != http.StatusOK || kind == "application/jwt" {
		return failed("status "+resp.Status+", "+clean(kind), nil)
	}
	more := map[string]any{}
	if err := json.NewDecoder(resp.Body).Decode(&more); err != nil {
		return failed("its answer is no JSON object", err)
	}
	if more["sub"] != claims["sub"] {
		return catalog.Errorf(catalog.Unauthenticated, "the identity provider %s tells of another person than the one who signs in", p.Name)
	}
	// Whether an address is verified belongs to that address.
	email, _ := claims["email"].(string)
	if other, _ := more["email"].(string); claims["email"] == nil {
		delete(claims, "email_verified")
	} else if email == "" || email != other {
		delete(more, "email_verified")
	}
	for name, value := range more {
		if claims[name] == nil {
			claims[name] = value
		}
	}
	return nil
}

var notAlphanumeric = regexp.MustCompile(`[^A-Za-z0-9]`)

// Bearer returns the machine that sends a token of one of the providers. Its user name has the form
// that the reference gives to such users: __oauth_ISSUER_CLAIM. It is never an administrator.
func (ps *Providers) Bearer(ctx context.Context, raw string) (Identity, error) {
	refused := catalog.Errorf(catalog.Unauthenticated, "the token is of no identity provider of this server")
	if len(raw) > limits.MaxProviderToken {
		return Identity{}, catalog.Errorf(catalog.Unauthenticated, "the token is longer than %d bytes", limits.MaxProviderToken)
	}
	// Nobody is asked about the tokens of issuers that the settings do not name.
	at := ps.makerOf(raw)
	if at < 0 {
		return Identity{}, refused
	}
	p := ps.listed[at]
	d, err := p.discover(ctx)
	if err != nil {
		return Identity{}, err
	}
	token, claims, err := p.verify(ctx, d, raw)
	if err != nil {
		return Identity{}, err
	}
	id, _ := find(claims, p.Bearer.UserIDClaim).(string)
	why := ""
	switch {
	case !slices.ContainsFunc(token.Audience, func(a string) bool { return slices.Contains(p.Bearer.Audiences, a) }):
		why = "it is for another audience"
	case token.Nonce != "":
		// The identity tokens of people have the nonce that each of our sign-ins sends.
		why = "it is the identity token of a person"
	case !usable(id):
		why = "it has no claim " + p.Bearer.UserIDClaim
	default:
		_, host, _ := strings.Cut(d.issuer, "://")
		who := p.identity(token, claims)
		who.UserName = "__oauth_" + notAlphanumeric.ReplaceAllString(host, "_") + "_" + id
		who.Groups, err = p.groupsOf(claims)
		return who, err
	}
	return Identity{}, catalog.Errorf(catalog.Unauthenticated, "a token of the identity provider %s is refused: %s", p.Name, why)
}

// Makes reports whether a token names one of the providers as its issuer, of which machines may send tokens.
func (ps *Providers) Makes(raw string) bool {
	return len(raw) <= limits.MaxProviderToken && ps.makerOf(raw) >= 0
}

// makerOf returns the provider that a token names as its issuer, as an index, or -1.
func (ps *Providers) makerOf(raw string) int {
	issuer := unverifiedIssuer(raw)
	if issuer == "" {
		return -1
	}
	return slices.IndexFunc(ps.listed, func(p *provider) bool { return p.Bearer != nil && withoutSlash(p.Issuer) == withoutSlash(issuer) })
}

// unverifiedIssuer returns the issuer that a token names, "" if the token is no JWT.
func unverifiedIssuer(raw string) string {
	parts := strings.Split(raw, ".")
	if len(parts) != 3 {
		return ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	var said struct {
		Issuer string `json:"iss"`
	}
	if err != nil || json.Unmarshal(payload, &said) != nil {
		return ""
	}
	return said.Issuer
}

// maxShown is how much of a provider's text an error shows.
const maxShown = 300

// clean makes a text of a provider fit to be shown.
func clean(text string) string {
	return clip.Text(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?")), maxShown)
}

// explained joins the error and its description that a provider gives.
func explained(code, description string) string {
	text := clean(code)
	if text == "" {
		text = "no reason is given"
	}
	if description != "" {
		text += " (" + clean(description) + ")"
	}
	return text
}

// briefly cuts an error of the library, which may have the whole answer of a provider.
func briefly(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(clean(err.Error()))
}
