package manage_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/manage"
	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
)

const (
	standard = access.Standard
	orders   = "urn:li:dataset:(urn:li:dataPlatform:hive,orders,PROD)"
)

// house is a catalog with the policies of the first start, and users with roles.
type house struct {
	*services.Services
	t       *testing.T
	manage  *manage.Service
	changes int
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t}
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	h.Services, h.manage = testcatalog.WithPolicies(t, func() time.Time { return now })
	h.manage.Forget = func() { h.changes++ }
	if err := permit.WriteDefaults(t.Context(), h.Services, "li"); err != nil {
		t.Fatal(err)
	}
	for name, role := range map[string]string{"ada": "Admin", "ed": "Editor", "ned": ""} {
		h.put("urn:li:corpuser:"+name, model.AspectCorpUserInfo, `{"active":true}`)
		if role != "" {
			h.put("urn:li:corpuser:"+name, model.AspectRoleMembership, `{"roles":["urn:li:dataHubRole:`+role+`"]}`)
		}
	}
	h.put(orders, model.AspectOwnership, `{"owners":[{"owner":"urn:li:corpuser:olga","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:x"}}`)
	return h
}

func (h *house) put(urn, aspect, value string) {
	h.t.Helper()
	u := named(urn)
	_, err := h.Ingest(h.t.Context(), write.Proposal{
		EntityURN: urn, EntityType: u.EntityType(), ChangeType: write.Upsert, AspectName: aspect,
		Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"},
	}, catalog.WriteOptions{})
	if err != nil {
		h.t.Fatal(err)
	}
}

func named(urn string) model.URN { return model.StoredURN(urn) }

// as returns the context of a request of a user.
func (h *house) as(name string) context.Context {
	h.t.Helper()
	state, err := h.manage.Actors.State(h.t.Context(), named("urn:li:corpuser:"+name))
	if err != nil {
		h.t.Fatal(err)
	}
	permissions, err := h.manage.Permit.Of(h.t.Context(), state.Policies)
	if err != nil {
		h.t.Fatal(err)
	}
	ctx := requestinfo.WithCaller(h.t.Context(), requestinfo.Caller{Actor: "urn:li:corpuser:" + name, Means: requestinfo.ByToken})
	return permission.With(ctx, permissions)
}

// fails wants an error with a code and a text.
func fails(t *testing.T, what string, err error, code catalog.Code, says string) {
	t.Helper()
	if err == nil || catalog.CodeOf(err) != code || !strings.Contains(catalog.MessageOf(err), says) {
		t.Errorf("%s: %v, want %v with %q", what, err, code, says)
	}
}

func stewards() policies.Policy {
	return policies.Policy{
		Name: "Stewards", Type: policies.Metadata, State: policies.Active, Privileges: []string{"EDIT_ENTITY_TAGS"},
		Actors: policies.Actors{Users: []string{"urn:li:corpuser:ned"}, Roles: []string{"urn:li:dataHubRole:Reader"}},
	}
}

