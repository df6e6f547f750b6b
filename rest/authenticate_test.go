package rest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/keys"
	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/tokens"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
	restaccess "github.com/headwater-io/headwater/rest/access"
)

// knowing is a server with authentication, and with every route that there can be.
type knowing struct {
	*httptest.Server
	rest   *Server
	rules  *services.Services
	tokens *tokens.Service
	ring   *keys.Ring
	// asked is the caller of the last request that reached a handler outside the route table.
	asked requestinfo.Caller
}

func newKnowing(t *testing.T) *knowing {
	t.Helper()
	var store graphstore.Store
	g := &knowing{rules: testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store {
		store = s
		return s
	})}
	path := filepath.Join(t.TempDir(), keys.File)
	if err := keys.Create(path); err != nil {
		t.Fatal(err)
	}
	var err error
	if g.ring, err = keys.Open(path, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	g.tokens = tokens.New(tokens.Options{Keys: g.ring, Entities: g.rules, Removal: g.rules.Removal, Registry: g.rules.Registry(), Now: time.Now, OwnWork: write.OwnWork, List: listOf(g.rules)})
	policies := testcatalog.Policies(g.rules, store, nil)
	gate := access.New(access.Options{Keys: g.ring, Tokens: g.tokens, Actors: access.NewActors(g.rules), Permit: policies.Permit, Now: time.Now})
	policies.Forget = gate.Forget
	answers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.asked = requestinfo.CallerOf(r.Context())
		w.WriteHeader(http.StatusOK)
	})
	closing, closeNow := context.WithCancel(context.Background())
	registry := prometheus.NewRegistry()
	g.rest = New(Options{
		Catalog: g.rules, Callers: gate, Policies: policies, Registry: registry, Gatherer: registry, Closing: closing,
		GraphQL: answers, SchemaRegistry: answers, GraphiQL: answers, MCP: answers,
	})
	g.Server = httptest.NewServer(g.rest)
	t.Cleanup(func() {
		closeNow()
		g.Close()
	})
	return g
}

