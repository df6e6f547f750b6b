package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/mcp"
)

// auditedServer serves a catalog whose requests are noted, with the caller that the test sets.
type auditedServer struct {
	*httptest.Server
	catalog *catalogtest.SearchHarness
	trail   *audit.Service
	caller  requestinfo.Caller
}

func serveAudited(t *testing.T) *auditedServer {
	t.Helper()
	h := catalogtest.NewSearchHarness(t)
	s := &auditedServer{catalog: h, trail: audit.New(audit.Options{Records: records.New(h.Store), Now: testclock.Now})}
	handler := New(Options{
		Catalog: h.Services, Audit: s.trail, GraphQL: gql.New(gql.Options{Catalog: h.Services, Audit: s.trail}),
		MCP: mcp.New(mcp.Options{Catalog: h.Services, Audit: s.trail, Writes: true}), Guard: Guard{Local: true},
	})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := requestinfo.WithCaller(r.Context(), s.caller)
		if s.caller.Admin {
			ctx = permission.With(ctx, permission.Everything{})
		}
		handler.ServeHTTP(w, r.WithContext(ctx))
	}))
	t.Cleanup(s.Close)
	h.Say("urn:li:tag:Pii", "tagProperties", `{"name":"Pii"}`)
	h.Say(catalogtest.Table, "status", `{"removed":false}`)
	return s
}