// TestRefusals: who may not manage policies is refused everywhere but in questions about themselves.
func TestRefusals(t *testing.T) {
	h := newHouse(t)
	for _, name := range []string{"ned", "ed"} {
		ctx, by := h.as(name), catalog.WriteOptions{}
		self, other, policy := named("urn:li:corpuser:"+name), named("urn:li:corpuser:ada"), named("urn:li:dataHubPolicy:7")
		before := h.changes
		_, err := h.manage.Create(ctx, stewards(), by)
		fails(t, "create", err, catalog.Forbidden, standard)
		_, err = h.manage.Update(ctx, policy, func(*policies.Policy) { t.Error("changed") }, by)
		fails(t, "update", err, catalog.Forbidden, standard)
		fails(t, "delete", h.manage.Delete(ctx, policy, by), catalog.Forbidden, standard)
		_, err = h.manage.List(ctx, "")
		fails(t, "list", err, catalog.Forbidden, standard)
		_, err = h.manage.Apply(ctx, manage.File{Text: "policies: []"}, manage.ApplyOptions{DryRun: true}, by)
		fails(t, "apply", err, catalog.Forbidden, standard)
		_, err = h.manage.Test(ctx, manage.File{Text: "expect: []"})
		fails(t, "test", err, catalog.Forbidden, standard)
		_, err = h.manage.Explain(ctx, other, "READ", named(orders))
		fails(t, "explain", err, catalog.Forbidden, standard)
		_, err = h.manage.Explain(ctx, named("urn:li:corpuser:nobody"), "READ", named(orders))
		fails(t, "explain about nobody", err, catalog.Forbidden, standard)
		_, _, err = h.manage.Granted(ctx, other, manage.Resource{}, false)
		fails(t, "granted", err, catalog.Forbidden, "Unauthorized to get privileges for the given author.")
		_, _, err = h.manage.Granted(ctx, self, manage.Resource{}, true)
		fails(t, "details", err, catalog.Forbidden, standard)
		_, err = h.manage.Debug(ctx, self)
		fails(t, "debug", err, catalog.Forbidden, standard)
		if _, err = h.manage.Explain(ctx, self, "READ", named(orders)); err != nil {
			t.Error(err)
		}
		if granted, _, err := h.manage.Granted(ctx, self, manage.Resource{}, false); err != nil || strings.Join(granted, " ") == "" {
			t.Error(granted, err)
		}
		if h.changes != before {
			t.Error("refused requests count as changes")
		}
	}
}

// TestChanges makes a policy, changes it and deletes it. Members that the input of the reference cannot name
// are kept.
func TestChanges(t *testing.T) {
	h := newHouse(t)
	ctx, by := h.as("ada"), catalog.WriteOptions{}
	ends := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	p := stewards()
	p.Effect, p.EndsAt = policies.Deny, ends
	u, err := h.manage.Create(ctx, p, by)
	if err != nil || len(u.Key()) != 36 || h.changes != 1 {
		t.Fatal(u, err, h.changes)
	}
	may := func(name string) bool {
		return permission.RequireFor(h.as(name), "edit the tags", permission.About(named(orders), "EDIT_ENTITY_TAGS")) == nil
	}
	one := func() manage.Listed {
		t.Helper()
		listed, err := h.manage.List(ctx, u.Key())
		if err != nil || len(listed) != 1 {
			t.Fatal(listed, err)
		}
		return listed[0]
	}
	if got := one(); got.Effect != "DENY" || got.EndsAt != ends.UnixMilli() || got.State != "ACTIVE" || !got.Editable || may("ned") {
		t.Errorf("%+v", got)
	}
	// The update turns a denial that ends into a grant that stays: the aspect in which the denial
	// and its end are stored beside the reference's policy must not survive.
	if _, err := h.manage.Update(ctx, u, func(p *policies.Policy) { p.Effect, p.EndsAt = policies.Allow, time.Time{} }, by); err != nil {
		t.Fatal(err)
	}
	if got := one(); got.Effect != "ALLOW" || got.EndsAt != 0 || got.State != "ACTIVE" || !may("ned") || !strings.Contains(got.Text, "roles: [Reader]") {
		t.Errorf("%+v", got)
	}
	if _, err := h.manage.Update(ctx, u, func(p *policies.Policy) { p.State = policies.Inactive }, by); err != nil {
		t.Fatal(err)
	}
	if got := one(); got.State != "INACTIVE" || may("ned") {
		t.Errorf("%+v", got)
	}
	bad := stewards()
	bad.Privileges = []string{"EDIT_ENTITY_TAG"}
	_, err = h.manage.Create(ctx, bad, by)
	fails(t, "an unknown privilege", err, catalog.Invalid, `privileges[0]: there is no privilege "EDIT_ENTITY_TAG" (did you mean`)
	for _, id := range []string{"0", "1", "admin-platform-policy"} {
		fixed := named("urn:li:dataHubPolicy:" + id)
		_, err = h.manage.Update(ctx, fixed, func(*policies.Policy) {}, by)
		fails(t, "a policy of the server", err, catalog.Invalid, "Attempting to edit not editable policy.")
		fails(t, "a policy of the server", h.manage.Delete(ctx, fixed, by), catalog.Invalid, "System policies can not be deleted.")
	}
	fails(t, "no policy", h.manage.Delete(ctx, named("urn:li:dataHubPolicy:none"), by), catalog.NotFound, "there is no policy")
	fails(t, "a tag", h.manage.Delete(ctx, named("urn:li:tag:x"), by), catalog.Invalid, "")
	if err := h.manage.Delete(ctx, u, by); err != nil {
		t.Fatal(err)
	}
	_, err = h.manage.List(ctx, u.Key())
	fails(t, "a deleted policy", err, catalog.NotFound, "there is no policy with the id")
}

