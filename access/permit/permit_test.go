package permit_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
)

// house is a catalog with policies, and a clock.
type house struct {
	*services.Services
	t       testing.TB
	permits *permit.Service
	now     time.Time
	reads   *int
}

// counted counts the reads of lists of entities.
type counted struct {
	graphstore.Store
	reads int
}

func (c *counted) ListEntities(ctx context.Context, entityType string, page graphstore.Page) ([]string, int64, error) {
	if entityType == model.EntityDataHubPolicy {
		c.reads++
	}
	return c.Store.ListEntities(ctx, entityType, page)
}

func newHouse(t testing.TB) *house {
	t.Helper()
	h := &house{t: t, now: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)}
	var store *counted
	h.Services = testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store {
		store = &counted{Store: s}
		return store
	})
	h.reads = &store.reads
	h.permits = permit.New(permit.Options{Store: store, Now: func() time.Time { return h.now }, Logger: slog.New(slog.DiscardHandler)})
	if err := permit.WriteDefaults(t.Context(), h.Services, "li"); err != nil {
		t.Fatal(err)
	}
	return h
}

func urn(t testing.TB, text string) model.URN {
	t.Helper()
	u, err := model.ParseURN(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// put writes an aspect as the server itself does.
func (h *house) put(u, aspect, value string) {
	h.t.Helper()
	_, err := h.Ingest(h.t.Context(), write.Proposal{
		EntityURN: u, EntityType: urn(h.t, u).EntityType(), ChangeType: "UPSERT", AspectName: aspect,
		Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"},
	}, catalog.WriteOptions{})
	if err != nil {
		h.t.Fatal(err)
	}
}

// as returns the context of a request of a user with roles.
func (h *house) as(name string, roles ...string) context.Context {
	h.t.Helper()
	actor := policies.Actor{URN: "urn:li:corpuser:" + name}
	for _, role := range roles {
		actor.Roles = append(actor.Roles, "urn:li:dataHubRole:"+role)
	}
	permissions, err := h.permits.Of(h.t.Context(), actor)
	if err != nil {
		h.t.Fatal(err)
	}
	ctx := requestinfo.WithCaller(h.t.Context(), requestinfo.Caller{Actor: actor.URN, Means: requestinfo.ByToken})
	return permission.With(ctx, permissions)
}

const (
	orders  = "urn:li:dataset:(urn:li:dataPlatform:hive,orders,PROD)"
	secrets = "urn:li:dataset:(urn:li:dataPlatform:hive,secrets,PROD)"
)

// TestWrites judges writes of people with and without roles, by the policies of the first start.
func TestWrites(t *testing.T) {
	h := newHouse(t)
	h.put(orders, model.AspectOwnership, `{"owners":[{"owner":"urn:li:corpuser:olga","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:x"}}`)
	edit := func(aspect string, privileges ...string) write.Want {
		return write.Want{URN: urn(t, orders), Aspect: aspect, Kind: write.Changes, Edit: true, Privileges: privileges}
	}
	raw := func(u, aspect string, kind write.WantKind) write.Want {
		return write.Want{URN: urn(t, u), Aspect: aspect, Kind: kind}
	}
	for name, c := range map[string]struct {
		want write.Want
		// may lists the actors whom the policies allow the write: the user olga owns the dataset, and nobody
		// has a role.
		may string
	}{
		"ingested schema":          {raw(orders, model.AspectSchemaMetadata, write.Changes), "admin editor olga"},
		"schema of another":        {raw(secrets, model.AspectSchemaMetadata, write.Changes), "admin editor"},
		"a new entity":             {raw(secrets, "datasetKey", write.Creates), "admin editor"},
		"deletion":                 {raw(orders, "datasetKey", write.Deletes), "admin"},
		"tags":                     {edit(model.AspectGlobalTags), "admin editor olga"},
		"owners":                   {edit(model.AspectOwnership), "admin editor olga"},
		"columns, together":        {edit(model.AspectEditableSchemaMetadata, "EDIT_DATASET_COL_TAGS", "EDIT_DATASET_COL_DESCRIPTION"), "admin editor olga"},
		"a tag":                    {raw("urn:li:tag:x", model.AspectTagProperties, write.Creates), "admin editor"},
		"a user":                   {raw("urn:li:corpuser:x", model.AspectCorpUserInfo, write.Changes), "admin"},
		"a role of a user":         {raw("urn:li:corpuser:olga", model.AspectRoleMembership, write.Changes), "admin"},
		"the status of a user":     {raw("urn:li:corpuser:olga", model.AspectCorpUserStatus, write.Changes), "admin"},
		"the groups of a user":     {raw("urn:li:corpuser:olga", model.AspectNativeGroupMembership, write.Changes), "admin"},
		"a policy":                 {raw("urn:li:dataHubPolicy:x", model.AspectDataHubPolicyInfo, write.Changes), "admin"},
		"the status of a policy":   {raw("urn:li:dataHubPolicy:x", model.AspectStatus, write.Changes), "admin"},
		"a token":                  {raw("urn:li:dataHubAccessToken:x", "dataHubAccessTokenKey", write.Deletes), "admin"},
		"one's own profile":        {write.Want{URN: urn(t, "urn:li:corpuser:olga"), Aspect: model.AspectCorpUserEditableInfo, Kind: write.Changes, Edit: true}, "admin olga"},
		"a value of a time series": {raw(orders, model.AspectOperation, write.Changes), "admin editor olga"},
		"a secret":                 {raw("urn:li:dataHubSecret:x", model.AspectDataHubSecretValue, write.Changes), "admin"},
		"an announcement":          {raw("urn:li:post:x", model.AspectPostInfo, write.Changes), "admin editor"},
		"the settings of all":      {raw("urn:li:globalSettings:0", model.AspectGlobalSettingsInfo, write.Changes), "admin"},
		"a view for everybody":     {write.Want{URN: urn(t, "urn:li:dataHubView:a"), Aspect: model.AspectDataHubViewInfo, Kind: write.Creates, Value: view("GLOBAL", "olga")}, "admin"},
		"a view for oneself":       {write.Want{URN: urn(t, "urn:li:dataHubView:a"), Aspect: model.AspectDataHubViewInfo, Kind: write.Creates, Value: view("PERSONAL", "olga")}, "admin olga"},
	} {
		for who, ctx := range map[string]context.Context{
			"admin": h.as("ada", "Admin"), "editor": h.as("ed", "Editor"), "reader": h.as("rita", "Reader"), "olga": h.as("olga"), "nobody": h.as("ned"),
		} {
			refused := h.permits.Protect(ctx, []write.Want{c.want})
			may := len(refused) == 0 || refused[0] == nil
			if wanted := strings.Contains(" "+c.may+" ", " "+who+" "); may != wanted {
				t.Errorf("%s by %s: %v, want %t", name, who, refused, wanted)
			}
			if !may && (catalog.CodeOf(refused[0]) != catalog.Forbidden || !strings.HasPrefix(refused[0].Error(), permission.Unauthorized)) {
				t.Errorf("%s by %s: %v", name, who, refused[0])
			}
		}
	}
}

// TestViews judges writes of saved views by their maker, by somebody who manages the views for everybody, and
// by somebody who may do neither. A personal view belongs to its maker.
func TestViews(t *testing.T) {
	h := newHouse(t)
	h.put("urn:li:dataHubPolicy:v", model.AspectDataHubPolicyInfo, `{"displayName":"v","description":"","type":"PLATFORM","state":"ACTIVE","privileges":["MANAGE_GLOBAL_VIEWS"],"actors":{"users":["urn:li:corpuser:mona"]}}`)
	for kind, id := range map[string]string{"PERSONAL": "own", "GLOBAL": "all"} {
		h.put("urn:li:dataHubView:"+id, model.AspectDataHubViewInfo, `{"name":"v","type":"`+kind+`","definition":{"entityTypes":[],"filter":{"or":[]}},"created":{"time":0,"actor":"urn:li:corpuser:olga"},"lastModified":{"time":0,"actor":"urn:li:corpuser:olga"}}`)
	}
	callers := map[string]context.Context{"admin": h.as("ada", "Admin"), "olga": h.as("olga"), "mona": h.as("mona"), "ned": h.as("ned")}
	for name, c := range map[string]struct {
		id    string
		kind  write.WantKind
		value catalog.Tree
		may   string
	}{
		"make a personal one":                {"new", write.Creates, view("PERSONAL", "olga"), "admin olga"},
		"make a personal one of the manager": {"new", write.Creates, view("PERSONAL", "mona"), "admin mona"},
		"make one for everybody":             {"new", write.Creates, view("GLOBAL", "olga"), "admin mona"},
		"change a personal one":              {"own", write.Changes, nil, "admin olga"},
		"give a personal one to somebody":    {"own", write.Changes, view("PERSONAL", "ned"), "admin"},
		"publish a personal one":             {"own", write.Changes, view("GLOBAL", "olga"), "admin"},
		"delete a personal one":              {"own", write.Deletes, nil, "admin olga"},
		"change one for everybody":           {"all", write.Changes, nil, "admin mona"},
		"take one from everybody":            {"all", write.Changes, view("PERSONAL", "mona"), "admin mona"},
		"delete one for everybody":           {"all", write.Deletes, nil, "admin mona"},
		"write one without a value":          {"new", write.Changes, nil, "admin"},
	} {
		for who, ctx := range callers {
			aspect := model.AspectDataHubViewInfo
			if c.kind == write.Deletes {
				aspect = "dataHubViewKey"
			}
			refused := h.permits.Protect(ctx, []write.Want{{URN: urn(t, "urn:li:dataHubView:"+c.id), Aspect: aspect, Kind: c.kind, Value: c.value}})
			may := len(refused) == 0 || refused[0] == nil
			if wanted := strings.Contains(" "+c.may+" ", " "+who+" "); may != wanted || !may && !strings.Contains(refused[0].Error(), "MANAGE_GLOBAL_VIEWS") {
				t.Errorf("%s by %s: %v, want %t", name, who, refused, wanted)
			}
		}
	}
}

func view(kind, by string) catalog.Tree {
	return catalog.Tree{"name": "v", "type": kind, "created": catalog.Tree{"time": json.Number("0"), "actor": "urn:li:corpuser:" + by}}
}

// TestCallersWithoutPermissions: a topic of Kafka, a caller whom a door has let in without asking, and an
// operation that was judged before.
func TestCallersWithoutPermissions(t *testing.T) {
	h := newHouse(t)
	wants := []write.Want{
		{URN: urn(t, orders), Aspect: model.AspectSchemaMetadata, Kind: write.Changes},
		{URN: urn(t, "urn:li:corpuser:a"), Aspect: model.AspectRoleMembership, Kind: write.Changes},
	}
	for means, refused := range map[requestinfo.Means][2]bool{
		requestinfo.ByTopic: {false, true}, requestinfo.ByToken: {true, true}, requestinfo.NoMeans: {true, true},
	} {
		got := h.permits.Protect(requestinfo.WithCaller(t.Context(), requestinfo.Caller{Means: means}), wants)
		for i := range wants {
			if (got[i] != nil) != refused[i] {
				t.Errorf("%q, want %d: %v", means, i, got[i])
			}
		}
	}
	if got := h.permits.Protect(permission.Decided(h.as("ned")), wants); got != nil {
		t.Errorf("an operation that was judged: %v", got)
	}
}

// policy writes a policy that allows privileges to a user.
func (h *house) policy(id, privileges, user, filter string) {
	h.t.Helper()
	quoted := `"` + strings.ReplaceAll(privileges, " ", `","`) + `"`
	resources := ""
	if filter != "" {
		resources = `"resources":{"filter":{"criteria":[` + filter + `]}},`
	}
	h.put("urn:li:dataHubPolicy:"+id, model.AspectDataHubPolicyInfo, `{"displayName":"`+id+`","description":"","type":"METADATA","state":"ACTIVE",`+resources+`"privileges":[`+quoted+`],"actors":{"users":["urn:li:corpuser:`+user+`"],"resourceOwners":false,"allUsers":false,"allGroups":false},"editable":true}`)
	h.permits.Forget()
}

// TestByOthers: privileges on other entities permit writes of queries, data products, incidents,
// assertions, contracts, terms and views.
func TestByOthers(t *testing.T) {
	h := newHouse(t)
	onOrders := `{"field":"URN","values":["` + orders + `"],"condition":"EQUALS"}`
	h.policy("p1", "EDIT_ENTITY_QUERIES EDIT_ENTITY_INCIDENTS EDIT_ENTITY_ASSERTIONS EDIT_ENTITY_DATA_CONTRACT", "quinn", onOrders)
	h.policy("p2", "MANAGE_DATA_PRODUCTS", "quinn", `{"field":"URN","values":["urn:li:domain:sales"],"condition":"EQUALS"}`)
	h.policy("p3", "MANAGE_GLOSSARY_CHILDREN", "quinn", `{"field":"URN","values":["urn:li:glossaryNode:leaf"],"condition":"EQUALS"}`)
	h.policy("p4", "MANAGE_ALL_GLOSSARY_CHILDREN", "quinn", `{"field":"URN","values":["urn:li:glossaryNode:root"],"condition":"EQUALS"}`)
	h.put("urn:li:glossaryNode:deep", model.AspectGlossaryNodeInfo, `{"name":"deep","definition":"","parentNode":"urn:li:glossaryNode:root"}`)
	h.put("urn:li:query:q", model.AspectQuerySubjects, `{"subjects":[{"entity":"`+secrets+`"}]}`)
	h.put("urn:li:dataHubView:mine", model.AspectDataHubViewInfo, `{"name":"v","type":"PERSONAL","definition":{"entityTypes":[],"filter":{"or":[]}},"created":{"time":0,"actor":"urn:li:corpuser:quinn"},"lastModified":{"time":0,"actor":"urn:li:corpuser:quinn"}}`)
	h.put("urn:li:dataHubView:all", model.AspectDataHubViewInfo, `{"name":"v","type":"GLOBAL","definition":{"entityTypes":[],"filter":{"or":[]}},"created":{"time":0,"actor":"urn:li:corpuser:quinn"},"lastModified":{"time":0,"actor":"urn:li:corpuser:quinn"}}`)
	subjects := func(urns ...string) catalog.Tree {
		var items []any
		for _, u := range urns {
			items = append(items, catalog.Tree{"entity": u})
		}
		return catalog.Tree{"subjects": items}
	}
	for name, c := range map[string]struct {
		urn, aspect string
		value       catalog.Tree
		may         bool
	}{
		"query about a permitted dataset":     {"urn:li:query:new", model.AspectQuerySubjects, subjects(orders), true},
		"query about two datasets":            {"urn:li:query:new", model.AspectQuerySubjects, subjects(orders, secrets), false},
		"query about another dataset, taken":  {"urn:li:query:q", model.AspectQuerySubjects, subjects(orders), false},
		"query without subjects":              {"urn:li:query:new", model.AspectQueryProperties, catalog.Tree{}, false},
		"data product in one's domain":        {"urn:li:dataProduct:a", model.AspectDomains, catalog.Tree{"domains": []any{"urn:li:domain:sales"}}, true},
		"data product in another domain":      {"urn:li:dataProduct:a", model.AspectDomains, catalog.Tree{"domains": []any{"urn:li:domain:hr"}}, false},
		"incident of a permitted dataset":     {"urn:li:incident:a", model.AspectIncidentInfo, catalog.Tree{"entities": []any{orders}}, true},
		"incident of another dataset":         {"urn:li:incident:a", model.AspectIncidentInfo, catalog.Tree{"entities": []any{secrets}}, false},
		"assertion about a permitted dataset": {"urn:li:assertion:a", model.AspectAssertionInfo, catalog.Tree{"datasetAssertion": catalog.Tree{"dataset": orders}}, true},
		"contract of a permitted dataset":     {"urn:li:dataContract:a", model.AspectDataContractProperties, catalog.Tree{"entity": orders}, true},
		"term in a permitted node":            {"urn:li:glossaryTerm:a", model.AspectGlossaryTermInfo, catalog.Tree{"parentNode": "urn:li:glossaryNode:leaf"}, true},
		"term deep in a permitted node":       {"urn:li:glossaryTerm:a", model.AspectGlossaryTermInfo, catalog.Tree{"parentNode": "urn:li:glossaryNode:deep"}, true},
		"term at the top":                     {"urn:li:glossaryTerm:a", model.AspectGlossaryTermInfo, catalog.Tree{}, false},
		"one's own view":                      {"urn:li:dataHubView:mine", model.AspectDataHubViewInfo, nil, true},
		"one's own view, made global":         {"urn:li:dataHubView:mine", model.AspectDataHubViewInfo, view("GLOBAL", "quinn"), false},
		"a global view, made one's own":       {"urn:li:dataHubView:all", model.AspectDataHubViewInfo, view("PERSONAL", "quinn"), false},
	} {
		want := write.Want{URN: urn(t, c.urn), Aspect: c.aspect, Kind: write.Changes, Value: c.value}
		if got := h.permits.Protect(h.as("quinn"), []write.Want{want}); (got[0] == nil) != c.may {
			t.Errorf("%s: %v", name, got[0])
		}
		if got := h.permits.Protect(h.as("ned"), []write.Want{want}); got[0] == nil {
			t.Errorf("%s by somebody else is permitted", name)
		}
	}
	h.put("urn:li:query:mine", model.AspectQuerySubjects, `{"subjects":[{"entity":"`+orders+`"}]}`)
	for _, c := range []struct {
		patch string
		may   bool
	}{
		{`[{"op":"remove","path":"/subjects/` + orders + `"}]`, true},
		{`[{"op":"add","path":"/subjects/` + secrets + `","value":{}}]`, false},
		{`[{"op":"add","path":"/subjects","value":[{"entity":"` + secrets + `"}]}]`, false},
	} {
		want := write.Want{URN: urn(t, "urn:li:query:mine"), Aspect: model.AspectQuerySubjects, Kind: write.Changes, Patch: patch(t, c.patch)}
		if got := h.permits.Protect(h.as("quinn"), []write.Want{want}); (got[0] == nil) != c.may {
			t.Errorf("%s: %v", c.patch, got[0])
		}
	}
}

func patch(t testing.TB, text string) *model.Operations {
	t.Helper()
	p, err := model.ReadPatch([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFacts: policies about domains, containers, terms, tags, owners and instances see the stored values,
// with their ancestors.
func TestFacts(t *testing.T) {
	h := newHouse(t)
	h.put(orders, model.AspectDomains, `{"domains":["urn:li:domain:emea"]}`)
	h.put("urn:li:domain:emea", model.AspectDomainProperties, `{"name":"emea","parentDomain":"urn:li:domain:sales"}`)
	h.put("urn:li:domain:sales", model.AspectDomainProperties, `{"name":"sales","parentDomain":"urn:li:domain:emea"}`) // a circle ends
	h.put(orders, model.AspectContainer, `{"container":"urn:li:container:schema"}`)
	h.put("urn:li:container:schema", model.AspectContainer, `{"container":"urn:li:container:db"}`)
	h.put(orders, model.AspectGlossaryTerms, `{"terms":[{"urn":"urn:li:glossaryTerm:pii"}],"auditStamp":{"time":0,"actor":"urn:li:corpuser:x"}}`)
	h.put("urn:li:glossaryTerm:pii", model.AspectGlossaryTermInfo, `{"definition":"","termSource":"INTERNAL","parentNode":"urn:li:glossaryNode:legal"}`)
	h.put(orders, model.AspectGlobalTags, `{"tags":[{"tag":"urn:li:tag:gold"}]}`)
	h.put(orders, model.AspectDataPlatformInstance, `{"platform":"urn:li:dataPlatform:hive","instance":"urn:li:dataPlatformInstance:(urn:li:dataPlatform:hive,eu)"}`)
	for i, filter := range []string{
		`{"field":"DOMAIN","values":["urn:li:domain:sales"],"condition":"EQUALS"}`,
		`{"field":"CONTAINER","values":["urn:li:container:db"],"condition":"EQUALS"}`,
		`{"field":"GLOSSARY","values":["urn:li:glossaryNode:legal"],"condition":"EQUALS"}`,
		`{"field":"TAG","values":["urn:li:tag:gold"],"condition":"EQUALS"}`,
		`{"field":"DATA_PLATFORM_INSTANCE","values":["urn:li:dataPlatformInstance:(urn:li:dataPlatform:hive,eu)"],"condition":"EQUALS"}`,
	} {
		h.policy("facts", "EDIT_ENTITY", "fay", filter)
		for u, may := range map[string]bool{orders: true, secrets: false} {
			got := h.permits.Protect(h.as("fay"), []write.Want{{URN: urn(t, u), Aspect: model.AspectSchemaMetadata, Kind: write.Changes}})
			if (got[0] == nil) != may {
				t.Errorf("filter %d, %s: %v", i, u, got[0])
			}
		}
	}
}

// TestFreshness: the policies are read once in a while, by one caller for all, and at once after Forget.
func TestFreshness(t *testing.T) {
	h := newHouse(t)
	before := *h.reads
	for range 100 {
		h.as("ned")
	}
	if *h.reads != before+1 {
		t.Errorf("the policies were read %d times", *h.reads-before)
	}
	may := func() bool {
		return h.permits.Protect(h.as("fay"), []write.Want{{URN: urn(t, orders), Aspect: model.AspectSchemaMetadata, Kind: write.Changes}})[0] == nil
	}
	could := may()
	h.policy("late", "EDIT_ENTITY", "fay", "")
	if could || !may() {
		t.Error("a new policy has no effect")
	}
	if err := h.Removal.DeleteEntity(t.Context(), urn(t, "urn:li:dataHubPolicy:late"), []string{model.EntityDataHubPolicy}, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	h.policy("late", "EDIT_ENTITY", "somebody.else", "")
	if may() {
		t.Error("a policy that was deleted and made again for somebody else still has its effect")
	}
	h.policy("late", "EDIT_ENTITY", "fay", "")
	if !may() {
		t.Error("a changed policy has no effect")
	}
	if err := h.Removal.DeleteEntity(t.Context(), urn(t, "urn:li:dataHubPolicy:late"), []string{model.EntityDataHubPolicy}, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	h.now = h.now.Add(time.Second)
	if may() {
		t.Error("a policy that was deleted has an effect after a second")
	}
}

// TestPoliciesOfAnIdleCatalog: policies that do not change are read once. A change that only the log tells of,
// because another server made it, holds within a second.
func TestPoliciesOfAnIdleCatalog(t *testing.T) {
	h := newHouse(t)
	may := func() bool {
		h.now = h.now.Add(time.Second)
		return h.permits.Protect(h.as("fay"), []write.Want{{URN: urn(t, orders), Aspect: model.AspectSchemaMetadata, Kind: write.Changes}})[0] == nil
	}
	may()
	before := *h.reads
	for range 50 {
		h.put(orders, model.AspectStatus, `{"removed":false}`)
		if may() {
			t.Fatal("somebody without a policy may write")
		}
	}
	if *h.reads != before {
		t.Errorf("the policies were read %d times, and they did not change", *h.reads-before)
	}
	h.put("urn:li:dataHubPolicy:far", model.AspectDataHubPolicyInfo, `{"type":"METADATA","state":"ACTIVE","displayName":"far","description":"","privileges":["EDIT_ENTITY"],"actors":{"users":["urn:li:corpuser:fay"],"resourceOwners":false,"allUsers":false,"allGroups":false},"resources":{"allResources":true},"editable":true}`)
	if !may() {
		t.Error("a policy of another server has no effect after a second")
	}
	if err := h.Removal.DeleteEntity(t.Context(), urn(t, "urn:li:dataHubPolicy:far"), []string{model.EntityDataHubPolicy}, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if may() {
		t.Error("a policy that another server deleted has an effect after a second")
	}
	if *h.reads != before+2 {
		t.Errorf("two changes made %d readings", *h.reads-before)
	}
}

// byTopic returns the context of a proposal that came on a topic of Kafka.
func byTopic(t testing.TB) context.Context {
	return requestinfo.WithCaller(t.Context(), requestinfo.Caller{Actor: "urn:li:corpuser:topic", Means: requestinfo.ByTopic})
}

// TestColumns: the rights on a column are the rights on its dataset.
func TestColumns(t *testing.T) {
	h := newHouse(t)
	h.put(orders, model.AspectOwnership, `{"owners":[{"owner":"urn:li:corpuser:olga","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:x"}}`)
	h.put("urn:li:dataHubPolicy:attributes", model.AspectDataHubPolicyInfo, `{"displayName":"p","description":"","type":"METADATA","state":"ACTIVE","privileges":["EDIT_DATASET_COL_BUSINESS_ATTRIBUTE_PRIVILEGE"],"actors":{"users":["urn:li:corpuser:ben"]},"resources":{"filter":{"criteria":[{"field":"TYPE","condition":"EQUALS","values":["dataset"]}]}}}`)
	h.put("urn:li:dataHubPolicy:freeze", model.AspectDataHubPolicyInfo, `{"displayName":"f","description":"","type":"METADATA","state":"ACTIVE","privileges":["EDIT_ENTITY"],"actors":{"allUsers":true},"resources":{"filter":{"criteria":[{"field":"URN","condition":"EQUALS","values":["`+secrets+`"]}]}}}`)
	h.put("urn:li:dataHubPolicy:freeze", model.AspectHeadwaterPolicyRule, `{"state":"ACTIVE","effect":"DENY"}`)
	h.now = h.now.Add(time.Minute)
	column := func(of, aspect string, kind write.WantKind, edit bool) write.Want {
		return write.Want{URN: urn(t, "urn:li:schemaField:("+of+",id)"), Aspect: aspect, Kind: kind, Edit: edit}
	}
	for _, c := range []struct {
		who    string
		roles  []string
		want   write.Want
		allows bool
	}{
		{"olga", nil, column(orders, model.AspectStructuredProperties, write.Changes, true), true},
		{"olga", nil, column(orders, model.AspectStructuredProperties, write.Creates, false), true},
		{"olga", nil, column(secrets, model.AspectStructuredProperties, write.Changes, true), false},
		{"ben", nil, column(orders, model.AspectBusinessAttributes, write.Changes, true), true},
		{"ben", nil, column(orders, model.AspectBusinessAttributes, write.Changes, false), true},
		{"ben", nil, column(orders, model.AspectBusinessAttributes, write.Deletes, false), false},
		{"ben", nil, column(orders, model.AspectStructuredProperties, write.Changes, true), false},
		{"ada", []string{"Admin"}, column(orders, model.AspectDocumentation, write.Changes, false), true},
		{"ada", []string{"Admin"}, column(secrets, model.AspectDocumentation, write.Changes, false), false},
	} {
		refusals := h.permits.Protect(h.as(c.who, c.roles...), []write.Want{c.want})
		if allowed := len(refusals) == 0 || refusals[0] == nil; allowed != c.allows {
			t.Errorf("%s, %s of %s: %t", c.who, c.want.Aspect, c.want.URN, allowed)
		}
	}
}