// entries returns the trail, the oldest entry first.
func (s *auditedServer) entries(t *testing.T) []audit.Entry {
	t.Helper()
	page, err := s.trail.Search(context.Background(), audit.Search{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(page.Entries)
	return page.Entries
}

func graphQLBody(query string) string {
	text, _ := json.Marshal(map[string]string{"query": query})
	return string(text)
}

// secrets are texts that requests of TestAudited have where clients put secrets.
var secrets = []string{"s3cret-token", "s3cret-query", "s3cret-cookie", "s3cret-value"}

// TestAudited: each door notes exactly its changes and refusals. No entry has a secret.
func TestAudited(t *testing.T) {
	s := serveAudited(t)
	const tagUse = `mutation { addTag(input: {tagUrn: "urn:li:tag:Pii", resourceUrn: "` + catalogtest.Table + `"}) }`
	call := func(method, target, body string, more ...string) {
		t.Helper()
		headers := append([]string{
			"X-RestLi-Protocol-Version", "2.0.0", "Content-Type", "application/json", "Accept", "application/json, text/event-stream", "User-Agent", "tests/1",
			"Authorization", "Bearer s3cret-token", "Cookie", "session=s3cret-cookie", "X-Request-Id", "the-request",
		}, more...)
		request(t, s.Server, method, target, body, headers...)
	}
	for _, test := range []struct {
		name, method, target, body string
		kind                       audit.Kind // "" if nothing is noted
		door                       string
		about                      []string
		status                     int
	}{
		{"write", "POST", "/aspects?action=ingestProposal", proposalBody("tag", "urn:li:tag:new", "tagProperties", `{"name":"s3cret-value"}`), audit.Write, "POST /aspects?action=ingestProposal", []string{"urn:li:tag:new"}, 200},
		{"wrong write", "POST", "/aspects?action=ingestProposal", `{"proposal":{}}`, "", "", nil, 0},
		{"read", "GET", "/entities/urn%3Ali%3Atag%3Anew", "", "", "", nil, 0},
		{"read by POST", "POST", "/runs?action=list", `{}`, "", "", nil, 0},
		{"write over OpenAPI", "POST", "/openapi/v3/entity/tag?async=false", `[{"urn":"urn:li:tag:v3","tagProperties":{"value":{"name":"v3"}}}]`, audit.Write, "POST /openapi/v3/entity/{entityType}", []string{"urn:li:tag:v3"}, 200},
		{"dry run", "POST", "/entities?action=delete", `{"urn":"urn:li:tag:new","dryRun":true}`, "", "", nil, 0},
		{"delete", "POST", "/entities?action=delete", `{"urn":"urn:li:tag:new"}`, audit.Delete, "POST /entities?action=delete", []string{"urn:li:tag:new"}, 200},
		{"delete over OpenAPI", "DELETE", "/openapi/v3/entity/tag/urn%3Ali%3Atag%3Av3", "", audit.Delete, "DELETE /openapi/v3/entity/{entityType}/{urn}", []string{"urn:li:tag:v3"}, 200},
		{"rollback", "POST", "/runs?action=rollback", `{"runId":"none","dryRun":false}`, audit.Rollback, "POST /runs?action=rollback", nil, 200},
		{"export", "GET", "/export", "", audit.Export, "GET /export", nil, 200},
		{"head of an export", "HEAD", "/export", "", "", "", nil, 0},
		{"settings", "POST", "/index?action=rebuild", `{}`, audit.Settings, "POST /index?action=rebuild", nil, 200},
		{"mutation", "POST", "/api/graphql", graphQLBody(tagUse), audit.Write, "graphql addTag", []string{catalogtest.Table}, 200},
		{"wrong mutation", "POST", "/api/graphql", graphQLBody(`mutation { addTag(input: {tagUrn: "urn:li:tag:none", resourceUrn: "x"}) }`), "", "", nil, 0},
		{"delete by mutation", "POST", "/api/graphql", graphQLBody(`mutation { deleteTag(urn: "urn:li:tag:Pii") }`), audit.Delete, "graphql deleteTag", []string{"urn:li:tag:Pii", catalogtest.Table}, 200},
		{"query", "POST", "/api/graphql", graphQLBody(`{ me { corpUser { urn } } }`), "", "", nil, 0},
		{"tool", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_description","arguments":{"of":"` + catalogtest.Table + `","description":"s3cret-value"}}}`, audit.Write, "mcp set_description", []string{catalogtest.Table}, 0},
		{"wrong tool", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_description","arguments":{"of":"urn:li:tag:none","description":"x"}}}`, "", "", nil, 0},
	} {
		before := len(s.entries(t))
		s.caller = requestinfo.Caller{Actor: catalogtest.Ada, Means: requestinfo.ByToken, Credential: "t1", Remote: "192.0.2.1", Admin: true}
		call(test.method, test.target, test.body)
		noted := s.entries(t)[before:]
		if test.kind == "" {
			if len(noted) > 0 {
				t.Errorf("%s: %+v", test.name, noted)
			}
			continue
		}
		if len(noted) != 1 {
			t.Errorf("%s: %d entries: %+v", test.name, len(noted), noted)
			continue
		}
		e := noted[0]
		if e.Kind != test.kind || e.Door != test.door || !e.Allowed || e.Status != test.status || test.about != nil && !slices.Equal(e.Entities, test.about) {
			t.Errorf("%s: %+v", test.name, e)
		}
		if e.Means != requestinfo.ByToken || e.Credential != "t1" || e.Remote != "192.0.2.1" || e.Agent != "tests/1" || e.RequestID != "the-request" {
			t.Errorf("%s lacks who did it: %+v", test.name, e)
		}
	}
	before := len(s.entries(t))
	for range 3 {
		call("GET", "/config?token=s3cret-query", "", "Host", "x", "Origin", "https://other.example", "Sec-Fetch-Site", "cross-site")
		call("POST", "/aspects?action=ingestProposal&token=s3cret-query", `{}`, "Sec-Fetch-Site", "cross-site")
	}
	s.catalog.SetReadOnly(true)
	call("POST", "/api/graphql", graphQLBody(tagUse))
	call("POST", "/aspects?action=ingestProposal", proposalBody("tag", "urn:li:tag:new", "tagProperties", `{"name":"s3cret-value"}`))
	call("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_tags","arguments":{"of":"`+catalogtest.Table+`","add":["x"]}}}`)
	refused := s.entries(t)[before:]
	doors := map[string]bool{}
	for _, e := range refused {
		doors[e.Door] = true
		if e.Kind != audit.Refused || e.Allowed || e.Reason == "" {
			t.Errorf("%+v", e)
		}
	}
	if len(refused) != 4 || !doors["graphql addTag"] || !doors["mcp set_tags"] || !doors["POST /aspects?action=ingestProposal"] && !doors["POST /aspects"] {
		t.Errorf("%d refusals: %+v", len(refused), refused)
	}
	for record, err := range records.Of[json.RawMessage](records.New(s.catalog.Store), records.Audit).All(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			if strings.Contains(string(record.Value), secret) {
				t.Errorf("%s is in the trail: %s", secret, record.Value)
			}
		}
	}
}

// TestAuditBeforeTheAnswer: the answer to a mutation about security comes after its entry.
func TestAuditBeforeTheAnswer(t *testing.T) {
	s := serveAudited(t)
	s.catalog.Say(catalogtest.Ada, "corpUserInfo", `{"active":true,"displayName":"Ada"}`)
	request(t, s.Server, http.MethodPost, "/api/graphql", graphQLBody(`mutation { removeUser(urn: "`+catalogtest.Ada+`") }`))
	other := audit.New(audit.Options{Records: records.New(s.catalog.Store), Now: testclock.Now}) // as if this server were killed
	page, err := other.Search(t.Context(), audit.Search{Kinds: []audit.Kind{audit.UserRemoved}})
	if err != nil || len(page.Entries) != 1 {
		t.Errorf("%+v %v", page, err)
	}
}

// TestAuditOfUserStatus: only a status that keeps a user out is a suspension, also if the status is in
// a variable.
func TestAuditOfUserStatus(t *testing.T) {
	s := serveAudited(t)
	s.catalog.Say(catalogtest.Ada, "corpUserInfo", `{"active":true,"displayName":"Ada"}`)
	for status, want := range map[string]audit.Kind{"ACTIVE": audit.UserChanged, "SUSPENDED": audit.UserSuspended} {
		for _, body := range []string{
			graphQLBody(`mutation { updateUserStatus(urn: "` + catalogtest.Ada + `", status: ` + status + `) }`),
			`{"query":"mutation u($s: CorpUserStatus!) { updateUserStatus(urn: \"` + catalogtest.Ada + `\", status: $s) }","variables":{"s":"` + status + `"}}`,
		} {
			_, answer, _ := request(t, s.Server, http.MethodPost, "/api/graphql", body)
			entries := s.entries(t)
			if e := entries[max(0, len(entries)-1):]; len(e) == 0 || e[0].Kind != want {
				t.Errorf("%s: %+v %s", body, e, answer)
			}
		}
	}
}

// TestReadAudit reads the trail at each door, as a caller who may and as a caller who may not.
func TestReadAudit(t *testing.T) {
	s := serveAudited(t)
	s.trail.Note(t.Context(), audit.Entry{Kind: audit.SignIn, Actor: catalogtest.Ada, Allowed: true, Remote: "192.0.2.1", Door: "POST /logIn"})
	s.trail.Note(t.Context(), audit.Entry{Kind: audit.SignInRefused, Actor: catalogtest.Ada, Door: "POST /logIn", Reason: "wrong"})
	s.trail.Note(t.Context(), audit.Entry{Kind: audit.TokenMade, Actor: catalogtest.Ada, Allowed: true, Door: "graphql createAccessToken", Entities: []string{"urn:li:dataHubAccessToken:x"}, Aspects: []string{"dataHubAccessTokenInfo"}})
	s.trail.Note(t.Context(), audit.Entry{Kind: audit.Write, Allowed: true, Door: "POST /openapi/v3/entity/{entityType}", Entities: []string{"urn:li:tag:a", "urn:li:tag:b"}, Aspects: []string{"status", "tagProperties"}})
	type ask struct {
		method, target, body string
		want                 []string
		not                  string
	}
	asks := []ask{
		{"GET", "/audit", "", []string{`"kind":"signIn"`, `"kind":"write"`}, `"cursor"`},
		{"GET", "/audit?kind=signIn,tokenMade&limit=1", "", []string{`"kind":"tokenMade"`, `"cursor"`, `"lookedTo"`}, `"kind":"signIn"`},
		{"GET", "/audit?allowed=false", "", []string{`"reason":"wrong"`}, `"kind":"write"`},
		{"GET", "/audit?entity=urn%3Ali%3Atag%3Ab&actor=", "", []string{`"entityCount":2`}, `"kind":"signIn"`},
		{"GET", "/audit?actor=urn%3Ali%3Acorpuser%3Aada&until=2020-01-01", "", []string{`"entries":[]`}, "kind"},
		{"POST", "/openapi/v1/events/audit/search?size=2", `{"eventTypes":["UpdateAspectEvent","LogInEvent"]}`, []string{`"count":2`, `"total":2`, `"nextScrollId"`, `"actorUrn":"urn:li:corpuser:__datahub_system"`, `"eventSource":"OPENAPI"`, `"entityType":"tag"`}, "LogInEvent"},
		{"POST", "/openapi/v1/events/audit/search", `{"eventTypes":["LogInEvent","FailedLogInEvent"],"actorUrns":["urn:li:corpuser:ada"],"aspectTypes":[]}`, []string{`"eventType":"LogInEvent"`, `"loginSource":"PASSWORD_LOGIN"`, `"count":2`, `"rawUsageEvent"`}, "CreateAccessTokenEvent"},
		{"POST", "/openapi/v1/events/audit/search?includeRaw=false", `{"aspectTypes":["dataHubAccessTokenInfo"]}`, []string{`"eventType":"CreateAccessTokenEvent"`, `"entityUrn":"urn:li:dataHubAccessToken:x"`, `"eventSource":"GRAPHQL"`}, "rawUsageEvent"},
		{"POST", "/openapi/v1/events/audit/search?startTime=1&endTime=2", `{}`, []string{`"count":0`, `"usageEvents":[]`}, "eventType"},
		{"POST", "/api/graphql", graphQLBody(`{ auditTrail(input: {kinds: ["write"], limit: 5}) { entries { kind door allowed entityCount entities { urn } } cursor } }`), []string{`"kind":"write"`, `"entityCount":2`, `"urn":"urn:li:tag:b"`, `"cursor":null`}, "signIn"},
	}
	for _, a := range asks {
		s.caller = requestinfo.Caller{Actor: catalogtest.Ada, Means: requestinfo.BySession, Admin: true}
		status, answer, _ := request(t, s.Server, a.method, a.target, a.body)
		for _, want := range a.want {
			if status != http.StatusOK || !strings.Contains(answer, want) {
				t.Errorf("%s %s %s: %d, without %s: %s", a.method, a.target, a.body, status, want, answer)
			}
		}
		if strings.Contains(answer, a.not) {
			t.Errorf("%s %s: has %s: %s", a.method, a.target, a.not, answer)
		}
		s.caller.Admin, s.caller.Actor = false, "urn:li:corpuser:somebody"
		status, answer, _ = request(t, s.Server, a.method, a.target, a.body)
		if !strings.Contains(answer, "You may not read the audit trail of others (name yourself as the actor): that needs MANAGE_SYSTEM_OPERATIONS") || a.target != graphQLPath && status != http.StatusForbidden || strings.Contains(answer, `"kind":"`) {
			t.Errorf("%s %s as somebody else: %d %s", a.method, a.target, status, answer)
		}
	}
	refused := 0
	for _, e := range s.entries(t) {
		if e.Kind == audit.Refused {
			refused++
		}
	}
	if refused != 3 { // one for each door
		t.Errorf("%d refusals are noted", refused)
	}
	s.caller = requestinfo.Caller{}
	for _, target := range []string{"/audit?kind=none", "/audit?limit=0x", "/audit?cursor=x", "/audit?since=soon", "/audit?actor=ada", "/audit?limit=-1"} {
		if status, answer, _ := request(t, s.Server, http.MethodGet, target, ""); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", target, status, answer)
		}
	}
	pages, scroll := 0, ""
	for pages < 10 {
		_, answer, _ := request(t, s.Server, http.MethodPost, "/openapi/v1/events/audit/search?size=1&scrollId="+scroll, `{"eventTypes":["LogInEvent","CreateAccessTokenEvent"]}`)
		var page struct{ NextScrollID string }
		if err := json.Unmarshal([]byte(answer), &page); err != nil {
			t.Fatal(err)
		}
		if pages++; page.NextScrollID == "" {
			break
		}
		scroll = page.NextScrollID
	}
	if pages != 2 {
		t.Errorf("two events are on %d pages", pages)
	}
	without := httptest.NewServer(New(Options{Catalog: s.catalog.Services}))
	defer without.Close()
	if status, answer, _ := request(t, without, http.MethodGet, "/audit", ""); status != http.StatusNotFound || !strings.Contains(answer, "keeps no audit trail") {
		t.Errorf("%d %s", status, answer)
	}
}