const file = `
policies:
  - id: stewards
    name: Stewards
    allow: [EDIT_ENTITY_TAGS]
    who: {users: [ned]}
  - id: closed
    name: Closed
    deny: ["*"]
    who: {everybody: true}
    on: {tags: [secret]}
    ends: 2027-01-01
expect:
  - {actor: ned, privilege: EDIT_ENTITY_TAGS, resource: "` + orders + `", may: true}
  - {actor: ned, privilege: EDIT_ENTITY_DOCS, resource: "` + orders + `", may: true}
  - {actor: nobody, privilege: READ, may: false}
`

// TestFiles: a file that is applied twice changes nothing the second time; pruning spares the server's
// policies; a test of a file judges what the file would do.
func TestFiles(t *testing.T) {
	h := newHouse(t)
	ctx, by := h.as("ada"), catalog.WriteOptions{}
	kinds := func(text string, o manage.ApplyOptions) string {
		t.Helper()
		applied, err := h.manage.Apply(ctx, manage.File{Name: "f.yaml", Text: text}, o, by)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, c := range applied.Changes {
			said = append(said, c.Kind+" "+c.ID)
		}
		return strings.Join(said, ", ")
	}
	tested, err := h.manage.Test(ctx, manage.File{Name: "f.yaml", Text: file})
	if err != nil || tested.Failed != 2 || !tested.Expectations[0].Holds || tested.Expectations[1].Holds || tested.Expectations[2].Sentence != "There is no user urn:li:corpuser:nobody." {
		t.Errorf("%+v, %v", tested, err)
	}
	if h.changes != 0 {
		t.Error("a test has changed something")
	}
	if got := kinds(file, manage.ApplyOptions{DryRun: true}); got != "add closed, add stewards" || h.changes != 0 {
		t.Error(got, h.changes)
	}
	if got := kinds(file, manage.ApplyOptions{}); got != "add closed, add stewards" || h.changes != 1 {
		t.Error(got, h.changes)
	}
	if got := kinds(file, manage.ApplyOptions{}); got != "" || h.changes != 1 {
		t.Error(got, h.changes)
	}
	// The denial becomes a grant that stays.
	other := "policies:\n  - {id: closed, name: Closed, allow: [EDIT_ENTITY_DOCS], who: {users: [ned]}}"
	if got := kinds(other, manage.ApplyOptions{}); got != "change closed" {
		t.Error(got)
	}
	if got := kinds(other, manage.ApplyOptions{}); got != "" {
		t.Error(got)
	}
	listed, err := h.manage.List(ctx, "closed")
	if err != nil || listed[0].Effect != "ALLOW" || listed[0].EndsAt != 0 {
		t.Error(listed, err)
	}
	if got := kinds(other, manage.ApplyOptions{Prune: true}); !strings.HasPrefix(got, "remove 7, remove ") || strings.Contains(got, "admin") || !strings.HasSuffix(got, "remove stewards, remove view-dataset-sensitive, remove view-entity-page-all") {
		t.Error(got)
	}
	if listed, err = h.manage.List(ctx, ""); err != nil || len(listed) < 5 {
		t.Error(listed, err)
	}
	for text, says := range map[string]string{
		"policies:\n  - {id: a, name: A, allow: [EDIT_ENTITY_TAG], who: {users: [a]}}":                   `f.yaml:2: there is no privilege "EDIT_ENTITY_TAG"`,
		"policies:\n  - {id: '0', name: A, allow: [EDIT_ENTITY], who: {users: [a]}}":                     "Attempting to edit not editable policy. It is 0",
		"policies:\n  - {id: a, name: A, editable: false, allow: [EDIT_ENTITY], who: {users: [a]}}":      "only policies of the server have",
		"policies:\n  - {id: a, name: A, allow: [EDIT_ENTITY], who: {users: [a]}, on: {types: [chair]}}": `there is no type of entity "chair"`,
	} {
		_, err := h.manage.Apply(ctx, manage.File{Name: "f.yaml", Text: text}, manage.ApplyOptions{}, by)
		fails(t, text, err, catalog.Invalid, says)
	}
}

