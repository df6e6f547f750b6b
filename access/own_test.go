package access_test

import (
	"testing"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// TestOwn: the executor's token belongs to the system client. The token of a run lets the run write, but neither
// read secrets nor take runs nor make requests in the name of others.
func TestOwn(t *testing.T) {
	h := newHouse(t)
	o := h.gate.Options
	o.Own = access.Own{Executor: "of-the-executor", Run: "of-a-run"}
	gate := access.New(o)
	const eve = "urn:li:corpuser:eve"
	know := func(token, actor string) access.Known {
		t.Helper()
		k, err := gate.Caller(t.Context(), access.Shown{Authorization: "Bearer " + token, Actor: actor})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	executor, run := know("of-the-executor", ""), know("of-a-run", eve)
	if want := (requestinfo.Caller{Means: requestinfo.BySystemSecret, Credential: "executor", Admin: true}); executor.Caller != want {
		t.Errorf("the executor is %+v", executor.Caller)
	}
	if want := (requestinfo.Caller{Means: requestinfo.BySystemSecret, Credential: "run", Stated: eve}); run.Caller != want {
		t.Errorf("a run is %+v", run.Caller)
	}
	questions := []permission.Question{
		{Type: model.EntityDataset, Privileges: []string{"EDIT_ENTITY"}}, {Type: model.EntityDataHubSecret, Privileges: []string{"MANAGE_SECRETS"}}, {Type: model.EntityDataHubAccessToken, Privileges: []string{"MANAGE_ACCESS_TOKENS", "EDIT_ENTITY"}},
	}
	for name, c := range map[string]struct {
		of      access.Known
		secrets bool
		allowed [3]bool
	}{"executor": {executor, true, [3]bool{true, true, true}}, "run": {run, false, [3]bool{true, false, true}}} {
		if got := c.of.Permissions.Holds(t.Context(), "MANAGE_SECRETS", "MANAGE_INGESTION"); got != c.secrets {
			t.Errorf("%s manages secrets: %t", name, got)
		}
		if !c.of.Permissions.Holds(t.Context(), "MANAGE_SECRETS", "MANAGE_TAGS") {
			t.Errorf("%s does not manage tags", name)
		}
		allowed, err := c.of.Permissions.Allowed(t.Context(), questions)
		if err != nil || [3]bool(allowed) != c.allowed {
			t.Errorf("%s is allowed %v, %v", name, allowed, err)
		}
	}
	if !run.Permissions.Same(know("of-a-run", "").Permissions) || run.Permissions.Same(executor.Permissions) || executor.Permissions.Same(run.Permissions) {
		t.Error("permissions of an executor and of a run are taken for the same")
	}
	for _, token := range []string{"", "of-a-run ", "of-a-ru", "other"} {
		if _, err := gate.Caller(t.Context(), access.Shown{Authorization: "Bearer " + token}); (err == nil) != (token == "of-a-run ") {
			t.Errorf("the token %q: %v", token, err)
		}
	}
	if _, err := h.gate.Caller(t.Context(), access.Shown{Authorization: "Bearer of-a-run"}); err == nil {
		t.Error("a server without an executor takes its tokens")
	}
	if _, err := h.gate.Caller(t.Context(), access.Shown{Authorization: "Bearer "}); err == nil {
		t.Error("a server without an executor takes empty tokens")
	}
}
