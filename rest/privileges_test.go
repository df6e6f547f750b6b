package rest

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/ingestion"
)

// byAnybody are the rows of the list changing that need no privilege: they change the caller's own entities,
// or the caller shows a link or a password.
var byAnybody = []string{
	"POST /signUp", "POST /resetNativeUserCredentials", "POST /auth/first", "POST /auth/signUp", "POST /auth/resetNativeUserCredentials",
}

// privileged is a server with the policies of the first start.
type privileged struct {
	h       *catalogtest.SearchHarness
	handler *Server
	// nobody is the server as a user without a role sees it, admin as an administrator does.
	nobody, admin *httptest.Server
}

func servePrivileged(t *testing.T) *privileged {
	t.Helper()
	h, handler, as := newProtected(t)
	for _, tag := range []string{"Pii", "old"} {
		h.Say(urnsOfCalls[tag], model.AspectTagProperties, `{"name":"`+tag+`"}`)
	}
	return &privileged{h: h, handler: handler, nobody: as("ned"), admin: as("ada", "urn:li:dataHubRole:Admin")}
}

// TestWritesNeedPrivileges tries the changing rows of the route table as a user without a role, by the
// policies of the first start: each is refused with 403 and changes nothing. An administrator then sends the
// same requests, and none is refused.
func TestWritesNeedPrivileges(t *testing.T) {
	p := servePrivileged(t)
	h, handler, nobody, admin := p.h, p.handler, p.nobody, p.admin
	for i := range handler.endpoints {
		e := &handler.endpoints[i]
		if !slices.Contains(changing, rowOf(e)) || slices.Contains(byAnybody, rowOf(e)) {
			continue
		}
		before := h.State()
		target, body := e.Target(), e.Example.Body
		if hasDryRun(e) {
			target, body = strings.Replace(target, "dryRun=true", "dryRun=false", 1), strings.Replace(body, `"dryRun":true`, `"dryRun":false`, 1)
		}
		status, answer, _ := request(t, nobody, e.Method, target, body)
		if status != http.StatusForbidden {
			t.Errorf("%s %s by somebody without a role: %d %.300s", e.Method, e.Target(), status, answer)
		}
		if diff := cmp.Diff(before, h.State()); diff != "" {
			t.Errorf("%s by somebody without a role has changed something:\n%s", rowOf(e), diff)
		}
		if status, answer, _ := request(t, admin, e.Method, e.Target(), e.Example.Body); status == http.StatusForbidden && !(strings.HasPrefix(e.Path, ingestion.Path) && strings.Contains(answer, "Only programs that run recipes may")) {
			t.Errorf("%s %s by an administrator: %d %.300s", e.Method, e.Target(), status, answer)
		}
	}
}

// newProtected makes a server whose catalog judges writes by the policies of the first start, and returns a
// function that makes the server of a user with some roles.
func newProtected(t *testing.T) (*catalogtest.SearchHarness, *Server, func(name string, roles ...string) *httptest.Server) {
	t.Helper()
	var permits *permit.Service
	h := catalogtest.NewProtectedHarness(t, func(ctx context.Context, wants []write.Want) []error {
		if permission.Of(ctx) == nil { // the test itself
			return nil
		}
		return permits.Protect(ctx, wants)
	})
	permits = permit.New(permit.Options{Store: h.Store, Now: testclock.Now, Logger: slog.New(slog.DiscardHandler)})
	if err := permit.WriteDefaults(t.Context(), h.Services, "li"); err != nil {
		t.Fatal(err)
	}
	handler := New(Options{
		Catalog: h.Services, MaxBodyBytes: 20 << 20, Policies: testcatalog.Policies(h.Services, h.Store, nil),
		GraphQL: gql.New(gql.Options{Catalog: h.Services, Logger: slog.New(slog.DiscardHandler)}),
	})
	return h, handler, func(name string, roles ...string) *httptest.Server {
		permissions, err := permits.Of(t.Context(), policies.Actor{URN: "urn:li:corpuser:" + name, Roles: roles})
		if err != nil {
			t.Fatal(err)
		}
		known := access.Known{Caller: requestinfo.Caller{Actor: "urn:li:corpuser:" + name, Means: requestinfo.ByToken}, Permissions: permissions}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			handler.ServeHTTP(w, r.WithContext(known.In(r.Context())))
		}))
		t.Cleanup(server.Close)
		return server
	}
}

