package oidc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/access/oidc"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestSignIn: a sign-in without any attack. Its state can be stored, and the address contains no secret.
func TestSignIn(t *testing.T) {
	f := newFake(t)
	ps := f.providers("    groupsClaim: groups\n    admins: [admins]\n    title: Example Corp\n")
	if f.discoveries.Load() != 0 {
		t.Error("the provider was asked before somebody signs in")
	}
	if got := ps.Buttons(); !slices.Equal(got, []oidc.Button{{Name: "corp", Title: "Example Corp"}}) {
		t.Errorf("buttons %v", got)
	}
	begun, query := f.begin(ps)
	address, _ := url.Parse(begun.URL)
	q := address.Query()
	for name, want := range map[string]string{"response_type": "code", "client_id": "headwater", "redirect_uri": redirectURL, "scope": "openid profile email", "code_challenge_method": "S256", "state": begun.Secret} {
		if got := q.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	stored, err := json.Marshal(begun.State)
	if err != nil || strings.Contains(string(stored), begun.Secret) || begun.State.Key != oidc.KeyOf(begun.Secret) {
		t.Errorf("%v: stored %s", err, stored)
	}
	var state oidc.State
	if err := json.Unmarshal(stored, &state); err != nil || state.ReturnTo != "/search?q=orders" {
		t.Fatalf("%v: %+v", err, state)
	}
	who, err := ps.Finish(context.Background(), state, query)
	if err != nil {
		t.Fatal(err)
	}
	want := oidc.Identity{
		Provider: "corp", Issuer: f.server.URL, Subject: "ada-1", UserName: "ada@example.com", Email: "ada@example.com", FullName: "Ada Lovelace",
		FirstName: "Ada", LastName: "Lovelace", Picture: "https://example.com/ada.png", Groups: []string{"data-platform", "admins"}, Admin: true, DecidesAdmin: true, Create: true, IDToken: who.IDToken,
	}
	if diff := cmp.Diff(want, who); diff != "" || strings.Count(who.IDToken, ".") != 2 {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	if f.userInfoAsked.Load() != 0 {
		t.Error("the provider was asked for claims that are in the token")
	}
	// RFC 6749, 2.3.1: id and secret are encoded like form values before they are joined.
	if want := "Basic aGVhZHdhdGVyOnMzY3IrZXQ="; f.authorization != want {
		t.Errorf("authorization %q, want %q", f.authorization, want)
	}
	second, _ := f.begin(ps)
	if second.Secret == begun.Secret || second.State.Nonce == begun.State.Nonce || second.State.Verifier == begun.State.Verifier {
		t.Error("two sign-ins share a secret")
	}
}

// TestAttacks: sign-ins that must be refused, with the code and a part of the text.
func TestAttacks(t *testing.T) {
	claims := func(name string, value any) func(*fake) {
		return func(f *fake) { f.claims = map[string]any{name: value} }
	}
	omit := func(names ...string) func(*fake) { return func(f *fake) { f.omit = names } }
	for _, test := range []struct {
		name     string
		settings string
		change   func(f *fake)
		query    func(query url.Values)
		code     catalog.Code
		says     string
	}{
		{name: "another state", query: func(q url.Values) { q.Set("state", "guessed") }, code: catalog.Unauthenticated, says: "not begun in this browser"},
		{name: "no state", query: func(q url.Values) { q.Del("state") }, code: catalog.Unauthenticated, says: "not begun in this browser"},
		{name: "two states", query: func(q url.Values) { q.Add("state", "guessed") }, code: catalog.Unauthenticated, says: "not begun in this browser"},
		{name: "two codes", query: func(q url.Values) { q.Add("code", "another") }, code: catalog.Unauthenticated, says: "no code"},
		{name: "no code", query: func(q url.Values) { q.Del("code") }, code: catalog.Unauthenticated, says: "no code"},
		{name: "the code of somebody else", query: func(q url.Values) { q.Set("code", "another") }, code: catalog.Unauthenticated, says: "refuses the code: invalid_grant (wrong  [31mverifier)"},
		{name: "answer of another provider", query: func(q url.Values) { q.Set("iss", "https://evil.example.com") }, code: catalog.Unauthenticated, says: "not from the identity provider"},
		{
			name: "answer without its issuer", change: func(f *fake) {
				f.discovery = func(d map[string]any) { d["authorization_response_iss_parameter_supported"] = true }
			}, code: catalog.Unauthenticated, says: "not from the identity provider",
		},
		{name: "a refusal", query: func(q url.Values) {
			q.Set("error", "access_denied")
			q.Set("error_description", "go\x00\naway "+strings.Repeat("x", 1000))
		}, code: catalog.Forbidden, says: "access_denied (go  away xxx"},
		{name: "a failure of the provider", query: func(q url.Values) { q.Set("error", "temporarily_unavailable") }, code: catalog.Unavailable, says: "temporarily_unavailable"},
		{name: "an unknown error", query: func(q url.Values) { q.Set("error", "") }, code: catalog.Unauthenticated, says: "no reason is given"},

		{name: "nonce of another sign-in", change: claims("nonce", "replayed"), code: catalog.Unauthenticated, says: "nonce"},
		{name: "no nonce", change: omit("nonce"), code: catalog.Unauthenticated, says: "nonce"},
		{name: "another audience", change: claims("aud", "other-client"), code: catalog.Unauthenticated, says: "another audience"},
		{name: "no audience", change: omit("aud"), code: catalog.Unauthenticated, says: "another audience"},
		{name: "another party", change: claims("azp", "other-client"), code: catalog.Unauthenticated, says: "another client"},
		{name: "two audiences and no party", change: claims("aud", []string{"other-client", "headwater"}), code: catalog.Unauthenticated, says: "another client"},
		{name: "access token of somebody else", change: claims("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"), code: catalog.Unauthenticated, says: "access token"},
		{name: "another issuer", change: claims("iss", "https://evil.example.com"), code: catalog.Unauthenticated, says: "issuer, algorithm or signature"},
		{name: "issuer with a slash", change: func(f *fake) { f.claims = map[string]any{"iss": f.server.URL + "/"} }, code: catalog.Unauthenticated, says: "issuer, algorithm or signature"},
		{name: "expired", change: claims("exp", start.Add(-2*limits.ProviderLeeway).Unix()), code: catalog.Unauthenticated, says: "expired"},
		{name: "never expires", change: omit("exp"), code: catalog.Unauthenticated, says: "never expires"},
		{name: "not yet valid", change: claims("nbf", start.Add(2*limits.ProviderLeeway).Unix()), code: catalog.Unauthenticated, says: "not valid yet"},
		{name: "issued in the future", change: claims("iat", start.Add(2*limits.ProviderLeeway).Unix()), code: catalog.Unauthenticated, says: "not valid yet"},
		{name: "no subject", change: omit("sub"), code: catalog.Unauthenticated, says: "no subject"},

		{name: "algorithm none", change: func(f *fake) { f.alg = "none" }, code: catalog.Unauthenticated, says: "issuer, algorithm or signature"},
		{name: "algorithm with a shared key", change: func(f *fake) { f.alg = "HS256" }, code: catalog.Unauthenticated, says: "issuer, algorithm or signature"},
		{name: "algorithm with a key of the list", change: func(f *fake) { f.alg, f.kid = "HS256", "shared" }, code: catalog.Unauthenticated, says: "issuer, algorithm or signature"},
		{name: "key of an attacker", change: func(f *fake) { f.key = keys().other }, code: catalog.Unauthenticated, says: "issuer, algorithm or signature"},
		{name: "key of another type", change: func(f *fake) { f.kid = "curve" }, code: catalog.Unauthenticated, says: "issuer, algorithm or signature"},
		{name: "unknown key", change: func(f *fake) { f.kid = "unknown" }, code: catalog.Unauthenticated, says: "issuer, algorithm or signature"},
		{name: "no JWT", change: func(f *fake) { f.raw = "a.b.c" }, code: catalog.Unauthenticated, says: "issuer, algorithm or signature"},
		{
			name: "no identity token", change: func(f *fake) {
				f.token = func(w http.ResponseWriter, _ *http.Request) {
					answer(w, map[string]any{"access_token": "access", "token_type": "Bearer"})
				}
			}, code: catalog.Unauthenticated, says: "no identity token",
		},

		{name: "address that is not verified", change: claims("email_verified", false), code: catalog.Forbidden, says: "not verified"},
		{name: "address that is not verified, as a text", change: claims("email_verified", "False"), code: catalog.Forbidden, says: "not verified"},
		{name: "address of another domain", settings: "    emailDomains: [example.org]\n", code: catalog.Forbidden, says: "domain"},
		{name: "address that ends like a domain", settings: "    emailDomains: [example.org]\n", change: claims("email", "ada@evil-example.org"), code: catalog.Forbidden, says: "domain"},
		{name: "no address", settings: "    emailDomains: [example.com]\n    userNameClaim: sub\n", change: func(f *fake) { f.omit, f.userInfo = []string{"email"}, map[string]any{"sub": "ada-1"} }, code: catalog.Forbidden, says: "domain"},
		{
			name: "address of a domain that is not verified", settings: "    emailDomains: [example.com]\n    userNameClaim: sub\n",
			change: claims("email_verified", false), code: catalog.Forbidden, says: "not verified",
		},
		{name: "no user name", settings: "    userNameClaim: upn\n", change: func(f *fake) { f.userInfo = map[string]any{"sub": "ada-1"} }, code: catalog.Forbidden, says: "claim upn"},
		{name: "user name that is no text", change: claims("email", []string{"ada@example.com"}), code: catalog.Forbidden, says: "claim email"},
		{name: "user name that the expression does not find", settings: "    userNameRegex: '^[0-9]+'\n", code: catalog.Forbidden, says: "no user name"},
		{name: "user name with a line end", change: claims("email", "ada\n@example.com"), code: catalog.Forbidden, says: "no user name"},
		{name: "in none of the groups", settings: "    groupsClaim: groups\n    requiredGroups: [finance, Admins]\n", code: catalog.Forbidden, says: "none of the groups"},
		{
			name: "groups that the provider leaves out", settings: "    groupsClaim: groups\n    requiredGroups: [admins]\n",
			change: func(f *fake) { f.omit, f.userInfo = []string{"groups"}, map[string]any{"sub": "ada-1"} }, code: catalog.Forbidden, says: "does not tell the groups",
		},
		{name: "claims of somebody else", settings: "    userNameClaim: upn\n", change: func(f *fake) { f.userInfo = map[string]any{"sub": "eve-1", "upn": "eve"} }, code: catalog.Unauthenticated, says: "another person"},
		{
			name: "addresses that are lists", settings: "    userNameClaim: upn\n", change: func(f *fake) {
				f.claims, f.userInfo = map[string]any{"email": []string{"a"}}, map[string]any{"sub": "ada-1", "email": []string{"a"}}
			}, code: catalog.Forbidden, says: "claim upn",
		},
		{name: "subject that is a list", settings: "    userNameClaim: upn\n", change: func(f *fake) { f.userInfo = map[string]any{"sub": []string{"ada-1"}} }, code: catalog.Unauthenticated, says: "another person"},
		{name: "claims are refused", settings: "    userNameClaim: upn\n", code: catalog.Unavailable, says: "401"},
		{
			name: "unverified address beside the token", settings: "    userNameClaim: email\n", change: func(f *fake) {
				f.omit, f.userInfo = []string{"email"}, map[string]any{"sub": "ada-1", "email": "boss@example.com", "email_verified": false}
			}, code: catalog.Forbidden, says: "not verified",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			if test.change != nil {
				test.change(f)
			}
			ps := f.providers(test.settings)
			begun, query := f.begin(ps)
			if test.query != nil {
				test.query(query)
			}
			who, err := ps.Finish(context.Background(), begun.State, query)
			if catalog.CodeOf(err) != test.code || !strings.Contains(catalog.MessageOf(err), test.says) {
				t.Errorf("%v (%s), want %s: …%s…", err, catalog.CodeOf(err), test.code, test.says)
			}
			if who.UserName != "" || who.Subject != "" {
				t.Errorf("a refused sign-in has the identity %+v", who)
			}
			if len(catalog.MessageOf(err)) > 1000 || strings.ContainsAny(fmt.Sprint(err), "\n\x00\x1b") || strings.Contains(fmt.Sprint(err), "s3cr") {
				t.Errorf("the error has too much: %q", err)
			}
		})
	}
}

// TestAccepted signs in with tokens that differ from the usual token, and looks at the member of the identity
// that shows the difference.
func TestAccepted(t *testing.T) {
	manyGroups := make([]string, limits.MaxProviderGroups)
	for i := range manyGroups {
		manyGroups[i] = fmt.Sprint("group-", i)
	}
	groups := func(value any) func(*fake) {
		return func(f *fake) { f.claims = map[string]any{"groups": value} }
	}
	for _, test := range []struct {
		name     string
		settings string
		change   func(f *fake)
		is       func(who oidc.Identity) any
		want     any
	}{
		{name: "signature with a curve", change: func(f *fake) { f.alg, f.kid = "ES256", "curve" }},
		{name: "token without the id of its key", change: func(f *fake) { f.kid = "" }},
		{name: "a slash in the issuer", settings: "", change: func(f *fake) {
			f.discovery = func(d map[string]any) { d["issuer"] = f.server.URL + "/" }
			f.claims = map[string]any{"iss": f.server.URL + "/"}
		}, is: func(who oidc.Identity) any { return strings.HasSuffix(who.Issuer, "/") }, want: true},
		{name: "several audiences", change: func(f *fake) {
			f.claims = map[string]any{"aud": []string{"headwater", "other"}, "azp": "headwater"}
		}},
		{name: "a part of the address", settings: "    userNameRegex: '[^@]+'\n", is: func(who oidc.Identity) any { return who.UserName }, want: "ada"},
		{name: "unverified addresses are allowed", settings: "    allowUnverifiedEmail: true\n", change: func(f *fake) { f.claims = map[string]any{"email_verified": false} }},
		{name: "unverified address, which is not the name", settings: "    userNameClaim: sub\n", change: func(f *fake) { f.claims = map[string]any{"email_verified": false} }, is: func(who oidc.Identity) any { return who.UserName }, want: "ada-1"},
		{name: "domain in other letters", settings: "    emailDomains: [Example.COM]\n"},
		{name: "only known users", settings: "    provisioning: known\n", is: func(who oidc.Identity) any { return who.Create }, want: false},
		{name: "one of the groups", settings: "    groupsClaim: groups\n    requiredGroups: [finance, admins]\n", is: func(who oidc.Identity) any { return who.Admin }, want: false},
		{name: "groups are not asked for", is: func(who oidc.Identity) any { return who.Groups == nil }, want: true},
		{
			name: "groups are only checked", settings: "    groupsClaim: groups\n    groupsOnlyChecked: true\n    admins: [admins]\n",
			is: func(who oidc.Identity) any { return fmt.Sprint(who.Groups == nil, who.Admin) }, want: "true true",
		},
		{name: "groups as JSON text", settings: "    groupsClaim: groups\n", change: groups(`["a, b","c"]`), is: func(who oidc.Identity) any { return strings.Join(who.Groups, "|") }, want: "a, b|c"},
		{name: "groups as a text", settings: "    groupsClaim: groups\n", change: groups("a, b,,a"), is: func(who oidc.Identity) any { return strings.Join(who.Groups, "|") }, want: "a|b"},
		{name: "no groups", settings: "    groupsClaim: groups\n", change: groups([]string{}), is: func(who oidc.Identity) any { return who.Groups != nil && len(who.Groups) == 0 }, want: true},
		{name: "groups in several claims and deeper", settings: "    groupsClaim: groups, realm_access.roles\n", change: func(f *fake) {
			f.claims = map[string]any{"realm_access": map[string]any{"roles": []any{"steward", 7}}}
		}, is: func(who oidc.Identity) any { return strings.Join(who.Groups, "|") }, want: "data-platform|admins|steward"},
		{name: "as many groups as there may be", settings: "    groupsClaim: groups\n", change: groups(manyGroups), is: func(who oidc.Identity) any { return len(who.Groups) }, want: limits.MaxProviderGroups},
		{name: "claims beside the token", settings: "    groupsClaim: groups\n", change: func(f *fake) {
			f.omit = []string{"email", "email_verified", "groups"}
			f.userInfo = map[string]any{"sub": "ada-1", "email": "ada@corp.example", "email_verified": true, "groups": []string{"x"}, "name": "Somebody Else"}
		}, is: func(who oidc.Identity) any {
			return who.UserName + " " + strings.Join(who.Groups, "|") + " " + who.FullName
		}, want: "ada@corp.example x Ada Lovelace"},
		{name: "exactly expired", change: func(f *fake) {
			f.claims = map[string]any{"exp": start.Add(-limits.ProviderLeeway).Unix(), "nbf": start.Add(limits.ProviderLeeway).Unix()}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			if test.change != nil {
				test.change(f)
			}
			who, err := f.signIn(f.providers(test.settings))
			if err != nil {
				t.Fatal(err)
			}
			if test.is != nil && test.is(who) != test.want {
				t.Errorf("got %v, want %v", test.is(who), test.want)
			}
		})
	}
	f := newFake(t)
	f.claims = map[string]any{"groups": append(manyGroups, "one more")}
	if _, err := f.signIn(f.providers("    groupsClaim: groups\n")); catalog.CodeOf(err) != catalog.Forbidden {
		t.Errorf("a group more than MaxProviderGroups: %v", err)
	}
}

// TestSignInTime: a sign-in may end at the edge of its time, and not later.
func TestSignInTime(t *testing.T) {
	f := newFake(t)
	ps := f.providers("")
	begun, query := f.begin(ps)
	f.forward(limits.SignInTime)
	if _, err := ps.Finish(context.Background(), begun.State, query); err != nil {
		t.Error(err)
	}
	f.forward(1)
	if _, err := ps.Finish(context.Background(), begun.State, query); catalog.CodeOf(err) != catalog.Unauthenticated {
		t.Error(err)
	}
}

// TestReturnTo: addresses that a browser may take for another host, or for a script.
func TestReturnTo(t *testing.T) {
	f := newFake(t)
	ps := f.providers("")
	for _, path := range []string{
		"//evil.example.com", "///evil.example.com", "////evil.example.com", "/\\evil.example.com", "\\\\evil.example.com", "\\/evil.example.com",
		"/\t/evil.example.com", "/\n/evil.example.com", "/\r\nLocation: https://evil.example.com", "\t//evil.example.com", " //evil.example.com",
		"https://evil.example.com", "https:evil.example.com", "http://evil.example.com", "HTTPS://evil.example.com", "javascript:alert(1)", "data:text/html,x", "evil.example.com", "search", "?q=1", "#x",
		"/%2f/evil.example.com", "/%5cevil.example.com", "/%2Fevil.example.com", "/%09/evil.example.com", "/..//evil.example.com", "/.//evil.example.com", "/x/..//evil.example.com", "/%2e%2e//evil.example.com",
		"/\u0000", "/\u2028x", "/\u202ex", "/%zz", "//user@evil.example.com", "/x\\..\\evil", "/\xff", "/\u00a0//x", "@evil.example.com", "//evil%E3%80%82com", "/?q=\\evil", "/x#\n",
		"/" + strings.Repeat("x", limits.MaxReturnTo),
	} {
		if _, err := ps.Begin(context.Background(), "corp", redirectURL, path); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%q: %v", path, err)
		}
	}
	for _, path := range []string{"/", "/search?q=a%20b&x=//y", "/entity/urn%3Ali%3Adataset%3A(urn:li:dataPlatform:hive,a%2Fb,PROD)?tab=lineage#columns", "/search?next=https://example.com", "/bücher", "/x//y", "/" + strings.Repeat("x", limits.MaxReturnTo-1)} {
		if begun, err := ps.Begin(context.Background(), "corp", redirectURL, path); err != nil || begun.State.ReturnTo != path {
			t.Errorf("%q: %v", path, err)
		}
	}
	if begun, err := ps.Begin(context.Background(), "corp", redirectURL, ""); err != nil || begun.State.ReturnTo != "/" {
		t.Error(err)
	}
	if _, err := ps.Begin(context.Background(), "corps", redirectURL, "/"); catalog.CodeOf(err) != catalog.NotFound {
		t.Error(err)
	}
}

