package gql_test

import (
	"context"
	"log/slog"
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
)

// TestMutationsNeedPrivileges runs every mutation of the schema as a user without a role, by the policies of
// the first start: it is refused with 403, or as a wrong request, and changes nothing. An administrator then
// runs it, and is never refused.
func TestMutationsNeedPrivileges(t *testing.T) {
	usual := func(urn string) string { return urn }
	var permits *permit.Service
	r := newSpelledRunOn(t, catalogtest.NewProtectedHarness(t, func(ctx context.Context, wants []write.Want) []error {
		if permission.Of(ctx) == nil { // the test itself
			return nil
		}
		return permits.Protect(ctx, wants)
	}), usual)
	permits = permit.New(permit.Options{Store: r.h.Store, Now: testclock.Now, Logger: slog.New(slog.DiscardHandler)})
	if err := permit.WriteDefaults(t.Context(), r.h.Services, "li"); err != nil {
		t.Fatal(err)
	}
	as := func(name string, roles ...string) context.Context {
		actor := policies.Actor{URN: "urn:li:corpuser:" + name, Roles: roles}
		permissions, err := permits.Of(t.Context(), actor)
		if err != nil {
			t.Fatal(err)
		}
		return access.Known{Caller: requestinfo.Caller{Actor: actor.URN, Means: requestinfo.ByToken}, Permissions: permissions}.In(t.Context())
	}
	handler := gql.New(gql.Options{Catalog: r.h.Services, Policies: testcatalog.Policies(r.h.Services, r.h.Store, nil)})
	for _, step := range mutationSteps {
		before := r.h.State()
		text := askAs(as("ned"), t, handler, r.mutation(step, usual))
		if wrong := strings.HasPrefix(step, "!"); !strings.Contains(text, `"code":403`) && (!wrong || !strings.Contains(text, `"errors"`)) {
			t.Errorf("%s by somebody without a role: %.300s", step, text)
		}
		if diff := cmp.Diff(before, r.h.State()); diff != "" {
			t.Errorf("%s by somebody without a role has changed something:\n%s", step, diff)
		}
		// No policy of the reference's defaults grants MANAGE_CONNECTIONS, not even to administrators.
		connections := strings.Contains(step, "upsertConnection")
		if text := askAs(as("ada", "urn:li:dataHubRole:Admin"), t, handler, r.mutation(step, usual)); strings.Contains(text, `"code":403`) != connections {
			t.Errorf("%s by an administrator: %.300s", step, text)
		}
	}
}