// TestNobodyRemovesThemselves: being a user is no right to delete or suspend the user, through any door.
func TestNobodyRemovesThemselves(t *testing.T) {
	h, _, as := newProtected(t)
	const ned = "urn:li:corpuser:ned"
	h.Say(ned, model.AspectCorpUserInfo, `{"active":true,"displayName":"Ned"}`)
	server := as("ned")
	for _, c := range [][3]string{
		{"POST", "/api/graphql", graphQLBody(`mutation { removeUser(urn: "` + ned + `") }`)},
		{"POST", "/api/graphql", graphQLBody(`mutation { batchUpdateSoftDeleted(input: {urns: ["` + ned + `"], deleted: true}) }`)},
		{"POST", "/api/graphql", graphQLBody(`mutation { updateUserStatus(urn: "` + ned + `", status: SUSPENDED) }`)},
		{"POST", "/entities?action=delete", `{"urn":"` + ned + `"}`},
		{"POST", "/entities?action=deleteReferences", `{"urn":"` + ned + `"}`},
		{"POST", "/aspects?action=ingestProposal", `{"proposal":{"entityType":"corpuser","entityUrn":"` + ned + `","changeType":"UPSERT","aspectName":"status","aspect":{"contentType":"application/json","value":"{\"removed\":true}"}}}`},
		{"POST", "/aspects?action=ingestProposal", `{"proposal":{"entityType":"corpuser","entityUrn":"` + ned + `","changeType":"DELETE","aspectName":"corpUserInfo"}}`},
		{"DELETE", "/openapi/v3/entity/corpuser/" + ned, ""},
		{"DELETE", "/openapi/v3/entity/corpuser/" + ned + "/corpUserInfo", ""},
		{"DELETE", "/openapi/entities/v1/?urns=" + ned, ""},
		{"DELETE", "/openapi/entities/v1/?urns=" + ned + "&soft=true", ""},
	} {
		before := h.State()
		status, answer, _ := request(t, server, c[0], c[1], c[2])
		if status != http.StatusForbidden && !strings.Contains(answer, `"code":403`) {
			t.Errorf("%s %s %s: %d %.300s", c[0], c[1], c[2], status, answer)
		}
		if diff := cmp.Diff(before, h.State()); diff != "" {
			t.Errorf("%s %s %s has changed something:\n%s", c[0], c[1], c[2], diff)
		}
	}
}

// TestGeneratedByLesser sends random variations of the examples of the route table as a user without a role:
// no failure is the server's, and nothing changes.
func TestGeneratedByLesser(t *testing.T) {
	p := servePrivileged(t)
	p.h.Say(call.ExampleTable, model.AspectDatasetProperties, `{"description":"d"}`)
	dice := testseed.Rand(t, 0)
	statuses := map[int]int{}
	for i := range p.handler.endpoints {
		e := &p.handler.endpoints[i]
		if slices.Contains(byAnybody, rowOf(e)) || e.Open {
			continue
		}
		before := p.h.State()
		for range testsize.Of(8, 200) {
			target, body := varied(dice, e.Target()), e.Example.Body
			var tree any
			if json.Unmarshal([]byte(body), &tree) == nil {
				text, err := json.Marshal(variedTree(dice, tree))
				if err != nil {
					t.Fatal(err)
				}
				body = string(text)
			} else {
				body = varied(dice, body)
			}
			status, answer, _ := request(t, p.nobody, e.Method, target, body)
			if statuses[status]++; status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable {
				t.Errorf("%s %s %s: %d %.300s", e.Method, target, body, status, answer)
			}
		}
		if diff := cmp.Diff(before, p.h.State()); diff != "" {
			t.Errorf("somebody without a role has changed something by %s:\n%s", rowOf(e), diff)
		}
	}
	t.Log(statuses)
	if statuses[http.StatusForbidden] < 100 || statuses[http.StatusOK] < 100 {
		t.Errorf("the answers are %v", statuses)
	}
}

// strangeTexts are put in place of texts.
var strangeTexts = []string{
	"", "x", call.ExampleTable, "urn:li:tag:Pii", "urn:li:tag:none", "urn:li:corpuser:ada", "urn:li:dataHubPolicy:7", "urn:li:dataset:(a,b",
	"urn:li:schemaField:(urn:li:tag:a,b)", "\u0000", "dataset", "dataHubPolicyInfo", "corpUserStatus", "true", "-1", "DELETE", "CREATE",
}

// varied exchanges a URN of a target or of another text, or a piece of it.
func varied(dice *rand.Rand, text string) string {
	switch dice.IntN(4) {
	case 0:
		return text
	case 1:
		return strings.ReplaceAll(text, call.ExampleTableEncoded, url.QueryEscape(strangeTexts[dice.IntN(len(strangeTexts))]))
	case 2:
		name, _, found := strings.Cut(text, "?")
		if !found {
			return text
		}
		query, _ := url.ParseQuery(text[len(name)+1:])
		for key := range query {
			if key != "action" && dice.IntN(2) == 0 {
				query.Set(key, strangeTexts[dice.IntN(len(strangeTexts))])
			}
		}
		return name + "?" + query.Encode()
	}
	return strings.ReplaceAll(text, "dryRun=true", "dryRun=false")
}

// variedTree exchanges texts of a body, and leaves members out.
func variedTree(dice *rand.Rand, value any) any {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if dice.IntN(12) == 0 {
				delete(value, name)
			} else {
				value[name] = variedTree(dice, value[name])
			}
		}
	case []any:
		for i := range value {
			value[i] = variedTree(dice, value[i])
		}
	case string:
		if dice.IntN(6) == 0 {
			return strangeTexts[dice.IntN(len(strangeTexts))]
		}
	case bool:
		return dice.IntN(2) == 0
	}
	return value
}
