package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shop is a small catalog to search in.
type shop struct{ *searchHarness }

func dataset(platform, name, origin string) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:%s,%s,%s)", platform, name, origin)
}

var (
	created = dataset("hive", "prod_db.fct_users_created", "PROD")
	deleted = dataset("hive", "prod_db.fct_users_deleted", "PROD")
	address = dataset("kafka", "dimCustomerAddress", "DEV")
	gone    = dataset("hive", "prod_db.fct_gone", "PROD")
)

func newShop(t testing.TB) shop {
	s := shop{newSearchHarness(t)}
	put := func(urn, aspect, value string) {
		t.Helper()
		u := strings.Split(urn, ":")[2]
		s.ingest("", Proposal{EntityType: u, EntityURN: urn, AspectName: aspect, Aspect: &GenericAspect{Value: []byte(value), ContentType: "application/json"}})
	}
	put(created, "datasetProperties", `{"description":"One row a new user, café style","customProperties":{"tier":"gold","SLA":"1 h"},"created":{"time":1600000000000}}`)
	put(created, "globalTags", `{"tags":[{"tag":"urn:li:tag:Engineering"}]}`)
	put(created, "ownership", `{"owners":[{"owner":"urn:li:corpuser:ada","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}`)
	put(created, "schemaMetadata", schemaOf("user_id", "signupTime"))
	put(deleted, "datasetProperties", `{"description":"One row a user who left","created":{"time":1700000000000}}`)
	put(deleted, "editableSchemaMetadata", `{"editableSchemaFieldInfo":[{"fieldPath":"user_id","globalTags":{"tags":[{"tag":"urn:li:tag:Engineering"}]}}],"created":{"time":0,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}`)
	put(address, "datasetProperties", `{"description":"Where customers live"}`)
	put(gone, "status", `{"removed":true}`)
	put("urn:li:corpuser:ada", "corpUserInfo", `{"active":true,"displayName":"Ada Wren","email":"ada@example.com"}`)
	put("urn:li:tag:Engineering", "tagProperties", `{"name":"Engineering","description":"By engineers"}`)
	put("urn:li:domain:eng-1", "domainProperties", `{"name":"Engineering"}`)
	put("urn:li:chart:(looker,signups)", "chartInfo", `{"title":"Sign-ups a day","description":"From fct_users_created","lastModified":{"created":{"time":0,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}}`)
	return s
}

