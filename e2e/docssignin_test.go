package e2e

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testbrowser"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// TestDocumentedSignIn follows docs/sign-in.md from the first start of a server to a second person, who signs in with
// an identity provider. The test puts the provider's address and the client's secret in place of the page's examples,
// and the token of the printed link in place of TOKEN. Everything else is done as the page says.
func TestDocumentedSignIn(t *testing.T) {
	issuer := testservers.OIDC(t)
	_, blocks := documented(t, "docs/sign-in.md")
	if len(blocks) != 3 || blocks[0].lang != "yaml" || blocks[1].lang != "sh" || blocks[2].lang != "sh" {
		t.Fatalf("the page shows %d blocks; want a file, a start and the first administrator", len(blocks))
	}
	replace := func(text string, pairs ...string) string {
		t.Helper()
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(text, pairs[i]) {
				t.Fatalf("the page does not show %s:\n%s", pairs[i], text)
			}
		}
		return strings.NewReplacer(pairs...).Replace(text)
	}
	dir := t.TempDir()
	file := replace(blocks[0].text, "https://id.example.com/realms/example", issuer, "the-secret-of-the-client", "secret-of-headwater-for-tests")
	name, _, _ := strings.Cut(strings.TrimPrefix(file, "# "), "\n")
	if err := os.WriteFile(filepath.Join(dir, name), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	flags, found := strings.CutPrefix(strings.TrimSpace(replace(blocks[1].text, "./mine", filepath.Join(dir, "mine"), name, filepath.Join(dir, name))), "headwater serve ")
	if !found {
		t.Fatal(blocks[1].text)
	}
	s := start(t, strings.Fields(flags)...)
	_, token, found := strings.Cut(s.first, "=")
	if !found {
		t.Fatalf("the link of the first administrator is %q", s.first)
	}
	if out, err := exec.Command("bash", "-c", replace(blocks[2].text, documentedServer, s.base, "TOKEN", token)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if actor, status := s.me("Cookie", s.signIn("ada@example.com", "correct horse")); actor != "urn:li:corpuser:ada@example.com" {
		t.Errorf("the first administrator is %q: %d", actor, status)
	}

	// The second person presses the button, which has the address of the only provider.
	_, options := s.send(http.MethodGet, "/auth/options", "")
	button, _ := at(options, "providers").([]any)
	if len(button) != 1 || at(button[0], "title") != "Example Corp" {
		t.Fatalf("the page has the buttons %v", button)
	}
	provider, _ := at(button[0], "name").(string)
	browser := testbrowser.New(t)
	var cookies []string
	for _, c := range browser.Jar.Cookies(testbrowser.Visit(t, browser, s.base+"/sso?provider="+url.QueryEscape(provider), s.base, "bob")) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	if actor, status := s.me("Cookie", strings.Join(cookies, "; ")); actor != "urn:li:corpuser:bob@example.com" {
		t.Errorf("the second person is %q: %d", actor, status)
	}
	answer := s.withCookie(s.signIn("ada@example.com", "correct horse"), `{ listUsers(input: {start: 0, count: 10}) { users { urn } } }`)
	if !strings.Contains(answer, "bob@example.com") {
		t.Errorf("the administrator finds the people %s", answer)
	}
	s.stop()
}

// withCookie asks a GraphQL query in a session, and returns the answer as text.
func (s *server) withCookie(cookie, query string) string {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.base+"/api/graphql", strings.NewReader(`{"query":"`+query+`"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Cookie", cookie)
	resp, err := httpClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatal(resp.Status, string(text), err)
	}
	return string(text)
}
