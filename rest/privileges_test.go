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
	for _, tag := range []string{"Pii", "old"} {
		h.Say(urnsOfCalls[tag], model.AspectTagProperties, `{"name":"`+tag+`"}`)
	}
	handler := New(Options{Catalog: h.Services, MaxBodyBytes: 20 << 20, Policies: testcatalog.Policies(h.Services, h.Store, nil)})
	as := func(name string, roles ...string) *httptest.Server {
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
