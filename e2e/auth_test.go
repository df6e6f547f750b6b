package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/keys"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/rest/access"
)

// The first administrator of servers with authentication.
const (
	authAdmin    = "admin@example.com"
	authPassword = "correct horse"
	authAdminURN = "urn:li:corpuser:" + authAdmin
)

// authFlags returns the flags of a server with authentication: its file of secrets, and its first
// administrator. All servers with these flags have the same secrets.
func authFlags(t testing.TB) (flags []string, secrets string) {
	t.Helper()
	dir := t.TempDir()
	secrets, first := filepath.Join(dir, keys.File), filepath.Join(dir, "first")
	if err := os.WriteFile(first, []byte(authAdmin+"\n"+authPassword+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--auth", "on", "--auth-keys", secrets, "--first-admin-file", first}, secrets
}

// as returns the server for requests with a header Authorization.
func (s *server) as(authorization string) *server {
	other := *s
	other.authorization = authorization
	return &other
}

// bearer returns the server for requests with a token.
func (s *server) bearer(token string) *server { return s.as("Bearer " + token) }

// systemHeader returns the header of the system client, as the actions framework sends it.
func systemHeader(t testing.TB, secrets string) string {
	t.Helper()
	set, err := keys.Read(secrets)
	if err != nil {
		t.Fatal(err)
	}
	return "Basic " + set.System.ID + ":" + set.System.Secret
}

// startKnowing starts a server with authentication. It returns the server without a caller, the
// server of the system client, and the file of secrets.
func startKnowing(t testing.TB, flags ...string) (nobody, system *server, secrets string) {
	t.Helper()
	auth, secrets := authFlags(t)
	nobody = start(t, append(auth, flags...)...)
	return nobody, nobody.as(systemHeader(t, secrets)), secrets
}

// tokenMade is a token with its id.
type tokenMade struct{ text, id string }

// tryGraphQL runs a GraphQL operation and returns its data, or its error.
func (s *server) tryGraphQL(query string, variables map[string]any) (any, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return nil, err
	}
	status, answer, err := s.try(http.MethodPost, "/api/graphql", string(body))
	switch {
	case err != nil:
		return nil, err
	case status != http.StatusOK || at(answer, "errors") != nil:
		return nil, fmt.Errorf("%d %v", status, answer)
	}
	return at(answer, "data"), nil
}

// graphQL is tryGraphQL of an operation that must work.
func (s *server) graphQL(query string, variables map[string]any) any {
	s.t.Helper()
	data, err := s.tryGraphQL(query, variables)
	if err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	return data
}

// tryToken makes a token of a user.
func (s *server) tryToken(user, name string) (tokenMade, error) {
	data, err := s.tryGraphQL(`mutation($in: CreateAccessTokenInput!) { createAccessToken(input: $in) { accessToken metadata { id } } }`,
		map[string]any{"in": map[string]any{"type": "PERSONAL", "actorUrn": user, "duration": "ONE_DAY", "name": name}})
	if err != nil {
		return tokenMade{}, err
	}
	text, _ := at(data, "createAccessToken", "accessToken").(string)
	id, _ := at(data, "createAccessToken", "metadata", "id").(string)
	return tokenMade{text, id}, nil
}

// token is tryToken, which must work.
func (s *server) token(user, name string) tokenMade {
	s.t.Helper()
	made, err := s.tryToken(user, name)
	if err != nil {
		s.t.Fatal(err)
	}
	return made
}

// tryRevoke revokes a token.
func (s *server) tryRevoke(id string) error {
	_, err := s.tryGraphQL(`mutation($id: String!) { revokeAccessToken(tokenId: $id) }`, map[string]any{"id": id})
	return err
}

func (s *server) revoke(id string) {
	s.t.Helper()
	if err := s.tryRevoke(id); err != nil {
		s.t.Fatal(err)
	}
}

// me returns the caller of the server's requests, or "" with the status of the refusal.
func (s *server) me(headers ...string) (actor string, status int) {
	s.t.Helper()
	status, answer := s.send(http.MethodGet, "/auth/session", "", headers...)
	actor, _ = at(answer, "actor").(string)
	return actor, status
}

// command runs a verb of the built binary against the server with variables of the environment.
func (s *server) command(environment []string, args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	var out, problems bytes.Buffer
	cmd := exec.Command(path, append(args, "--server", s.base)...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.t.TempDir(), &out, &problems
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return out.String(), problems.String(), cmd.ProcessState.ExitCode()
}

// TestAuthCommandLine: the verbs of the command line use a token from HEADWATER_TOKEN or --token,
// and fail with a plain error without one, with a foreign one and with a revoked one.
func TestAuthCommandLine(t *testing.T) {
	t.Parallel()
	nobody, _, secrets := startKnowing(t, "--data", t.TempDir(), "--sample", "--mcp-writes")
	stdout, stderr, code := nobody.command(nil, "token", "create", "laptop", "--user", authAdmin, "--keys", secrets)
	if code != 0 {
		t.Fatal(code, stderr)
	}
	token := strings.TrimSpace(stdout)
	nobody.bearer(token).awaitIndex(time.Minute)

	file := filepath.Join(t.TempDir(), "catalog.jsonl")
	verbs := [][]string{
		{"search", "orders"},
		{"get", "shop.public.orders"},
		{"get", "urn:li:dataPlatform:clickhouse"}, // the server itself writes this platform at its start
		{"lineage", "shop.public.orders"},
		{"timeline", "shop.public.orders"},
		{"runs", "list"},
		{"export", file},
		{"import", file},
		{"audit"},
		{"followers", "list"},
		{"token", "list"},
	}
	for _, verb := range verbs {
		if _, stderr, code := nobody.command([]string{"HEADWATER_TOKEN=" + token}, verb...); code != 0 {
			t.Errorf("headwater %s with HEADWATER_TOKEN: %d %s", verb, code, stderr)
		}
		if _, stderr, code := nobody.command(nil, verb...); code != 1 || !strings.Contains(stderr, "HEADWATER_TOKEN") {
			t.Errorf("headwater %s without a token: %d %s", verb, code, stderr)
		}
	}
	if _, stderr, code := nobody.command(nil, "search", "orders", "--token", token); code != 0 {
		t.Errorf("--token: %d %s", code, stderr)
	}
	foreign := token[:len(token)-4] + "AAAA"
	if _, stderr, code := nobody.command([]string{"HEADWATER_TOKEN=" + foreign}, "search", "orders"); code != 1 || !strings.Contains(stderr, "The token is not valid.") || strings.Contains(stderr, foreign) {
		t.Errorf("a foreign token: %d %s", code, stderr)
	}

	stdout, stderr, code = nobody.command([]string{"HEADWATER_TOKEN=" + token}, "token", "list", "--output", "json")
	var list struct {
		Tokens []struct {
			ID string `json:"id"`
		} `json:"tokens"`
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list.Tokens) != 0 {
		t.Fatalf("the tokens that the administrator made: %v %d %s%s", err, code, stdout, stderr) // the system client made this token
	}
	own := nobody.bearer(token).token(authAdminURN, "own")
	if stdout, stderr, code = nobody.command([]string{"HEADWATER_TOKEN=" + token}, "token", "revoke", own.id); code != 0 {
		t.Errorf("token revoke: %d %s%s", code, stdout, stderr)
	}
	if _, stderr, code = nobody.command([]string{"HEADWATER_TOKEN=" + own.text}, "search", "orders"); code != 1 || !strings.Contains(stderr, "The token has been revoked.") {
		t.Errorf("a revoked token: %d %s", code, stderr)
	}
	if log := nobody.log.String(); strings.Contains(log, token) || strings.Contains(log, own.text) {
		t.Error("a token is logged")
	}
	nobody.stop()
}

// TestAuthStream: an event stream ends soon after its token is revoked.
func TestAuthStream(t *testing.T) {
	t.Parallel()
	nobody, system, _ := startKnowing(t, "--data", t.TempDir(), "--platforms=false")
	token := system.token(authAdminURN, "stream")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, nobody.base+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	if resp, err := httpClient.Do(req); err != nil || resp.StatusCode != http.StatusUnauthorized {
		t.Fatalf("without a token: %v %v", resp, err)
	} else {
		resp.Body.Close()
	}
	req.Header.Set("Authorization", "Bearer "+token.text)
	resp, err := httpClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	defer resp.Body.Close()
	lines := make(chan string, 100)
	ended := make(chan time.Time, 1)
	go func() {
		for stream := bufio.NewScanner(resp.Body); stream.Scan(); {
			if line := stream.Text(); strings.Contains(line, "urn:li:tag:") {
				lines <- line
			}
		}
		ended <- time.Now()
	}()
	const patience = 20 * time.Second
	nobody.bearer(token.text).writeTag(1)
	select {
	case <-lines:
	case <-time.After(patience):
		t.Fatal("the stream tells nothing")
	}
	system.revoke(token.id)
	revoked := time.Now()
	select {
	case at := <-ended:
		t.Logf("the stream ended after %s", at.Sub(revoked))
	case <-time.After(patience):
		t.Error("the stream lives on")
	}
	nobody.stop()
}

// TestAuthReplica: a replica follows a server with authentication with a token. When the token is
// revoked, the replica says so, answers as before, and goes on with another token.
func TestAuthReplica(t *testing.T) {
	t.Parallel()
	nobody, system, _ := startKnowing(t, "--data", t.TempDir(), "--sample")
	token := system.token(authAdminURN, "replica")
	data := t.TempDir()
	replica := startVerb(t, "follow", nobody.base, "--data", data, "--source-token", token.text)
	system.writeSome("first")
	replica.level(system)

	system.revoke(token.id)
	var failure any
	if !testclock.Poll(20*time.Second, func() bool {
		_, answer := replica.send(http.MethodGet, "/replica", "")
		failure = at(answer, "failure")
		return at(answer, "state") == "failing"
	}) {
		t.Fatalf("the replica does not notice that its token is revoked: %v", failure)
	}
	if text := fmt.Sprint(failure); !strings.Contains(text, "The token has been revoked.") || !strings.Contains(text, "--source-token") {
		t.Errorf("the replica says %q", text)
	}
	system.writeSome("second")
	if found := replica.found("first"); found[0] == "0" {
		t.Errorf("the replica finds %v", found)
	}
	if found := replica.found("second"); found[0] != "0" {
		t.Errorf("the replica has read more with a revoked token: %v", found)
	}
	if strings.Contains(replica.log.String(), token.text) {
		t.Error("the token is logged")
	}
	replica.stop()

	replica = startVerb(t, "follow", nobody.base, "--data", data, "--source-token", system.token(authAdminURN, "another").text)
	replica.level(system)
	if found := replica.found("second"); found[0] == "0" {
		t.Errorf("the replica finds %v", found)
	}
	replica.stop()
	nobody.stop()
}

// TestAuthSystemClient: the header of the system client, as the actions framework sends it, reads
// and writes.
func TestAuthSystemClient(t *testing.T) {
	t.Parallel()
	nobody, system, secrets := startKnowing(t, "--data", t.TempDir(), "--platforms=false")
	const tag = "urn:li:tag:system"
	system.propose("UPSERT", tag, "tagProperties", `{"name":"by the system client"}`, "auth")
	path := "/aspects/" + url.QueryEscape(tag) + "?aspect=tagProperties&version=0"
	if status, answer := system.send(http.MethodGet, path, ""); status != http.StatusOK || !strings.Contains(fmt.Sprint(answer), "by the system client") {
		t.Errorf("%d %v", status, answer)
	}
	set, err := keys.Read(secrets)
	if err != nil {
		t.Fatal(err)
	}
	for name, header := range map[string]string{
		"nothing":        "",
		"another secret": "Basic " + set.System.ID + ":JohnSnowKnowsNothing",
		"another id":     "Basic somebody:" + set.System.Secret,
		"no secret":      "Basic " + set.System.ID,
		"as a token":     "Bearer " + set.System.ID + ":" + set.System.Secret,
	} {
		if status, answer := nobody.as(header).send(http.MethodGet, path, ""); status != http.StatusUnauthorized {
			t.Errorf("%s: %d %v", name, status, answer)
		}
	}
	nobody.stop()
}

// signIn signs in and returns the cookie of the session, as a header.
func (s *server) signIn(name, password string) string {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"username": name, "password": password})
	if err != nil {
		s.t.Fatal(err)
	}
	status, answer, header, err := s.tryWith(httpClient, http.MethodPost, "/logIn", string(body))
	if err != nil || status != http.StatusOK {
		s.t.Fatal(status, answer, err)
	}
	for _, c := range (&http.Response{Header: header}).Cookies() {
		if c.Name == access.SessionCookie {
			return c.Name + "=" + c.Value
		}
	}
	s.t.Fatal("no cookie of a session")
	return ""
}

