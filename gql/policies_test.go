package gql_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/access/manage"
	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// guarded is a server with the policies of the first start, ada as an administrator and ned without a role.
type guarded struct {
	*services.Services
	http.Handler
	policies *manage.Service
	// forgotten counts how often all callers were looked at again.
	forgotten int
}

func newGuarded(t *testing.T) *guarded {
	t.Helper()
	g := &guarded{}
	g.Services, g.policies = testcatalog.WithPolicies(t, nil)
	g.policies.Forget = func() { g.forgotten++ }
	if err := permit.WriteDefaults(t.Context(), g.Services, "li"); err != nil {
		t.Fatal(err)
	}
	writeAspect(t, g.Services, "urn:li:dataHubRole:Reader", "dataHubRoleInfo", `{"name":"Reader","description":"reads"}`)
	for _, name := range []string{"ada", "ned"} {
		writeAspect(t, g.Services, "urn:li:corpuser:"+name, "corpUserInfo", `{"active":true}`)
	}
	writeAspect(t, g.Services, "urn:li:corpuser:ada", "roleMembership", `{"roles":["urn:li:dataHubRole:Admin"]}`)
	writeAspect(t, g.Services, orders, "datasetProperties", `{"name":"orders"}`)
	awaitIndex(t, g.Services)
	g.Handler = gql.New(gql.Options{Catalog: g.Services, Policies: g.policies})
	return g
}