// TestClientAuthentication: the secret is sent once, in the way that the provider or the settings say.
func TestClientAuthentication(t *testing.T) {
	for _, test := range []struct {
		name, settings string
		methods        []string
		header         bool
	}{
		{name: "the provider says nothing", header: true},
		{name: "both", methods: []string{"client_secret_post", "client_secret_basic"}, header: true},
		{name: "only post", methods: []string{"client_secret_post"}},
		{name: "the settings say post", settings: "    clientAuthentication: post\n"},
		{name: "the settings say basic", settings: "    clientAuthentication: basic\n", methods: []string{"client_secret_post"}, header: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			f.discovery = func(d map[string]any) {
				if test.methods != nil {
					d["token_endpoint_auth_methods_supported"] = test.methods
				}
			}
			var sent string
			f.token = func(w http.ResponseWriter, r *http.Request) {
				sent = r.FormValue("client_secret")
				w.WriteHeader(http.StatusUnauthorized)
				answer(w, map[string]any{"error": "invalid_client"})
			}
			_, err := f.signIn(f.providers(test.settings))
			if catalog.CodeOf(err) != catalog.Unauthenticated || f.tokensAsked.Load() != 1 {
				t.Errorf("%v, after %d requests", err, f.tokensAsked.Load())
			}
			if (f.authorization != "") != test.header || (sent == "s3cr et") == test.header {
				t.Errorf("authorization %q, form %q", f.authorization, sent)
			}
		})
	}
}