// TestAuthSuspended: a user who is suspended, removed or deleted at a server is refused there from the
// next request on, however the change was made.
func TestAuthSuspended(t *testing.T) {
	t.Parallel()
	nobody, system, _ := startKnowing(t, "--data", t.TempDir(), "--platforms=false")
	const bela = "urn:li:corpuser:bela"
	system.propose("UPSERT", bela, "corpUserInfo", `{"active":true,"displayName":"Bela"}`, "auth")
	caller := nobody.bearer(system.token(bela, "Bela's").text)
	for _, change := range []struct {
		name      string
		end, goOn func()
	}{
		{
			"suspended",
			func() {
				system.propose("UPSERT", bela, "corpUserStatus", `{"status":"SUSPENDED","lastModified":{"time":0,"actor":"urn:li:corpuser:x"}}`, "auth")
			},
			func() { system.graphQL(`mutation { updateUserStatus(urn: "`+bela+`", status: ACTIVE) }`, nil) },
		},
		{
			"removed",
			func() { system.propose("UPSERT", bela, "status", `{"removed":true}`, "auth") },
			func() { system.propose("UPSERT", bela, "status", `{"removed":false}`, "auth") },
		},
		{"deleted", func() { system.graphQL(`mutation { removeUser(urn: "`+bela+`") }`, nil) }, func() {}},
	} {
		if actor, status := caller.me(); actor != bela {
			t.Fatalf("before the user is %s: %d", change.name, status)
		}
		change.end()
		if _, status := caller.me(); status != http.StatusUnauthorized {
			t.Errorf("a user who is %s is answered with %d", change.name, status)
		}
		change.goOn()
	}
	nobody.stop()
}