func schemaOf(paths ...string) string {
	var fields []string
	for _, path := range paths {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"text","type":{"type":{"com.linkedin.schema.StringType":{}}}}`, path))
	}
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + strings.Join(fields, ",") + `]}`
}

func (s shop) search(r SearchRequest) *SearchResult {
	s.t.Helper()
	if r.Count == 0 {
		r.Count = 50
	}
	found, err := s.Search(context.Background(), r)
	if err != nil {
		s.t.Fatalf("%+v: %v", r, err)
	}
	return found
}

func hitURNs(found *SearchResult) []string {
	urns := []string{}
	for _, hit := range found.Hits {
		urns = append(urns, hit.URN)
	}
	slices.Sort(urns)
	return urns
}

func (s shop) expect(r SearchRequest, want ...string) {
	s.t.Helper()
	if want == nil {
		want = []string{}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, hitURNs(s.search(r))); diff != "" {
		s.t.Errorf("%+v (-want +got):\n%s", r, diff)
	}
}

func TestSearchInput(t *testing.T) {
	s := newShop(t)
	for _, c := range []struct {
		input string
		want  []string
	}{
		{"", []string{created, deleted, address}},
		{"*", []string{created, deleted, address}},
		{"users", []string{created, deleted}},
		{"fct_users_created", []string{created}},
		{"prod_db.fct_users_created", []string{created}},
		{"fct us", []string{created, deleted}},
		{"customer", []string{address}},
		{"dim customer", []string{address}},
		{"CAFE", []string{created}},
		{"signup", []string{created}},
		{"gold", []string{created}},
		{"!!!", nil},
		{"nothing like it", nil},
		{`"users created"`, []string{created}},
		{`"users create"`, nil},
		{created, []string{created}},
		{"urn:li:dataset:(urn:li:dataPlatform:hive,unknown,PROD)", nil},
		{"urn:" + created, []string{created}},
		{"tags:Engineering", []string{created, deleted}},
		{"tags:urn:li:tag:Engineering", []string{created, deleted}},
		{`tags:urn\:li\:tag\:Engineering`, []string{created, deleted}},
		{"tags:engineering", nil},
		{"tags:Engine", nil},
		{"tags:Engine*", []string{created, deleted}},
		{"tags:*", []string{created, deleted}},
		{"owners:ada", []string{created}},
		{"platform:hive", []string{created, deleted}},
		{"origin:DEV", []string{address}},
		{"origin:dev", nil},
		{"fieldPaths:signupTime", []string{created}},
		{"fieldPaths:signup", nil},
		{"id:prod_db.fct_users_created", []string{created}},
		{`id:"prod_db.fct_users_created"`, []string{created}},
		{"id:fct_users_created", nil},
		{"customProperties:tier=gold", []string{created}},
		{"customProperties:SLA=1 h", []string{created}},
		{"hasOwners:true", []string{created}},
		{"hasOwners:false", []string{deleted, address}},
		{"createdAt:1600000000000", []string{created}},
		{"removed:true", nil}, // input does not bring soft-deleted ones back
		{"unknownField:x", nil},
		{`/q tags:Engineering`, []string{created, deleted}},
		{`\\/q tags:Engineering`, []string{created, deleted}},
	} {
		t.Run(c.input, func(t *testing.T) {
			shop{&searchHarness{harness: &harness{Catalog: s.Catalog, t: t}}}.expect(SearchRequest{Types: []string{"dataset"}, Input: c.input}, c.want...)
		})
	}
}

func TestSearchFilters(t *testing.T) {
	s := newShop(t)
	for _, c := range []struct {
		filter string
		want   []string
	}{
		{`{}`, []string{created, deleted, address}},
		{`{"or":[]}`, []string{created, deleted, address}},
		{`{"or":[{"and":[]}]}`, []string{created, deleted, address}},
		{`{"or":[{"and":[{"field":"origin","value":"PROD","condition":"EQUAL"}]}]}`, []string{created, deleted}},
		{`{"or":[{"and":[{"field":"origin.keyword","value":"PROD"}]}]}`, []string{created, deleted}},
		{`{"criteria":[{"field":"origin","value":"PROD","condition":"EQUAL"}]}`, []string{created, deleted}},
		{`{"or":[{"and":[{"field":"origin","value":"PROD,DEV"}]}]}`, []string{created, deleted, address}},
		{`{"or":[{"and":[{"field":"origin","value":"X","values":["DEV","QA"],"condition":"IN"}]}]}`, []string{address}},
		{`{"or":[{"and":[{"field":"origin","value":"PROD","negated":true}]}]}`, []string{address}},
		{`{"or":[{"and":[{"field":"origin","value":"PROD"},{"field":"owners","value":"urn:li:corpuser:ada"}]},{"and":[{"field":"platform","value":"urn:li:dataPlatform:kafka"}]}]}`, []string{created, address}},
		{`{"or":[{"and":[{"field":"id","value":"prod_db.","condition":"START_WITH"}]}]}`, []string{created, deleted}},
		{`{"or":[{"and":[{"field":"id","value":"_created","condition":"END_WITH"}]}]}`, []string{created}},
		{`{"or":[{"and":[{"field":"id","value":"Customer","condition":"CONTAIN"}]}]}`, []string{address}},
		{`{"or":[{"and":[{"field":"id","value":"customer","condition":"CONTAIN"}]}]}`, nil},
		{`{"or":[{"and":[{"field":"description","value":"café","condition":"CONTAIN"}]}]}`, []string{created}},
		{`{"or":[{"and":[{"field":"description","value":"cafe","condition":"CONTAIN"}]}]}`, nil},
		{`{"or":[{"and":[{"field":"createdAt","value":"1600000000000","condition":"GREATER_THAN"}]}]}`, []string{deleted}},
		{`{"or":[{"and":[{"field":"createdAt","value":"1600000000000","condition":"GREATER_THAN_OR_EQUAL_TO"}]}]}`, []string{created, deleted}},
		{`{"or":[{"and":[{"field":"createdAt","value":"1700000000000","condition":"LESS_THAN"}]}]}`, []string{created}},
		{`{"or":[{"and":[{"field":"createdAt","value":"1600000000000.5","condition":"LESS_THAN_OR_EQUAL_TO"}]}]}`, []string{created}},
		{`{"or":[{"and":[{"field":"createdAt","value":"9223372036854775807","condition":"GREATER_THAN"}]}]}`, nil},
		{`{"or":[{"and":[{"field":"createdAt","value":"1e300","condition":"LESS_THAN"}]}]}`, []string{created, deleted}},
		{`{"or":[{"and":[{"field":"createdAt","value":"1600000000000","condition":"GREATER_THAN","negated":true}]}]}`, []string{created, address}},
		{`{"or":[{"and":[{"field":"owners","condition":"EXISTS"}]}]}`, []string{created}},
		{`{"or":[{"and":[{"field":"owners","condition":"IS_NULL"}]}]}`, []string{deleted, address}},
		{`{"or":[{"and":[{"field":"tags","condition":"IS_NULL"}]}]}`, []string{address}},
		{`{"or":[{"and":[{"field":"tags","value":"urn:li:tag:Engineering"}]}]}`, []string{created, deleted}},
		{`{"or":[{"and":[{"field":"editedFieldTags","value":"urn:li:tag:Engineering"}]}]}`, []string{deleted}},
		{`{"or":[{"and":[{"field":"origin","value":""}]}]}`, []string{created, deleted, address}},
		{`{"or":[{"and":[{"field":"removed","value":"true"}]}]}`, []string{gone}},
		{`{"or":[{"and":[{"field":"removed","value":"true","negated":true}]}]}`, []string{created, deleted, address}},
		{`{"or":[{"and":[{"field":"removed","value":""}]}]}`, []string{created, deleted, address, gone}},
		{`{"or":[{"and":[{"field":"_entityType","value":"DATASET"}]}]}`, []string{created, deleted, address}},
		{`{"or":[{"and":[{"field":"entity","value":"chart"}]}]}`, nil},
		{`{"or":[{"and":[{"field":"urn","value":"` + created + `"}]}]}`, []string{created}},
		{`{"or":[{"and":[{"field":"browsePaths","value":"/prod/hive/prod_db/"}]}]}`, []string{created, deleted}},
		{`{"or":[{"and":[{"field":"customProperties","value":"SLA=1 h"}]}]}`, []string{created}},
	} {
		t.Run(c.filter, func(t *testing.T) {
			var f Filter
			if err := json.Unmarshal([]byte(c.filter), &f); err != nil {
				t.Fatal(err)
			}
			shop{&searchHarness{harness: &harness{Catalog: s.Catalog, t: t}}}.expect(SearchRequest{Types: []string{"dataset"}, Filter: &f}, c.want...)
		})
	}
}

func TestSearchRefuses(t *testing.T) {
	s := newShop(t)
	criterion := func(field, condition, value string) *Filter {
		return &Filter{Or: []Conjunction{{And: []Criterion{{Field: field, Condition: condition, Value: value}}}}}
	}
	for name, r := range map[string]SearchRequest{
		"a field that is not searchable": {Types: []string{"dataset"}, Filter: criterion("nonsense", "EQUAL", "x")},
		"a field of another type":        {Types: []string{"tag"}, Filter: criterion("origin", "EQUAL", "PROD")},
		"an unknown condition":           {Types: []string{"dataset"}, Filter: criterion("origin", "LIKE", "x")},
		"no field":                       {Types: []string{"dataset"}, Filter: criterion("", "EQUAL", "x")},
		"a range of texts":               {Types: []string{"dataset"}, Filter: criterion("origin", "GREATER_THAN", "A")},
		"a range of no number":           {Types: []string{"dataset"}, Filter: criterion("createdAt", "LESS_THAN", "yesterday")},
		"an unknown type":                {Types: []string{"datasets"}},
		"a negative start":               {Types: []string{"dataset"}, Start: -1},
		"a negative count":               {Types: []string{"dataset"}, Count: -1},
		"an order of nothing":            {Types: []string{"dataset"}, Sort: &SortCriterion{Field: "nonsense"}},
		"an order by many values":        {Types: []string{"dataset"}, Sort: &SortCriterion{Field: "tags"}},
		"an unknown order":               {Types: []string{"dataset"}, Sort: &SortCriterion{Field: "urn", Order: "UP"}},
		"an unknown facet":               {Types: []string{"dataset"}, Facets: []string{"description"}},
		"a made-up scroll id":            {Types: []string{"dataset"}, Scroll: true, ScrollID: "%", Count: 1},
	} {
		if _, err := s.Search(context.Background(), r); CodeOf(err) != Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSearchResult(t *testing.T) {
	s := newShop(t)
	found := s.search(SearchRequest{Types: []string{"dataset"}, Input: "fct_users_created"})
	want := SearchHit{URN: created, Type: "dataset", Name: "prod_db.fct_users_created", MatchedFields: []MatchedField{
		{"id", "prod_db.fct_users_created"}, {"fieldPaths", "user_id"}, {"description", "One row a new user, café style"}, {"urn", created},
	}}
	less := func(a, b MatchedField) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(want.MatchedFields, less)
	slices.SortFunc(found.Hits[0].MatchedFields, less)
	if diff := cmp.Diff([]SearchHit{want}, found.Hits); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	facets := map[string]map[string]int{}
	for _, f := range s.search(SearchRequest{Types: []string{"dataset"}}).Facets {
		facets[f.DisplayName] = map[string]int{}
		for _, n := range f.Counts {
			facets[f.DisplayName][n.Value] = n.Docs
		}
	}
	wantFacets := map[string]map[string]int{
		"Type": {"dataset": 3}, "Environment": {"PROD": 2, "DEV": 1}, "Platform": {"urn:li:dataPlatform:hive": 2, "urn:li:dataPlatform:kafka": 1},
		"Tag": {"urn:li:tag:Engineering": 1}, "Owned By": {"urn:li:corpuser:ada": 1},
	}
	if diff := cmp.Diff(wantFacets, facets); diff != "" {
		t.Errorf("facets (-want +got):\n%s", diff)
	}
	if got := s.search(SearchRequest{Types: []string{"dataset"}, Input: "tags:Engineering"}).Hits; len(got) != 2 || got[0].MatchedFields[0].Value != "urn:li:tag:Engineering" {
		t.Errorf("an exact match says %+v", got)
	}
	across := s.search(SearchRequest{Input: "engineering"})
	if diff := cmp.Diff([]string{created, deleted, "urn:li:domain:eng-1", "urn:li:tag:Engineering"}, hitURNs(across)); diff != "" {
		t.Errorf("across types (-want +got):\n%s", diff)
	}
	sorted := s.search(SearchRequest{Types: []string{"dataset"}, Sort: &SortCriterion{Field: "createdAt", Order: "DESCENDING"}})
	if got := []string{sorted.Hits[0].URN, sorted.Hits[1].URN, sorted.Hits[2].URN}; !slices.Equal(got, []string{deleted, created, address}) {
		t.Errorf("sorted: %v", got)
	}
	first := s.search(SearchRequest{Types: []string{"dataset"}, Scroll: true, Count: 2})
	second := s.search(SearchRequest{Types: []string{"dataset"}, Scroll: true, Count: 2, ScrollID: first.ScrollID})
	if len(first.Hits) != 2 || len(second.Hits) != 1 || second.ScrollID != "" || first.Total != 3 {
		t.Errorf("scrolling: %+v then %+v", first, second)
	}
}

func TestCountEntities(t *testing.T) {
	s := newShop(t)
	counts, err := s.CountEntities(context.Background(), []string{"dataset", "chart", "dashboard"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"dataset": 3, "chart": 1, "dashboard": 0}, counts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAutocomplete(t *testing.T) {
	s := newShop(t)
	for _, c := range []struct {
		request AutocompleteRequest
		want    []string
	}{
		{AutocompleteRequest{Types: []string{"dataset"}, Query: "fct_us"}, []string{"prod_db.fct_users_created", "prod_db.fct_users_deleted"}},
		{AutocompleteRequest{Types: []string{"dataset"}, Query: "cust"}, []string{"dimCustomerAddress"}},
		{AutocompleteRequest{Types: []string{"dataset"}, Query: "gone"}, []string{}},
		{AutocompleteRequest{Types: []string{"dataset"}, Query: ""}, []string{}},
		{AutocompleteRequest{Types: []string{"corpuser"}, Query: "wre"}, []string{"Ada Wren"}},
		{AutocompleteRequest{Types: []string{"domain"}, Query: "eng"}, []string{"Engineering"}},
		{AutocompleteRequest{Types: []string{"tag"}, Query: "eng"}, []string{"Engineering"}},
		{AutocompleteRequest{Types: []string{"chart"}, Query: "sign"}, []string{"Sign-ups a day"}},
		{AutocompleteRequest{Types: []string{"dataset"}, Query: "kaf", Field: "platform"}, []string{"urn:li:dataPlatform:kafka"}},
		{AutocompleteRequest{Types: []string{"dataset"}, Query: "urn:li:dataset:(urn:li:dataPlatform:k"}, []string{address}},
		{AutocompleteRequest{Types: []string{"dataset"}, Query: "fct", Filter: &Filter{Or: []Conjunction{{And: []Criterion{{Field: "owners", Value: "urn:li:corpuser:ada"}}}}}}, []string{"prod_db.fct_users_created"}},
	} {
		c.request.Limit = 10
		found, err := s.Autocomplete(context.Background(), c.request)
		if err != nil {
			t.Errorf("%+v: %v", c.request, err)
			continue
		}
		if diff := cmp.Diff(c.want, found.Texts); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.request, diff)
		}
	}
	for _, r := range []AutocompleteRequest{{Types: []string{"nothing"}, Query: "x"}, {Types: []string{"dataset"}, Field: "description", Query: "x"}, {Types: []string{"dataset"}, Query: "x", Limit: -1}} {
		if _, err := s.Autocomplete(context.Background(), r); CodeOf(err) != Invalid {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestBrowse(t *testing.T) {
	s := newShop(t)
	browse := func(path string, start, limit int) *BrowseResult {
		t.Helper()
		found, err := s.Browse(context.Background(), BrowseRequest{EntityType: "dataset", Path: path, Start: start, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	root := browse("", 0, 10)
	if diff := cmp.Diff(&BrowseResult{Groups: []BrowseGroup{{Name: "dev", Count: 1}, {Name: "prod", Count: 2}}, Entities: []SearchHit{}, TotalGroups: 2, TotalBelow: 3}, root); diff != "" {
		t.Errorf("root (-want +got):\n%s", diff)
	}
	leaf := browse("/prod/hive/prod_db/", 0, 10)
	want := &BrowseResult{Path: "/prod/hive/prod_db", Groups: []BrowseGroup{}, TotalEntities: 2, Entities: []SearchHit{
		{URN: created, Type: "dataset", Name: "prod_db.fct_users_created"}, {URN: deleted, Type: "dataset", Name: "prod_db.fct_users_deleted"},
	}}
	if diff := cmp.Diff(want, leaf); diff != "" {
		t.Errorf("leaf (-want +got):\n%s", diff)
	}
	// A page goes on from the groups to the entities.
	s.put("", "UPSERT", address, "browsePaths", `{"paths":["/prod/hive"]}`)
	for _, c := range []struct {
		start, limit  int
		groups, names []string
	}{{0, 1, []string{"prod_db"}, nil}, {0, 2, []string{"prod_db"}, []string{"dimCustomerAddress"}}, {1, 5, nil, []string{"dimCustomerAddress"}}, {2, 5, nil, nil}} {
		found := browse("/prod/hive", c.start, c.limit)
		var groups, names []string
		for _, g := range found.Groups {
			groups = append(groups, g.Name)
		}
		for _, e := range found.Entities {
			names = append(names, e.Name)
		}
		if !slices.Equal(groups, c.groups) || !slices.Equal(names, c.names) || found.TotalGroups != 1 || found.TotalEntities != 1 {
			t.Errorf("from %d, %d: %+v", c.start, c.limit, found)
		}
	}
	paths, err := s.BrowsePaths(context.Background(), created)
	if err != nil || !slices.Equal(paths, []string{"/prod/hive/prod_db"}) {
		t.Errorf("paths %v, %v", paths, err)
	}
	v2, err := s.BrowseV2(context.Background(), BrowseRequest{EntityType: "dataset", Limit: 10}, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]BrowseGroup{{Name: "Default", Count: 1}, {Name: "prod_db", Count: 2}}, v2.Groups); diff != "" {
		t.Errorf("v2 (-want +got):\n%s", diff)
	}
	if v2, err = s.BrowseV2(context.Background(), BrowseRequest{EntityType: "dataset", Limit: 10}, "customer"); err != nil || len(v2.Groups) != 1 || v2.Groups[0].Name != "Default" {
		t.Errorf("v2, narrowed: %+v, %v", v2, err)
	}
	s.put("", "UPSERT", created, "browsePathsV2", `{"path":[{"id":"urn:li:container:c1","urn":"urn:li:container:c1"},{"id":"inner"}]}`)
	if v2, err = s.BrowseV2(context.Background(), BrowseRequest{EntityType: "dataset", Limit: 10}, "created"); err != nil ||
		!slices.Equal(v2.Groups, []BrowseGroup{{Name: "urn:li:container:c1", Count: 1, URN: "urn:li:container:c1", HasSubGroups: true}}) {
		t.Errorf("v2 with a container: %+v, %v", v2, err)
	}
	for _, r := range []BrowseRequest{{EntityType: ""}, {EntityType: "nothing"}, {EntityType: "dataset", Start: -1}} {
		if _, err := s.Browse(context.Background(), r); CodeOf(err) != Invalid {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// FuzzSearchInput: whatever is typed is understood or finds nothing, and never
// is a defect.
func FuzzSearchInput(f *testing.F) {
	for _, input := range []string{"*", "tags:Engineering", `a\:b`, "urn:li:tag:x", "::::", `"`, "id:*", "(a OR b) -c", "日本", "`", "platform:hive*"} {
		f.Add(input, "id", "CONTAIN", "x", false)
	}
	s := newShop(f)
	f.Fuzz(func(t *testing.T, input, field, condition, value string, negated bool) {
		filter := &Filter{Or: []Conjunction{{And: []Criterion{{Field: field, Condition: condition, Value: value, Negated: negated}}}}}
		for _, r := range []SearchRequest{{Types: []string{"dataset"}, Input: input, Count: 5}, {Types: []string{"dataset"}, Filter: filter, Count: 5}} {
			if _, err := s.Search(context.Background(), r); err != nil && CodeOf(err) != Invalid {
				t.Errorf("%+v: %v", r, err)
			}
		}
		if _, err := s.Autocomplete(context.Background(), AutocompleteRequest{Types: []string{"dataset"}, Query: input, Limit: 5}); err != nil {
			t.Errorf("autocomplete %q: %v", input, err)
		}
		if _, err := s.Browse(context.Background(), BrowseRequest{EntityType: "dataset", Path: input, Limit: 5}); err != nil {
			t.Errorf("browse %q: %v", input, err)
		}
	})
}

// TestUnknownFieldWarns: where warnings are collected, a criterion on a field
// that no type has matches nothing, negated everything, and is said.
func TestUnknownFieldWarns(t *testing.T) {
	s := newShop(t)
	everything := s.search(SearchRequest{Types: []string{"dataset"}}).Total
	for name, c := range map[string]struct {
		criterion Criterion
		want      int
	}{
		"equal":     {Criterion{Field: "orign", Value: "PROD"}, 0},
		"exists":    {Criterion{Field: "orign", Condition: "EXISTS"}, 0},
		"negated":   {Criterion{Field: "orign", Value: "PROD", Negated: true}, everything},
		"is null":   {Criterion{Field: "orign", Condition: "IS_NULL"}, everything},
		"not null":  {Criterion{Field: "orign", Condition: "IS_NULL", Negated: true}, 0},
		"no value":  {Criterion{Field: "orign"}, 0},
		"one known": {Criterion{Field: "origin", Value: "PROD"}, everything - 1},
	} {
		ctx, warnings := WithWarnings(context.Background())
		found, err := s.Search(ctx, SearchRequest{Types: []string{"dataset"}, Filter: &Filter{Or: []Conjunction{{And: []Criterion{c.criterion}}}}})
		if err != nil || found.Total != c.want {
			t.Errorf("%s: %+v %v, want %d of %d", name, found, err, c.want, everything)
		}
		wanted := []string{`the field "orign" is not searchable for dataset (did you mean origin?); it matches nothing`}
		if c.criterion.Field == "origin" {
			wanted = nil
		}
		if diff := cmp.Diff(wanted, warnings.Texts()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