// TestProviderFails: a sign-in fails if the provider is down, answers too much, or sends the request elsewhere.
func TestProviderFails(t *testing.T) {
	elsewhere := 0
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer thief.Close()
	large := func(n int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, "{%s}", strings.Repeat(" ", n-2))
		}
	}
	redirect := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, thief.URL+"/take", http.StatusTemporaryRedirect)
	}
	for _, test := range []struct {
		name   string
		change func(f *fake)
		says   string
	}{
		{"token request that is redirected", func(f *fake) { f.token = redirect }, "gives no token"},
		{"token request that fails", func(f *fake) {
			f.token = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "oops", http.StatusBadGateway) }
		}, "refuses the code: no reason"},
		{"too large a token", func(f *fake) { f.token = large(limits.MaxProviderAnswer + 1) }, "gives no token"},
		{"too large keys", func(f *fake) { f.keys = large(limits.MaxProviderAnswer + 1) }, "does not give its keys"},
		{"keys that are redirected", func(f *fake) { f.keys = redirect }, "does not give its keys"},
		{"keys that are no JSON", func(f *fake) {
			f.keys = func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }
		}, "does not give its keys"},
		{"no keys", func(f *fake) { f.keys = http.NotFound }, "does not give its keys"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			test.change(f)
			_, err := f.signIn(f.providers(""))
			if catalog.CodeOf(err) != catalog.Unavailable || !strings.Contains(catalog.MessageOf(err), test.says) {
				t.Errorf("%v (%s)", err, catalog.CodeOf(err))
			}
		})
	}
	if elsewhere != 0 {
		t.Errorf("%d requests were sent to another host", elsewhere)
	}
	// At the limit, the body is read: it contains no keys, so the token is refused for another reason.
	f := newFake(t)
	f.keys = large(limits.MaxProviderAnswer)
	if _, err := f.signIn(f.providers("")); catalog.CodeOf(err) != catalog.Unauthenticated {
		t.Error(err)
	}
}

