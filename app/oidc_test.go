package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testbrowser"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// surfer is a person with a browser.
type surfer struct {
	*testing.T
	*http.Client
	site string
}

func newSurfer(t *testing.T, site string) *surfer {
	t.Helper()
	return &surfer{t, testbrowser.New(t), site}
}

// follow opens an address, and fills in the forms of the provider until the browser is back at the site.
// It returns the address of the page there.
func (s *surfer) follow(address, login string) *url.URL {
	s.Helper()
	return testbrowser.Visit(s, s.Client, address, s.site, login)
}

// ask sends a request to the site, and returns the status and the body.
func (s *surfer) ask(method, path, body string) (int, string) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), method, s.site+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-RestLi-Protocol-Version", "2.0.0")
	resp, err := s.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func (s *surfer) session() string {
	s.Helper()
	at, _ := url.Parse(s.site)
	for _, c := range s.Jar.Cookies(at) {
		if c.Name == "headwater_session" {
			return c.Value
		}
	}
	return ""
}

// TestSignInWithProvider signs people in with a real identity provider, at the whole server.
func TestSignInWithProvider(t *testing.T) {
	issuer := testservers.OIDC(t)
	file := filepath.Join(t.TempDir(), "oidc.yaml")
	settings := fmt.Sprintf(`providers:
  - name: corp
    title: Example Corp
    issuer: %[1]s
    clientId: headwater
    clientSecret: secret-of-headwater-for-tests
    scopes: [openid, profile, email, groups]
    groupsClaim: groups
    admins: [headwater-admins]
  - name: known
    issuer: %[1]s
    clientId: headwater
    clientSecret: secret-of-headwater-for-tests
    provisioning: known
`, issuer)
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serving(t, "--auth", "on", "--oidc-file", file)

	ada := newSurfer(t, s.url)
	if _, text := ada.ask("GET", "/auth/options", ""); !strings.Contains(text, `"providers":[{"name":"corp","title":"Example Corp"},{"name":"known"`) {
		t.Error(text)
	}
	if at := ada.follow(s.url+"/authenticate", ""); at.Path != "/ui/login" || at.Query().Get("redirect_uri") != "/ui/signed-in" {
		t.Errorf("without a page, the sign-in ends at %s", at)
	}
	if at := ada.follow(s.url+"/authenticate?redirect_uri=/ui/search", ""); at.Path != "/ui/login" || at.Query().Get("redirect_uri") != "/ui/search" {
		t.Errorf("with two providers, the browser is at %s", at)
	}
	if at := ada.follow(s.url+"/sso?provider=corp&redirect_uri=%2Fui%2Fsearch%3Fq%3Dx", "ada"); at.Path != "/ui/search" || at.Query().Get("q") != "x" {
		t.Errorf("after the sign-in, the browser is at %s", at)
	}
	var who struct {
		Actor string
		Means string
		Admin bool
	}
	_, text := ada.ask("GET", "/auth/session", "")
	if err := json.Unmarshal([]byte(text), &who); err != nil || who.Means != "session" || !who.Admin || !strings.HasPrefix(who.Actor, "urn:li:corpuser:ada") {
		t.Fatal(text, err)
	}
	if _, text := ada.ask("GET", "/auth/sessions", ""); !strings.Contains(text, `"by":"corp"`) {
		t.Error(text)
	}
	if _, text := ada.ask("GET", "/entitiesV2/"+url.PathEscape(who.Actor), ""); !strings.Contains(text, "urn:li:corpGroup:headwater-admins") || !strings.Contains(text, "urn:li:dataHubRole:Admin") {
		t.Error(text)
	}
	if at := ada.follow(s.url+"/authenticate", ""); at.Path != "/ui/signed-in" {
		t.Errorf("somebody who is signed in is sent to %s", at)
	}
	if at := ada.follow(s.url+"/authenticate?redirect_uri=/ui/x", ""); at.Path != "/ui/x" {
		t.Errorf("somebody who is signed in is sent to %s", at)
	}
	if _, text := ada.ask("POST", "/api/graphql", `{"query":"{listRoles(input:{}){total roles{name}}}"}`); !strings.Contains(text, `"total":3`) {
		t.Error(text)
	}
	first := ada.session()
	ada.follow(s.url+"/sso?provider=corp", "ada")
	if second := ada.session(); second == "" || second == first {
		t.Error("a second sign-in has the session of the first one")
	}
	if status := newSurfer(t, s.url).withCookie(first); status != http.StatusUnauthorized {
		t.Errorf("the first session is answered with %d", status)
	}

	bob := newSurfer(t, s.url)
	if at := bob.follow(s.url+"/sso?provider=known", "bob"); at.Path != "/ui/login" || !strings.Contains(at.Query().Get("error_msg"), "is not known here") {
		t.Errorf("an unknown user is at %s", at)
	}
	bob.follow(s.url+"/sso?provider=corp", "bob")
	_, text = bob.ask("GET", "/auth/session", "")
	if err := json.Unmarshal([]byte(text), &who); err != nil || who.Admin {
		t.Fatal(text, err)
	}
	status, text := ada.ask("POST", "/api/graphql", fmt.Sprintf(`{"query":"mutation{updateUserStatus(urn:\"%s\",status:SUSPENDED)}"}`, who.Actor))
	if status != http.StatusOK || strings.Contains(text, "errors") {
		t.Fatal(text)
	}
	again := newSurfer(t, s.url)
	if at := again.follow(s.url+"/sso?provider=corp", "bob"); at.Path != "/ui/login" || !strings.Contains(at.Query().Get("error_msg"), "is suspended") {
		t.Errorf("a suspended user is at %s", at)
	}

	_, text = ada.ask("GET", "/auth/sessions", "")
	var mine struct{ Sessions []struct{ ID string } }
	if err := json.Unmarshal([]byte(text), &mine); err != nil || len(mine.Sessions) == 0 {
		t.Fatal(text, err)
	}
	third := newSurfer(t, s.url)
	third.follow(s.url+"/sso?provider=corp", "ada")
	third.ask("DELETE", "/auth/sessions/"+mine.Sessions[0].ID, "")
	third.ask("POST", "/logOut", "")
	last := newSurfer(t, s.url)
	last.follow(s.url+"/sso?provider=corp", "ada")
	if _, text := last.ask("GET", "/audit", ""); !strings.Contains(text, `"kind":"signOut"`) || !strings.Contains(text, `"kind":"sessionEnded"`) || !strings.Contains(text, `"kind":"signIn"`) {
		t.Error(text)
	}

	eve := newSurfer(t, s.url)
	if at := eve.follow(s.url+"/callback/oidc?code=x&state=y", ""); at.Path != "/ui/login" || !strings.Contains(at.Query().Get("error_msg"), "did not begin in this browser") {
		t.Errorf("an answer without a sign-in leads to %s", at)
	}
	secret := &http.Cookie{Name: "headwater_sign_in", Value: "e30.x", Path: "/callback/oidc"}
	site, _ := url.Parse(s.url + "/callback/oidc")
	eve.Jar.SetCookies(site, []*http.Cookie{secret})
	if at := eve.follow(s.url+"/callback/oidc?code=x&state=y", ""); !strings.Contains(at.Query().Get("error_msg"), "did not begin in this browser") {
		t.Errorf("a forged cookie leads to %s", at)
	}
	if at := eve.follow(s.url+"/sso?provider=none", ""); !strings.Contains(at.Query().Get("error_msg"), "none") {
		t.Errorf("an unknown provider leads to %s", at)
	}
	for _, page := range []string{"//evil.example", "https://evil.example", `/\evil.example`, "javascript:alert(1)"} {
		for _, door := range []string{"/sso?provider=corp&redirect_uri=", "/authenticate?redirect_uri="} {
			if status, text := eve.ask("GET", door+url.QueryEscape(page), ""); status != http.StatusBadRequest {
				t.Errorf("%s%s: %d %.100s", door, page, status, text)
			}
		}
	}
}

// withCookie asks who is signed in, with a session.
func (s *surfer) withCookie(session string) int {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.site+"/auth/session", nil)
	if err != nil {
		s.Fatal(err)
	}
	req.AddCookie(&http.Cookie{Name: "headwater_session", Value: session})
	resp, err := s.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
