package rest

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

// byAnybody are the rows of the list changing that need no privilege: what is the caller's own, and what
// brings a link or a password of its own.
var byAnybody = []string{
	"POST /signUp", "POST /resetNativeUserCredentials", "POST /auth/first", "POST /auth/signUp", "POST /auth/resetNativeUserCredentials",
}

// TestWritesNeedPrivileges tries the changing rows of the route table as somebody without a role, by the
// policies of the first start: each is refused with 403 and changes nothing. For an administrator, who
// sends the same afterwards, none is refused.
func TestWritesNeedPrivileges(t *testing.T) {
	h, handler, as := newProtected(t)
	for _, tag := range []string{"Pii", "old"} {
		h.Say(urnsOfCalls[tag], model.AspectTagProperties, `{"name":"`+tag+`"}`)
	}
	nobody, admin := as("ned"), as("ada", "urn:li:dataHubRole:Admin")
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
		if status, answer, _ := request(t, admin, e.Method, e.Target(), e.Example.Body); status == http.StatusForbidden {
			t.Errorf("%s %s by an administrator: %d %.300s", e.Method, e.Target(), status, answer)
		}
	}
}

// newProtected makes a server whose catalog judges writes by the policies of the first start, and returns
// what serves somebody with some roles.
func newProtected(t *testing.T) (*catalogtest.SearchHarness, *Server, func(name string, roles ...string) *httptest.Server) {
	t.Helper()
	var permits *permit.Service
	h := catalogtest.NewProtectedHarness(t, func(ctx context.Context, wants []write.Want) []error {
		if catalog.PermissionsOf(ctx) == nil { // the test itself
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