// TestReadOwnAudit: a caller who is no administrator reads their own entries at each door, and no others.
func TestReadOwnAudit(t *testing.T) {
	s := serveAudited(t)
	const other = "urn:li:corpuser:other"
	s.trail.Note(t.Context(), audit.Entry{Kind: audit.SignIn, Actor: catalogtest.Ada, Allowed: true, Door: "POST /logIn"})
	s.trail.Note(t.Context(), audit.Entry{Kind: audit.TokenMade, Actor: other, Allowed: true, Door: "graphql createAccessToken"})
	s.caller = requestinfo.Caller{Actor: catalogtest.Ada, Means: requestinfo.BySession}
	search := func(actors string) [3]string {
		return [3]string{"POST", "/openapi/v1/events/audit/search", `{"actorUrns":[` + actors + `]}`}
	}
	list := func(actor string) [3]string { return [3]string{"GET", "/audit?actor=" + url.QueryEscape(actor), ""} }
	graph := func(actor string) [3]string {
		return [3]string{"POST", graphQLPath, graphQLBody(`{ auditTrail(input: {actor: "` + actor + `"}) { entries { door } } }`)}
	}
	quoted := func(text string) string { return `"` + text + `"` }
	for _, own := range [][3]string{search(quoted(catalogtest.Ada)), list(catalogtest.Ada), graph(catalogtest.Ada)} {
		if status, answer, _ := request(t, s.Server, own[0], own[1], own[2]); status != http.StatusOK || !strings.Contains(answer, "logIn") && !strings.Contains(answer, "LogInEvent") || strings.Contains(answer, "createAccessToken") || strings.Contains(answer, "CreateAccessToken") {
			t.Errorf("%s: %d %s", own, status, answer)
		}
	}
	for _, others := range [][3]string{
		search(""), search(quoted(other)), search(quoted(catalogtest.Ada) + "," + quoted(other)), list(other), list(""), graph(other), graph(""),
	} {
		if _, answer, _ := request(t, s.Server, others[0], others[1], others[2]); !strings.Contains(answer, "You may not read the audit trail of others") {
			t.Errorf("%s: %s", others, answer)
		}
	}
}