// as returns the context of a request of a user.
func (g *guarded) as(t *testing.T, name string) context.Context {
	t.Helper()
	u, err := g.Registry().ReadURN("urn:li:corpuser:" + name)
	if err != nil {
		t.Fatal(err)
	}
	state, err := g.policies.Actors.State(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	permissions, err := g.policies.Permit.Of(t.Context(), state.Policies)
	if err != nil {
		t.Fatal(err)
	}
	return permission.With(requestinfo.WithCaller(t.Context(), requestinfo.Caller{Actor: u.String(), Means: requestinfo.ByToken}), permissions)
}

const somebody = `actors: {users: ["urn:li:corpuser:ned"], resourceOwners: false, allUsers: false, allGroups: false}`

// TestPoliciesAreRefused: who may not manage policies is refused with the reference's texts.
func TestPoliciesAreRefused(t *testing.T) {
	g := newGuarded(t)
	const standard = "Unauthorized to perform this action. Please contact your DataHub administrator."
	input := `{type: METADATA, name: "x", state: ACTIVE, privileges: ["EDIT_ENTITY"], ` + somebody + `}`
	for query, says := range map[string]string{
		`{ listPolicies(input: {}) { total } }`:                                                                             standard,
		`mutation { createPolicy(input: ` + input + `) }`:                                                                   standard,
		`mutation { updatePolicy(urn: "urn:li:dataHubPolicy:7", input: ` + input + `) }`:                                    standard,
		`mutation { deletePolicy(urn: "urn:li:dataHubPolicy:7") }`:                                                          standard,
		`mutation { batchAssignRole(input: {roleUrn: "urn:li:dataHubRole:Reader", actors: ["urn:li:corpuser:ned"]}) }`:      "Unauthorized to assign roles. Please contact your DataHub administrator.",
		`{ getGrantedPrivileges(input: {actorUrn: "urn:li:corpuser:ada"}) { privileges } }`:                                 "Unauthorized to get privileges for the given author.",
		`{ getGrantedPrivileges(input: {actorUrn: "urn:li:corpuser:ned", includeEvaluationDetails: true}) { privileges } }`: standard,
		`{ explainAccess(input: {actorUrn: "urn:li:corpuser:ada", privilege: "READ"}) { allowed } }`:                        standard,
		`{ debugAccess(userUrn: "urn:li:corpuser:ned") { roles } }`:                                                         standard,
	} {
		if text := askAs(g.as(t, "ned"), t, g, query); !strings.Contains(text, says) || !strings.Contains(text, `"code":403`) {
			t.Errorf("%s: %s", query, text)
		}
	}
	if g.forgotten != 0 {
		t.Error("refused requests make the server look again")
	}
	for query, says := range map[string]string{
		`mutation { updatePolicy(urn: "urn:li:dataHubPolicy:0", input: ` + input + `) }`: "Attempting to edit not editable policy.",
		`mutation { deletePolicy(urn: "urn:li:dataHubPolicy:0") }`:                       "System policies can not be deleted.",
		`mutation { deletePolicy(urn: "urn:li:dataHubPolicy:none") }`:                    "there is no policy",
	} {
		if text := askAs(g.as(t, "ada"), t, g, query); !strings.Contains(text, says) {
			t.Errorf("%s: %s", query, text)
		}
	}
}

// TestInvitesWithRoles: an invite that gives a role needs the privilege to give roles too, since whoever uses
// the link has the role.
func TestInvitesWithRoles(t *testing.T) {
	_, try := recorded(t)
	for _, operation := range []string{"{ getInviteToken", "mutation { createInviteToken"} {
		for input, want := range map[string][]string{
			`{}`: {"`MANAGE_USER_CREDENTIALS`"}, `{roleUrn: "urn:li:dataHubRole:Admin"}`: {"`MANAGE_POLICIES`", "`MANAGE_USER_CREDENTIALS`"},
		} {
			needs := try(spelled["bob"].urn, operation+`(input: `+input+`) { inviteToken } }`)
			slices.Sort(needs)
			if needs = slices.Compact(needs); !slices.Equal(needs, want) {
				t.Errorf("%s(%s) needs %q, want %q", operation, input, needs, want)
			}
		}
	}
}

// TestPolicies makes, reads, changes and deletes a policy; each change holds for the next request.
func TestPolicies(t *testing.T) {
	g := newGuarded(t)
	ada := func(query string) string { t.Helper(); return askAs(g.as(t, "ada"), t, g, query) }
	var made struct{ Data struct{ CreatePolicy string } }
	text := ada(`mutation { createPolicy(input: {type: METADATA, name: "Taggers", state: ACTIVE, description: "d", privileges: ["EDIT_ENTITY_TAGS"],
		resources: {filter: {criteria: [{field: "TYPE", values: ["dataset"], condition: EQUALS}, {field: "URN", values: ["urn:li:dataset:("], condition: STARTS_WITH}]}},
		actors: {users: ["urn:li:corpuser:ned"], roles: ["urn:li:dataHubRole:Reader"], resourceOwners: false, allUsers: false, allGroups: false}}) }`)
	if err := json.Unmarshal([]byte(text), &made); err != nil || !strings.HasPrefix(made.Data.CreatePolicy, "urn:li:dataHubPolicy:") || g.forgotten != 1 {
		t.Fatal(text, err, g.forgotten)
	}
	urn := made.Data.CreatePolicy
	privileges := `{ dataset(urn: "` + orders + `") { privileges { canEditTags canEditDescription canManageEntity } } }`
	ned := func(query, want string) {
		t.Helper()
		if text := askAs(g.as(t, "ned"), t, g, query); !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %s", query, text, want)
		}
	}
	ned(privileges, `{"canEditTags":true,"canEditDescription":false,"canManageEntity":null}`)
	ned(`{ getGrantedPrivileges(input: {actorUrn: "urn:li:corpuser:ned", resourceSpec: {resourceType: "dataset", resourceUrn: "`+orders+`"}}) { privileges evaluationDetails { policyName } } }`, `"EDIT_ENTITY_TAGS"`)
	ned(`{ explainAccess(input: {actorUrn: "urn:li:corpuser:ned", privilege: "EDIT_ENTITY_TAGS", resourceUrn: "`+orders+`"}) { allowed enforced policyUrn policyName effect because becauseOf privilege near { policyName } } }`,
		`{"allowed":true,"enforced":true,"policyUrn":"`+urn+`","policyName":"Taggers","effect":"ALLOW","because":"user","becauseOf":"urn:li:corpuser:ned","privilege":"EDIT_ENTITY_TAGS","near":[]}`)

	// The input of the reference names neither roles nor the effect.
	if text := ada(`mutation { updatePolicy(urn: "` + urn + `", input: {type: METADATA, name: "Taggers", state: ACTIVE, effect: DENY, endsAt: 99999999999999, privileges: ["EDIT_ENTITY_TAGS"], ` + somebody + `}) }`); !strings.Contains(text, urn) {
		t.Error(text)
	}
	ned(privileges, `{"canEditTags":false`)
	if text := ada(`mutation { updatePolicy(urn: "` + urn + `", input: {type: METADATA, name: "Named", state: ACTIVE, privileges: ["EDIT_ENTITY_TAGS"], ` + somebody + `}) }`); !strings.Contains(text, urn) {
		t.Error(text)
	}
	awaitIndex(t, g.Services)
	const fields = ` policies { type name state description effect endsAt editable privileges resources { filter { criteria { field } } } actors { users roles resolvedUsers { username } resolvedRoles { name } allUsers } } `
	if text := ada(`{ listPolicies(input: {query: "Named", orFilters: [{and: [{field: "state", values: ["INACTIVE"]}]}]}) { start count total` + fields + `} }`); !strings.Contains(text, `{"start":0,"count":20,"total":1,"policies":[{"type":"METADATA","name":"Named","state":"ACTIVE","description":"","effect":"DENY","endsAt":99999999999999,"editable":true,"privileges":["EDIT_ENTITY_TAGS"],"resources":null,"actors":{"users":["urn:li:corpuser:ned"],"roles":["urn:li:dataHubRole:Reader"],"resolvedUsers":[{"username":"ned"}],"resolvedRoles":[{"name":"Reader"}],"allUsers":false}}]}`) {
		t.Error(text)
	}
	if text := ada(`mutation { updatePolicy(urn: "` + urn + `", input: {type: METADATA, name: "Named", state: ACTIVE, effect: ALLOW, endsAt: 0, privileges: ["EDIT_ENTITY_TAGS"], actors: {roles: [], resourceOwners: true, allUsers: false, allGroups: false}}) }`); !strings.Contains(text, urn) {
		t.Error(text)
	}
	if text := ada(`{ entity(urn: "` + urn + `") { ... on DataHubPolicy { effect endsAt state actors { roles resourceOwners } } } }`); !strings.Contains(text, `{"effect":"ALLOW","endsAt":null,"state":"ACTIVE","actors":{"roles":null,"resourceOwners":true}}`) {
		t.Error(text)
	}
	before := g.forgotten
	if text := ada(`mutation { a: batchAssignRole(input: {roleUrn: "urn:li:dataHubRole:Reader", actors: ["urn:li:corpuser:ned"]}) b: deletePolicy(urn: "` + urn + `") }`); !strings.Contains(text, `{"a":true,"b":"`+urn+`"}`) || g.forgotten != before+2 {
		t.Error(text, g.forgotten)
	}
	if text := ada(`{ debugAccess(userUrn: "urn:li:corpuser:ned") { roles allRoles groups } }`); !strings.Contains(text, `{"roles":["urn:li:dataHubRole:Reader"],"allRoles":["urn:li:dataHubRole:Reader"],"groups":[]}`) {
		t.Error(text)
	}
	if text := ada(`{ getGrantedPrivileges(input: {actorUrn: "urn:li:corpuser:ned", includeEvaluationDetails: true}) { evaluationDetails { policyName reason } } }`); !strings.Contains(text, `{"policyName":"Root user: server","reason":"grants nothing: it concerns urn:li:corpuser:datahub"}`) {
		t.Error(text)
	}
}