// TestExplain: callers who manage policies, and the actor, are told which policy decides.
func TestExplain(t *testing.T) {
	h := newHouse(t)
	if _, err := h.manage.Apply(h.as("ada"), manage.File{Text: `
policies:
  - {id: a-stewards, name: Stewards, allow: [EDIT_ENTITY_TAGS], who: {users: [olga]}, on: {domains: [sales]}}
  - {id: shut, name: Shut, deny: [EDIT_ENTITY_DOCS], who: {roles: [Editor]}}
`}, manage.ApplyOptions{}, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	h.put("urn:li:corpuser:sus", model.AspectCorpUserStatus, `{"status":"SUSPENDED","lastModified":{"time":0,"actor":"urn:li:corpuser:x"}}`)
	for _, c := range []struct{ asker, actor, privilege, resource, want string }{
		{"ada", "ada", "MANAGE_POLICIES", "", "ada may use MANAGE_POLICIES. The policy admin-platform-policy ("},
		{"ada", "ned", "MANAGE_POLICIES", "", "ned may not use MANAGE_POLICIES. No policy allows it. The policy 0 (Root user: server) would allow MANAGE_POLICIES, but it concerns urn:li:corpuser:datahub."},
		{"ada", "ed", "EDIT_ENTITY_DOCS", orders, "ed may not use EDIT_ENTITY_DOCS on " + orders + ". The policy shut (Shut) denies EDIT_ENTITY_DOCS to the role urn:li:dataHubRole:Editor."},
		{"ada", "sus", "READ", orders, "sus may not use READ on " + orders + ". The user is suspended."},
		{"ada", "nobody", "READ", orders, "nobody may not use READ on " + orders + ". The user does not exist."},
		{"ned", "ned", "READ", orders, "ned may use READ on " + orders + ". The policy view-entity-page-all ("},
		{"ada", "ned", "UPDATE", "urn:li:corpuser:ned", "ned may not use UPDATE on urn:li:corpuser:ned. No policy allows it."},
	} {
		var resource model.URN
		if c.resource != "" {
			resource = named(c.resource)
		}
		e, err := h.manage.Explain(h.as(c.asker), named("urn:li:corpuser:"+c.actor), c.privilege, resource)
		if err != nil || !strings.HasPrefix(e.Sentence, c.want) || e.Allowed != strings.Contains(c.want, " may use ") || !e.Enforced {
			t.Errorf("%+v: %+v, %v", c, e, err)
		}
	}
	lacks := func(asker string) string {
		t.Helper()
		e, err := h.manage.Explain(h.as(asker), named("urn:li:corpuser:ned"), "EDIT_ENTITY_TAGS", named(orders))
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, n := range e.Near {
			said = append(said, n.URN+": "+strings.Join(n.Lacks, "; "))
		}
		return strings.Join(said, "\n")
	}
	if got := lacks("ada"); !strings.Contains(got, "urn:li:dataHubPolicy:a-stewards: it concerns urn:li:corpuser:olga; DOMAIN must be urn:li:domain:sales, and is nothing") {
		t.Error(got)
	}
	if got := lacks("ned"); strings.Contains(got, "olga") || strings.Contains(got, "sales") || !strings.Contains(got, "urn:li:dataHubPolicy:a-stewards: it does not concern the actor; its condition on DOMAIN does not hold") {
		t.Error(got)
	}
	_, err := h.manage.Explain(h.as("ada"), named("urn:li:corpuser:ned"), "EDIT_ENTITY_TAG", named(orders))
	fails(t, "an unknown privilege", err, catalog.Invalid, `there is no privilege "EDIT_ENTITY_TAG" (did you mean`)
	own, err := h.manage.Explain(h.as("ned"), named("urn:li:corpuser:ned"), "VIEW_ENTITY_PAGE", named("urn:li:corpuser:ned"))
	if err != nil || own.Policy == nil || own.Policy.URN != "" || !own.Allowed {
		t.Errorf("%+v, %v", own, err)
	}
}

// TestGranted lists privileges and the effect of each policy.
func TestGranted(t *testing.T) {
	h := newHouse(t)
	ctx := h.as("ada")
	granted, details, err := h.manage.Granted(ctx, named("urn:li:corpuser:ned"), manage.Resource{Type: model.EntityDataset, URN: named(orders)}, true)
	said := ""
	for _, d := range details {
		said += d.Policy + ": " + d.Reason + "\n"
	}
	if err != nil || !strings.Contains(strings.Join(granted, " "), "VIEW_ENTITY_PAGE") || strings.Contains(strings.Join(granted, " "), "EDIT_ENTITY ") ||
		!strings.Contains(said, "Everybody: see entities: grants its privileges to everybody\n") || !strings.Contains(said, "Root user: server: grants nothing: it concerns urn:li:corpuser:datahub\n") {
		t.Errorf("%v, %v\n%s", granted, err, said)
	}
	if granted, _, err = h.manage.Granted(ctx, named("urn:li:corpuser:ed"), manage.Resource{Type: model.EntityTag}, false); err != nil || !strings.Contains(strings.Join(granted, " "), "EDIT_ENTITY ") {
		t.Error(granted, err)
	}
	if granted, _, err = h.manage.Granted(ctx, named("urn:li:corpuser:nobody"), manage.Resource{}, false); err != nil || granted == nil || len(granted) > 0 {
		t.Error(granted, err)
	}
	h.put("urn:li:corpGroup:g", model.AspectRoleMembership, `{"roles":["urn:li:dataHubRole:Editor"]}`)
	h.put("urn:li:corpuser:ned", model.AspectGroupMembership, `{"groups":["urn:li:corpGroup:g"]}`)
	d, err := h.manage.Debug(ctx, named("urn:li:corpuser:ned"))
	if err != nil || len(d.Roles) > 0 || strings.Join(d.Groups, " ") != "urn:li:corpGroup:g" || strings.Join(d.GroupsWithRoles, " ") != "urn:li:corpGroup:g" ||
		strings.Join(d.RolesViaGroups, " ") != "urn:li:dataHubRole:Editor" || strings.Join(d.AllRoles, " ") != "urn:li:dataHubRole:Editor" ||
		!strings.Contains(strings.Join(d.Policies, " "), "urn:li:dataHubPolicy:7") || !strings.Contains(strings.Join(d.Privileges, " "), "GENERATE_PERSONAL_ACCESS_TOKENS") {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestOnEntities: the controls that pages offer on several entities are judged together.
func TestOnEntities(t *testing.T) {
	h := newHouse(t)
	urns := []model.URN{named(orders), named("urn:li:glossaryTerm:t"), named("urn:li:chart:(looker,c)")}
	for name, c := range map[string]struct {
		ctx          context.Context
		edit, manage bool
	}{"ada": {h.as("ada"), true, true}, "ned": {h.as("ned"), false, false}} {
		may, err := manage.OnEntities(c.ctx, urns)
		if err != nil {
			t.Fatal(err)
		}
		if may[urns[0]]["canEditTags"] != c.edit || may[urns[1]]["canManageEntity"] != c.manage || may[urns[2]]["canEditEmbed"] != c.edit || !may[urns[0]]["canViewDatasetUsage"] {
			t.Errorf("%s: %v", name, may)
		}
		if _, ok := may[urns[1]]["canEditTags"]; ok || len(may[urns[1]]) != 2 {
			t.Errorf("%s: a term has %v", name, may[urns[1]])
		}
		if _, ok := may[urns[2]]["canEditQueries"]; ok {
			t.Errorf("%s: a chart has %v", name, may[urns[2]])
		}
	}
	may, err := manage.OnEntities(t.Context(), urns)
	for _, u := range urns {
		if err != nil || len(may[u]) != 24 || !may[u]["canEditTags"] {
			t.Errorf("without authentication: %v, %v", may[u], err)
		}
	}
}

// TestEditsOf: an edit is offered exactly if the write of it is allowed, also if another privilege allows it.
func TestEditsOf(t *testing.T) {
	h := newHouse(t)
	h.put("urn:li:glossaryNode:above", model.AspectGlossaryNodeInfo, `{"definition":"d","name":"above"}`)
	h.put("urn:li:glossaryTerm:below", model.AspectGlossaryTermInfo, `{"definition":"d","termSource":"INTERNAL","parentNode":"urn:li:glossaryNode:above"}`)
	p := policies.Policy{
		Name: "Children of a node", Type: policies.Metadata, State: policies.Active, Privileges: []string{"MANAGE_GLOSSARY_CHILDREN"},
		Actors:    policies.Actors{Users: []string{"urn:li:corpuser:ned"}},
		Resources: &policies.Resources{Filter: []policies.Criterion{{Field: "URN", Values: []string{"urn:li:glossaryNode:above"}, Condition: policies.Equals}}},
	}
	if _, err := h.manage.Create(h.as("ada"), p, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ actor, urn, may string }{
		{"ada", orders, "TAGS TERMS OWNERS DOMAIN LINKS DEPRECATION STATUS DESCRIPTION COLUMN_DESCRIPTION COLUMN_TAGS COLUMN_TERMS"},
		{"ned", orders, ""},
		{"olga", orders, "TAGS TERMS OWNERS DOMAIN LINKS DEPRECATION STATUS DESCRIPTION COLUMN_DESCRIPTION COLUMN_TAGS COLUMN_TERMS"},
		{"ned", "urn:li:glossaryTerm:below", "TAGS TERMS OWNERS DOMAIN LINKS DEPRECATION STATUS DESCRIPTION"},
		{"ned", "urn:li:glossaryTerm:other", ""},
		{"ned", "urn:li:corpuser:ned", ""},
	} {
		h.put("urn:li:corpuser:olga", model.AspectCorpUserInfo, `{"active":true}`)
		rights := manage.EditsOf(h.as(c.actor), h.manage.Permit.Protect, named(c.urn))
		var may []string
		for _, r := range rights {
			if r.Allowed {
				may = append(may, r.Kind)
			}
			if len(r.Privileges) == 0 {
				t.Errorf("%s: no privilege permits %s", c.urn, r.Kind)
			}
		}
		if strings.Join(may, " ") != c.may {
			t.Errorf("%s may edit %v of %s, want %s", c.actor, may, c.urn, c.may)
		}
	}
	if rights := manage.EditsOf(t.Context(), h.Refusals, named(orders)); len(rights) != 11 || !rights[0].Allowed || rights[0].Privileges[0] != "EDIT_ENTITY_TAGS" {
		t.Errorf("without authentication: %+v", rights)
	}
}