// token makes a user, and a token of the user.
func (g *knowing) token(t *testing.T, name string) (token, id string) {
	t.Helper()
	u, _ := model.ParseURN("urn:li:corpuser:" + name)
	if err := g.rules.Create(t.Context(), u, map[string]catalog.Tree{model.AspectCorpUserInfo: {"active": true}}, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	token, m, err := g.tokens.Make(t.Context(), tokens.Request{Type: tokens.Personal, Actor: u, Owner: u, Name: "test"}, catalog.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return token, m.ID
}

// openToAll has the routes that a caller may use without a token or session.
var openToAll = []string{
	"/", "/ui", "/ui/*tail", "/health", "/health/", "/health/ready", "/health/ready/", "/health/check/ready", "/health/check/ready/",
	"/config", "/config/", "/openapi/up", "/openapi/up/", "/openapi/operations/dev/featureFlags", "/openapi/operations/dev/featureFlags/*tail",
	"/authenticate", "/authenticate/", "/sso", "/sso/", "/callback/oidc", "/callback/oidc/", "/logIn", "/logIn/", "/signUp", "/signUp/", "/logOut", "/logOut/", "/resetNativeUserCredentials", "/resetNativeUserCredentials/", "/auth/options", "/auth/options/", "/auth/first", "/auth/first/",
	"/browser/guide", "/browser/guide/", "/browser/style.grass", "/browser/style.grass/", "/browser/queries.zip", "/browser/queries.zip/", "/schema-registry/api/*path",
}

// openPreflight are the routes that browsers ask without credentials before the guide.
var openPreflight = []string{"/browser", "/browser/", "/browser/*tail"}

// TestEveryDoorIsShut walks all routes of the server. An unknown caller is refused with 401 and the error of
// the contract, unless the route is in the lists above. With a token, no route answers 401.
func TestEveryDoorIsShut(t *testing.T) {
	g := newKnowing(t)
	token, _ := g.token(t, "ada")
	routes := g.rest.engine.Routes()
	if len(routes) < 100 {
		t.Fatalf("the server has %d routes only", len(routes))
	}
	seen := map[string]bool{}
	for _, route := range routes {
		target := strings.NewReplacer("*tail", "urn%3Ali%3Atag%3Ax", "*path", "x", "*file", "x").Replace(route.Path)
		open := slices.Contains(openToAll, route.Path) || route.Method == http.MethodOptions && slices.Contains(openPreflight, route.Path)
		seen[route.Path] = true
		for name, headers := range map[string][]string{
			"nothing":      {"Accept", "application/json"},
			"a bad token":  {"Authorization", "Bearer abc"},
			"a bad cookie": {"Cookie", restaccess.SessionCookie + "=abc"},
			"only a name":  {"X-DataHub-Actor", "urn:li:corpuser:ada"},
		} {
			status, body, h := request(t, g.Server, route.Method, target, "{", headers...)
			switch {
			case open && status == http.StatusUnauthorized:
				t.Errorf("%s %s, which is open, refuses %s", route.Method, route.Path, name)
			case open:
			case status != http.StatusUnauthorized || h.Get("WWW-Authenticate") == "":
				t.Errorf("%s %s answers %s with %d: %.200s", route.Method, route.Path, name, status, body)
			case route.Method != http.MethodHead && !strings.Contains(body, `Unauthorized to perform this action.`):
				t.Errorf("%s %s refuses %s in another form: %.200s", route.Method, route.Path, name, body)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // event streams do not end by themselves
		status := statusOf(ctx, t, g.Server, route.Method, target, token)
		cancel()
		if status == http.StatusUnauthorized {
			t.Errorf("%s %s refuses a good token", route.Method, route.Path)
		}
	}
	for _, path := range openToAll {
		if !seen[path] {
			t.Errorf("there is no route %s", path)
		}
	}
	for _, target := range []string{"/nothing", "/entitiesV2x", "/api/v2/nothing"} {
		if status, _, _ := request(t, g.Server, http.MethodGet, target, ""); status != http.StatusUnauthorized {
			t.Errorf("%s, which does not exist, answers %d", target, status)
		}
	}
	if status, _, _ := request(t, g.Server, http.MethodPost, "/api/v2/graphql", "{}"); status != http.StatusUnauthorized {
		t.Errorf("the address of the reference's page for GraphQL answers %d", status)
	}
	if status, _, _ := request(t, g.Server, http.MethodGet, "/admin", ""); status != http.StatusOK {
		t.Errorf("the address of the reference's page for its health answers %d", status)
	}
}

// TestNeeds: endpoints that need a privilege of the platform refuse a caller who has none, before they
// look at the request.
func TestNeeds(t *testing.T) {
	g := newKnowing(t)
	token, _ := g.token(t, "ada")
	needing := 0
	for i := range g.rest.endpoints {
		e := &g.rest.endpoints[i]
		if len(e.Needs) == 0 {
			continue
		}
		needing++
		status, body, _ := request(t, g.Server, e.Method, e.Target(), "", "Authorization", "Bearer "+token)
		if status != http.StatusForbidden || !strings.Contains(body, e.Needs[0]) {
			t.Errorf("%s: %d %s", e.Row(), status, body)
		}
		status, body, _ = request(t, g.Server, e.Method, e.Target(), "", "Authorization", "Basic __datahub_system:"+g.ring.Current().System.Secret)
		if status == http.StatusForbidden {
			t.Errorf("%s by the system: %d %s", e.Row(), status, body)
		}
	}
	if needing < 15 {
		t.Errorf("%d endpoints need a privilege", needing)
	}
}

// statusOf returns the status of an answer without reading it.
func statusOf(ctx context.Context, t *testing.T, server *httptest.Server, method, target, token string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, server.URL+target, strings.NewReader("{"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := server.Client().Transport.RoundTrip(req) // redirects are not followed
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// TestTrueActor: with authentication, the actor of a write is the caller, whatever the request states.
func TestTrueActor(t *testing.T) {
	g := newKnowing(t)
	token, _ := g.token(t, "ada")
	status, body, _ := request(t, g.Server, http.MethodPost, "/aspects?action=ingestProposal", proposalBody("tag", "urn:li:tag:x", "status", `{"removed":false}`),
		"Authorization", "Bearer "+token, "X-RestLi-Protocol-Version", "2.0.0", "X-DataHub-Actor", "urn:li:corpuser:eve")
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	_, body, _ = request(t, g.Server, http.MethodGet, "/entitiesV2/urn%3Ali%3Atag%3Ax", "", "Authorization", "Bearer "+token, "X-RestLi-Protocol-Version", "2.0.0")
	if !strings.Contains(body, `"actor":"urn:li:corpuser:ada"`) || strings.Contains(body, "eve") {
		t.Errorf("the write is stamped otherwise: %s", body)
	}
	for _, target := range []string{"/api/graphql", "/mcp"} {
		status, body, _ := request(t, g.Server, http.MethodPost, target, "{}", "Authorization", "Bearer "+token, "X-DataHub-Actor", "urn:li:corpuser:eve")
		if status != http.StatusOK || g.asked.Actor != "urn:li:corpuser:ada" || g.asked.Stated != "urn:li:corpuser:eve" {
			t.Errorf("%s: %d %s, asked by %+v", target, status, body, g.asked)
		}
	}
	if status, _, _ := request(t, g.Server, http.MethodPost, "/api/graphql", "{}", "Authorization", "Bearer "+token, "X-DataHub-Actor", "eve"); status != http.StatusBadRequest {
		t.Errorf("an actor that is not a URN is answered with %d", status)
	}
}

// TestUnknownPaths: a path that no route has tells nothing to a caller who is not known. The
// exceptions are paths that clients ask for without credentials.
func TestUnknownPaths(t *testing.T) {
	g := newKnowing(t)
	for path, want := range map[string]int{
		"/.well-known/oauth-authorization-server":   http.StatusNotFound,
		"/.well-known/oauth-protected-resource/mcp": http.StatusNotFound,
		"/actuator/prometheus":                      http.StatusNotFound,
		"/config/search/export":                     http.StatusNotFound,
		"/health/live":                              http.StatusNotFound,
		"/public-iceberg/health":                    http.StatusNotFound,
		"/schema-registry/subjects":                 http.StatusNotFound,
		"/configuration":                            http.StatusUnauthorized,
		"/no/such/path":                             http.StatusUnauthorized,
		"/.well-knownentities":                      http.StatusUnauthorized,
	} {
		req := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		answer := httptest.NewRecorder()
		g.rest.ServeHTTP(answer, req)
		if answer.Code != want {
			t.Errorf("%s: %d %s, want %d", path, answer.Code, answer.Body, want)
		}
	}
}

// TestAdministratorsReadSettings: the settings of the server are for administrators, as in the
// reference.
func TestAdministratorsReadSettings(t *testing.T) {
	g := newKnowing(t)
	if err := permit.WriteDefaults(write.OwnWork(t.Context()), g.rules, "li"); err != nil {
		t.Fatal(err)
	}
	ada, _ := g.token(t, "ada")
	admin, _ := g.token(t, "admin")
	of, _ := model.ParseURN("urn:li:corpuser:admin")
	role := write.Replace(of, model.AspectRoleMembership, func(catalog.AuditStamp) catalog.Tree {
		return catalog.Tree{"roles": []any{"urn:li:dataHubRole:" + catalog.AdminRole}}
	})
	if err := g.rules.Edit(write.OwnWork(t.Context()), []write.Edit{role}, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, below := range []string{"", "/spring-components", "/properties", "/properties/simple"} {
		for token, want := range map[string]int{ada: http.StatusForbidden, admin: http.StatusOK} {
			req := httptest.NewRequest(http.MethodGet, "/openapi/v1/system-info"+below, http.NoBody)
			req.Header.Set("Authorization", "Bearer "+token)
			answer := httptest.NewRecorder()
			g.rest.ServeHTTP(answer, req)
			if answer.Code != want {
				t.Errorf("%s: %d %s, want %d", below, answer.Code, answer.Body, want)
			}
		}
	}
}

// TestCallerURN: a caller can ask who the server takes them for.
func TestCallerURN(t *testing.T) {
	g := newKnowing(t)
	token, id := g.token(t, "ada")
	ask := func() *httptest.ResponseRecorder {
		req := httptest.NewRequest(http.MethodGet, "/openapi/operations/identity/user/urn?skipCache=true", http.NoBody)
		req.Header.Set("Authorization", "Bearer "+token)
		answer := httptest.NewRecorder()
		g.rest.ServeHTTP(answer, req)
		return answer
	}
	if answer := ask(); answer.Code != http.StatusOK || strings.TrimSpace(answer.Body.String()) != `{"urn":"urn:li:corpuser:ada"}` {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	if err := g.tokens.Revoke(t.Context(), id, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	g.rest.Callers.Forget()
	if answer := ask(); answer.Code != http.StatusUnauthorized {
		t.Errorf("with a revoked token: %d %s", answer.Code, answer.Body)
	}
	believing := httptest.NewServer(New(Options{Catalog: g.rules}))
	defer believing.Close()
	status, answer, _ := request(t, believing, http.MethodGet, "/openapi/operations/identity/user/urn", "")
	if status != http.StatusOK || !strings.Contains(answer, `"urn":"urn:li:corpuser:__datahub_system"`) {
		t.Errorf("without authentication: %d %s", status, answer)
	}
}

// TestConfigTellsUser: with verbose=true, the configuration tells whether the caller is known.
func TestConfigTellsUser(t *testing.T) {
	g := newKnowing(t)
	token, _ := g.token(t, "ada")
	for _, c := range []struct{ path, token, want string }{
		{"/config?verbose=true", "", `"userType":"anonymous"`},
		{"/config?verbose=true", token, `"userType":"user"`},
		{"/config?verbose=true", "wrong", `"userType":"anonymous"`},
		{"/config", token, ""},
		{"/config?verbose=false", token, ""},
	} {
		req := httptest.NewRequest(http.MethodGet, c.path, http.NoBody)
		if c.token != "" {
			req.Header.Set("Authorization", "Bearer "+c.token)
		}
		answer := httptest.NewRecorder()
		g.rest.ServeHTTP(answer, req)
		text := answer.Body.String()
		if answer.Code != http.StatusOK || !strings.Contains(text, c.want) || c.want == "" && strings.Contains(text, "userType") {
			t.Errorf("%s: %d %s, want %s", c.path, answer.Code, text, c.want)
		}
	}
}

// TestStreamEndsWithToken revokes a token while an event stream is read with it.
func TestStreamEndsWithToken(t *testing.T) {
	g := newKnowing(t)
	token, id := g.token(t, "ada")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.URL+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := g.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	stream := bufio.NewReader(resp.Body)
	if line, err := stream.ReadString('\n'); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %q %v", resp.StatusCode, line, err)
	}
	if err := g.tokens.Revoke(t.Context(), id, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	// The stream ends only when the server ends it, which may cut the last piece.
	if _, err := io.Copy(io.Discard, stream); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the stream ended with %v", err)
	}
}

// listOf returns the function that lists entities of a type.
func listOf(c *services.Services) func(ctx context.Context, entityType string, start, count int) ([]string, error) {
	return func(ctx context.Context, entityType string, start, count int) ([]string, error) {
		page, err := c.ListURNs(ctx, entityType, start, count)
		return page.Entities, err
	}
}