// TestDiscovery: a provider that is down is not asked all the time, is found again, and its last document
// stays in use when the provider goes down later.
func TestDiscovery(t *testing.T) {
	f := newFake(t)
	ps := f.providers("")
	f.down.Store(true)
	for range 5 {
		if _, err := ps.Begin(context.Background(), "corp", redirectURL, "/"); catalog.CodeOf(err) != catalog.Unavailable || !strings.Contains(catalog.MessageOf(err), "corp cannot be reached") {
			t.Errorf("%v (%s)", err, catalog.CodeOf(err))
		}
	}
	if n := f.discoveries.Load(); n != 1 {
		t.Errorf("a provider that is down was asked %d times", n)
	}
	f.forward(10 * time.Second)
	f.down.Store(false)
	for range 5 {
		if _, err := f.signIn(ps); err != nil {
			t.Error(err)
		}
	}
	if n := f.discoveries.Load(); n != 2 {
		t.Errorf("the provider was asked %d times in total", n)
	}
	f.down.Store(true)
	f.forward(2 * time.Hour)
	for range 5 {
		if _, err := f.signIn(ps); err != nil {
			t.Error(err)
		}
	}
	if n := f.discoveries.Load(); n != 3 {
		t.Errorf("the provider was asked %d times in total", n)
	}
}

