package oidc_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/oidc"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/testing/testbrowser"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// A person has a browser, with which they sign in with the provider of testdata/provider.
type person struct {
	t      *testing.T
	client *http.Client
	// ours is our own server. Its pages answer with their address, so that the browser stays there.
	ours string
}

func newPerson(t *testing.T) *person {
	t.Helper()
	ours := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(ours.Close)
	return &person{t, testbrowser.New(t), ours.URL}
}

// visit opens a page and fills in its forms until the browser is back at our own server. It returns the
// query with which the browser comes back.
func (p *person) visit(address, login string) url.Values {
	p.t.Helper()
	return testbrowser.Visit(p.t, p.client, address, p.ours, login).Query()
}

func realProviders(t *testing.T, more string) *oidc.Providers {
	t.Helper()
	issuer := testservers.OIDC(t)
	s, err := readSettings(t, `providers:
  - name: corp
    issuer: `+issuer+`
    clientId: headwater
    clientSecret: secret-of-headwater-for-tests
    scopes: [openid, profile, email, groups]
    groupsClaim: groups
    requiredGroups: [data-platform]
    admins: [headwater-admins]
    bearer:
      audiences: ["https://headwater.example.com/api"]
  - name: curve
    issuer: `+issuer+`
    clientId: headwater-es
    clientSecret: secret-of-headwater-es-for-tests
    clientAuthentication: post
`+more)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return oidc.New(s, oidc.Options{Now: time.Now, Transport: transport})
}

// TestRealProvider: people sign in and out with a certified provider.
func TestRealProvider(t *testing.T) {
	ps := realProviders(t, "")
	ada := newPerson(t)
	begun, err := ps.Begin(t.Context(), "corp", ada.ours+"/callback/oidc", "/search")
	if err != nil {
		t.Fatal(err)
	}
	query := ada.visit(begun.URL, "ada")
	if query.Get("iss") == "" {
		t.Error("the provider does not name itself: RFC 9207 is not tested")
	}
	who, err := ps.Finish(t.Context(), begun.State, query)
	if err != nil {
		t.Fatal(err)
	}
	if who.UserName != "ada@example.com" || who.Subject != "ada" || who.FullName != "Ada Lovelace" || !slices.Equal(who.Groups, []string{"data-platform", "headwater-admins"}) || !who.Admin {
		t.Errorf("ada is %+v", who)
	}
	// The code has been used up.
	if _, err := ps.Finish(t.Context(), begun.State, query); catalog.CodeOf(err) != catalog.Unauthenticated || !strings.Contains(err.Error(), "invalid_grant") {
		t.Errorf("the code was accepted twice: %v", err)
	}

	// Ada's session at the provider lasts: no form asks for her name.
	second, err := ps.Begin(t.Context(), "corp", ada.ours+"/callback/oidc", "/")
	if err != nil {
		t.Fatal(err)
	}
	who, err = ps.Finish(t.Context(), second.State, ada.visit(second.URL, "nobody"))
	if err != nil || who.Subject != "ada" {
		t.Errorf("%v: %+v", err, who)
	}

	// After her sign-out, somebody else may use the browser.
	out, err := ps.SignOutURL(t.Context(), "corp", who.IDToken, ada.ours+"/signed-out")
	if err != nil || out == "" {
		t.Fatalf("%v: %q", err, out)
	}
	ada.visit(out, "")
	third, err := ps.Begin(t.Context(), "corp", ada.ours+"/callback/oidc", "/")
	if err != nil {
		t.Fatal(err)
	}
	who, err = ps.Finish(t.Context(), third.State, ada.visit(third.URL, "bob"))
	if err != nil || who.Subject != "bob" || who.Admin {
		t.Errorf("%v: %+v", err, who)
	}
}

// TestRealProviderRefuses: accounts that may not sign in, a client with another algorithm, and a
// sign-in whose verifier is another one.
func TestRealProviderRefuses(t *testing.T) {
	ps := realProviders(t, "")
	finish := func(provider, login string, change func(*oidc.State)) (oidc.Identity, error) {
		p := newPerson(t)
		begun, err := ps.Begin(t.Context(), provider, p.ours+"/callback/oidc", "/")
		if err != nil {
			t.Fatal(err)
		}
		change(&begun.State)
		return ps.Finish(t.Context(), begun.State, p.visit(begun.URL, login))
	}
	same := func(*oidc.State) {}
	if _, err := finish("corp", "eve", same); catalog.CodeOf(err) != catalog.Forbidden || !strings.Contains(err.Error(), "none of the groups") {
		t.Errorf("eve: %v", err)
	}
	if _, err := finish("corp", "mallory", same); catalog.CodeOf(err) != catalog.Forbidden || !strings.Contains(err.Error(), "not verified") {
		t.Errorf("mallory: %v", err)
	}
	if who, err := finish("curve", "eve", same); err != nil || who.UserName != "eve@example.com" || who.Groups != nil {
		t.Errorf("eve, with another client: %v: %+v", err, who)
	}
	if _, err := finish("corp", "ada", func(s *oidc.State) { s.Verifier = strings.Repeat("x", 43) }); catalog.CodeOf(err) != catalog.Unauthenticated || !strings.Contains(err.Error(), "invalid_grant") {
		t.Errorf("a wrong verifier: %v", err)
	}
	if _, err := finish("corp", "ada", func(s *oidc.State) { s.Nonce = "another" }); catalog.CodeOf(err) != catalog.Unauthenticated || !strings.Contains(err.Error(), "nonce") {
		t.Errorf("a wrong nonce: %v", err)
	}
}

// TestRealProviderMachines: a machine gets a token with client credentials, and is known by it.
func TestRealProviderMachines(t *testing.T) {
	ps := realProviders(t, "")
	issuer := testservers.OIDC(t)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, issuer+"/token", strings.NewReader(url.Values{
		"grant_type": {"client_credentials"}, "resource": {"https://headwater.example.com/api"}, "scope": {"write"},
	}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth("loader", "secret-of-loader-for-tests")
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || got.AccessToken == "" {
		t.Fatalf("%v: no token, status %s", err, resp.Status)
	}
	who, err := ps.Bearer(t.Context(), got.AccessToken)
	if err != nil || !strings.HasPrefix(who.UserName, "__oauth_127_0_0_1_") || !strings.HasSuffix(who.UserName, "_loader") || who.Admin {
		t.Errorf("%v: %+v", err, who)
	}
	// One letter of the signature is another one.
	at := strings.LastIndexByte(got.AccessToken, '.') + 10
	letter := map[bool]string{true: "B", false: "A"}[got.AccessToken[at] == 'A']
	if _, err := ps.Bearer(t.Context(), got.AccessToken[:at]+letter+got.AccessToken[at+1:]); catalog.CodeOf(err) != catalog.Unauthenticated {
		t.Errorf("a changed token: %v", err)
	}

	// The identity token of a person is no token of a machine.
	p := newPerson(t)
	begun, err := ps.Begin(t.Context(), "corp", p.ours+"/callback/oidc", "/")
	if err != nil {
		t.Fatal(err)
	}
	ada, err := ps.Finish(t.Context(), begun.State, p.visit(begun.URL, "ada"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ps.Bearer(t.Context(), ada.IDToken); catalog.CodeOf(err) != catalog.Unauthenticated {
		t.Errorf("an identity token: %v", err)
	}
}
