package rest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// TestPolicies: who may not manage policies is refused; a file that is applied twice changes nothing the
// second time, and holds for the next request; everybody may ask about themselves.
func TestPolicies(t *testing.T) {
	g := newKnowing(t)
	if err := permit.WriteDefaults(t.Context(), g.rules, "li"); err != nil {
		t.Fatal(err)
	}
	admin, _ := g.token(t, "ada")
	ned, _ := g.token(t, "ned")
	u, _ := model.ParseURN("urn:li:corpuser:ada")
	roles := []any{"urn:li:dataHubRole:Admin"}
	if err := g.rules.Edit(t.Context(), []write.Edit{{URN: u, Aspect: model.AspectRoleMembership, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		value["roles"] = roles
		return nil
	}}}, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	const file = `{"name":"f.yaml","text":"policies:\n  - {id: stewards, name: Stewards, allow: [EDIT_ENTITY_TAGS], who: {users: [ned]}}\nexpect:\n  - {actor: ned, privilege: EDIT_ENTITY_TAGS, resource: 'urn:li:tag:x', may: true}\n  - {actor: ned, privilege: MANAGE_POLICIES, may: true}\n"}`
	const explain = "/access/explain?privilege=EDIT_ENTITY_TAGS&urn=urn:li:tag:x&actor=urn:li:corpuser:"
	for _, c := range []struct {
		name, token, method, target, body string
		status                            int
		says                              string
	}{
		{"list", ned, http.MethodGet, "/access/policies", "", http.StatusForbidden, "Unauthorized to perform this action. Please contact your DataHub administrator."},
		{"apply", ned, http.MethodPost, "/access/policies/apply?dryRun=true", file, http.StatusForbidden, "Unauthorized"},
		{"test", ned, http.MethodPost, "/access/policies/test", file, http.StatusForbidden, "Unauthorized"},
		{"explain another", ned, http.MethodGet, explain + "ada", "", http.StatusForbidden, "Unauthorized"},
		{"explain oneself", ned, http.MethodGet, explain + "ned", "", http.StatusOK, `"allowed":false,"enforced":true,"near":[`},
		{"explain another, as an administrator", admin, http.MethodGet, explain + "ned", "", http.StatusOK, `"sentence":"ned may not use EDIT_ENTITY_TAGS on urn:li:tag:x. No policy allows it.`},
		{"test", admin, http.MethodPost, "/access/policies/test", file, http.StatusOK, `"failed":1`},
		{"dry run", admin, http.MethodPost, "/access/policies/apply?dryRun=true", file, http.StatusOK, `{"changes":[{"id":"stewards","name":"Stewards","kind":"add"}],"dryRun":true}`},
		{"apply", admin, http.MethodPost, "/access/policies/apply", file, http.StatusOK, `{"changes":[{"id":"stewards","name":"Stewards","kind":"add"}],"dryRun":false}`},
		{"it holds", ned, http.MethodGet, explain + "ned", "", http.StatusOK, `"allowed":true,"enforced":true,"granted":"EDIT_ENTITY_TAGS","policy":{"urn":"urn:li:dataHubPolicy:stewards","name":"Stewards"},"effect":"ALLOW","why":{"kind":"user","name":"urn:li:corpuser:ned"}`},
		{"apply again", admin, http.MethodPost, "/access/policies/apply", file, http.StatusOK, `{"changes":[],"dryRun":false}`},
		{"one policy", admin, http.MethodGet, "/access/policies?id=stewards", "", http.StatusOK, `"text":"policies:\n  - id: stewards\n`},
		{"no policy", admin, http.MethodGet, "/access/policies?id=none", "", http.StatusNotFound, "there is no policy with the id none"},
		{"a wrong file", admin, http.MethodPost, "/access/policies/apply", `{"text":"policy: []"}`, http.StatusBadRequest, `the file:1: the file has no member`},
		{"no actor", admin, http.MethodGet, "/access/explain?privilege=READ", "", http.StatusBadRequest, "actor"},
		{"no privilege", admin, http.MethodGet, "/access/explain?actor=urn:li:corpuser:ned", "", http.StatusBadRequest, "privilege"},
		{"the server", admin, http.MethodGet, "/access/explain?actor=urn:li:corpuser:ned&privilege=MANAGE_POLICIES", "", http.StatusOK, `"allowed":false`},
	} {
		status, answer, _ := request(t, g.Server, c.method, c.target, c.body, "Authorization", "Bearer "+c.token)
		if status != c.status || !strings.Contains(answer, c.says) {
			t.Errorf("%s: %d %s", c.name, status, answer)
		}
	}
}