// TestBadDiscovery: documents that are refused.
func TestBadDiscovery(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(d map[string]any)
		says   string
	}{
		{"another issuer", func(d map[string]any) { d["issuer"] = "https://evil.example.com" }, "calls itself"},
		{"no keys", func(d map[string]any) { delete(d, "jwks_uri") }, "jwks_uri"},
		{"no address of tokens", func(d map[string]any) { d["token_endpoint"] = "/token" }, "token_endpoint"},
		{"a script", func(d map[string]any) { d["authorization_endpoint"] = "javascript://x/alert(1)" }, "authorization_endpoint"},
		{"a file", func(d map[string]any) { d["end_session_endpoint"] = "file://host/x" }, "end_session_endpoint"},
		{"too large", func(d map[string]any) { d["padding"] = strings.Repeat("x", limits.MaxProviderAnswer) }, "cannot be reached"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			f.discovery = test.change
			_, err := f.providers("").Begin(context.Background(), "corp", redirectURL, "/")
			if catalog.CodeOf(err) != catalog.Unavailable || !strings.Contains(catalog.MessageOf(err), test.says) {
				t.Errorf("%v (%s)", err, catalog.CodeOf(err))
			}
		})
	}
}

// TestSignOutURL: the address has the hint and the page to return to, and keeps its own parameters.
func TestSignOutURL(t *testing.T) {
	f := newFake(t)
	ps := f.providers("")
	got, err := ps.SignOutURL(context.Background(), "corp", "a.b.c", "https://catalog.example.com/")
	want := f.server.URL + "/end?client_id=headwater&id_token_hint=a.b.c&post_logout_redirect_uri=https%3A%2F%2Fcatalog.example.com%2F&tenant=1"
	if err != nil || got != want {
		t.Errorf("%v: %s, want %s", err, got, want)
	}
	f.discovery = func(d map[string]any) { delete(d, "end_session_endpoint") }
	if got, err := f.providers("").SignOutURL(context.Background(), "corp", "a.b.c", ""); err != nil || got != "" {
		t.Errorf("%v: %q", err, got)
	}
}