// TestPlatformPrivileges: the privileges in the query me differ between people, and without authentication
// all of them are true.
func TestPlatformPrivileges(t *testing.T) {
	g := newGuarded(t)
	var names []string
	for _, f := range loadSchema(t).Types["PlatformPrivileges"].Fields {
		if !strings.HasPrefix(f.Name, "__") {
			names = append(names, f.Name)
		}
	}
	if len(names) != 30 {
		t.Errorf("%d privileges: %v", len(names), names)
	}
	query := `{ me { platformPrivileges { ` + strings.Join(names, " ") + ` } } }`
	for name, want := range map[string]int{"ada": 0, "ned": 28} { // ned may see analytics and make tokens for himself
		if text := askAs(g.as(t, name), t, g, query); strings.Count(text, "false") != want {
			t.Errorf("%s: %s", name, text)
		}
	}
	if text := ask(t, g, query, nil); strings.Count(text, "true") != 30 {
		t.Error(text)
	}
}

// TestPoliciesConfig lists the privileges that policies can name.
func TestPoliciesConfig(t *testing.T) {
	g := newGuarded(t)
	var answer struct {
		Data struct {
			AppConfig struct {
				PoliciesConfig struct {
					Enabled            bool
					PlatformPrivileges []struct{ Type, DisplayName, Description string }
					ResourcePrivileges []struct {
						ResourceType, ResourceTypeDisplayName string
						EntityType                            *string
						Privileges                            []struct{ Type string }
					}
				}
			}
		}
	}
	text := ask(t, g, `{ appConfig { policiesConfig { enabled platformPrivileges { type displayName description } resourcePrivileges { resourceType resourceTypeDisplayName entityType privileges { type } } } } }`, nil)
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	c := answer.Data.AppConfig.PoliciesConfig
	first, last := c.ResourcePrivileges[0], c.ResourcePrivileges[len(c.ResourcePrivileges)-1]
	if !c.Enabled || len(c.PlatformPrivileges) != 43+1 || c.PlatformPrivileges[0].Type != "MANAGE_POLICIES" || c.PlatformPrivileges[0].DisplayName == "" ||
		first.ResourceType != "dataset" || first.EntityType == nil || *first.EntityType != "DATASET" || len(first.Privileges) < 20 || last.ResourceType != "all" || last.EntityType != nil {
		t.Errorf("%.500s", text)
	}
	if text := ask(t, gql.New(gql.Options{Catalog: g.Services}), `{ appConfig { policiesConfig { enabled } } }`, nil); !strings.Contains(text, `"enabled":false`) {
		t.Error(text)
	}
}
