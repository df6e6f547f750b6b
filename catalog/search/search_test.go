package search_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/search"
)

func TestSearchInput(t *testing.T) {
	s := catalogtest.NewShop(t)
	for _, c := range []struct {
		input string
		want  []string
	}{
		{"", []string{catalogtest.Created, catalogtest.Deleted, catalogtest.Address}},
		{"*", []string{catalogtest.Created, catalogtest.Deleted, catalogtest.Address}},
		{"users", []string{catalogtest.Created, catalogtest.Deleted}},
		{"fct_users_created", []string{catalogtest.Created}},
		{"prod_db.fct_users_created", []string{catalogtest.Created}},
		{"fct us", []string{catalogtest.Created, catalogtest.Deleted}},
		{"customer", []string{catalogtest.Address}},
		{"dim customer", []string{catalogtest.Address}},
		{"CAFE", []string{catalogtest.Created}},
		{"signup", []string{catalogtest.Created}},
		{"gold", []string{catalogtest.Created}},
		{"!!!", nil},
		{"nothing like it", nil},
		{`"users created"`, []string{catalogtest.Created}},
		{`"users create"`, nil},
		{catalogtest.Created, []string{catalogtest.Created}},
		{"urn:li:dataset:(urn:li:dataPlatform:hive,unknown,PROD)", nil},
		{"urn:" + catalogtest.Created, []string{catalogtest.Created}},
		{"tags:Engineering", []string{catalogtest.Created, catalogtest.Deleted}},
		{"tags:urn:li:tag:Engineering", []string{catalogtest.Created, catalogtest.Deleted}},
		{`tags:urn\:li\:tag\:Engineering`, []string{catalogtest.Created, catalogtest.Deleted}},
		{"tags:engineering", nil},
		{"tags:Engine", nil},
		{"tags:Engine*", []string{catalogtest.Created, catalogtest.Deleted}},
		{"tags:*", []string{catalogtest.Created, catalogtest.Deleted}},
		{"owners:ada", []string{catalogtest.Created}},
		{"platform:hive", []string{catalogtest.Created, catalogtest.Deleted}},
		{"origin:DEV", []string{catalogtest.Address}},
		{"origin:dev", nil},
		{"fieldPaths:signupTime", []string{catalogtest.Created}},
		{"fieldPaths:signup", nil},
		{"id:prod_db.fct_users_created", []string{catalogtest.Created}},
		{`id:"prod_db.fct_users_created"`, []string{catalogtest.Created}},
		{"id:fct_users_created", nil},
		{"customProperties:tier=gold", []string{catalogtest.Created}},
		{"customProperties:SLA=1 h", []string{catalogtest.Created}},
		{"hasOwners:true", []string{catalogtest.Created}},
		{"hasOwners:false", []string{catalogtest.Deleted, catalogtest.Address}},
		{"createdAt:1600000000000", []string{catalogtest.Created}},
		{"removed:true", nil}, // input does not bring soft-deleted ones back
		{"unknownField:x", nil},
		{`/q tags:Engineering`, []string{catalogtest.Created, catalogtest.Deleted}},
		{`\\/q tags:Engineering`, []string{catalogtest.Created, catalogtest.Deleted}},
	} {
		t.Run(c.input, func(t *testing.T) {
			catalogtest.Shop{SearchHarness: &catalogtest.SearchHarness{Harness: &catalogtest.Harness{Services: s.Services, T: t}}}.Expect(search.Request{Types: []string{"dataset"}, Input: c.input}, c.want...)
		})
	}
}

func TestSearchFilters(t *testing.T) {
	s := catalogtest.NewShop(t)
	for _, c := range []struct {
		filter string
		want   []string
	}{
		{`{}`, []string{catalogtest.Created, catalogtest.Deleted, catalogtest.Address}},
		{`{"or":[]}`, []string{catalogtest.Created, catalogtest.Deleted, catalogtest.Address}},
		{`{"or":[{"and":[]}]}`, []string{catalogtest.Created, catalogtest.Deleted, catalogtest.Address}},
		{`{"or":[{"and":[{"field":"origin","value":"PROD","condition":"EQUAL"}]}]}`, []string{catalogtest.Created, catalogtest.Deleted}},
		{`{"or":[{"and":[{"field":"origin.keyword","value":"PROD"}]}]}`, []string{catalogtest.Created, catalogtest.Deleted}},
		{`{"criteria":[{"field":"origin","value":"PROD","condition":"EQUAL"}]}`, []string{catalogtest.Created, catalogtest.Deleted}},
		{`{"or":[{"and":[{"field":"origin","value":"PROD,DEV"}]}]}`, []string{catalogtest.Created, catalogtest.Deleted, catalogtest.Address}},
		{`{"or":[{"and":[{"field":"origin","value":"X","values":["DEV","QA"],"condition":"IN"}]}]}`, []string{catalogtest.Address}},
		{`{"or":[{"and":[{"field":"origin","value":"PROD","negated":true}]}]}`, []string{catalogtest.Address}},
		{`{"or":[{"and":[{"field":"origin","value":"PROD"},{"field":"owners","value":"urn:li:corpuser:ada"}]},{"and":[{"field":"platform","value":"urn:li:dataPlatform:kafka"}]}]}`, []string{catalogtest.Created, catalogtest.Address}},
		{`{"or":[{"and":[{"field":"id","value":"prod_db.","condition":"START_WITH"}]}]}`, []string{catalogtest.Created, catalogtest.Deleted}},
		{`{"or":[{"and":[{"field":"id","value":"_created","condition":"END_WITH"}]}]}`, []string{catalogtest.Created}},
		{`{"or":[{"and":[{"field":"id","value":"Customer","condition":"CONTAIN"}]}]}`, []string{catalogtest.Address}},
		{`{"or":[{"and":[{"field":"id","value":"customer","condition":"CONTAIN"}]}]}`, nil},
		{`{"or":[{"and":[{"field":"description","value":"café","condition":"CONTAIN"}]}]}`, []string{catalogtest.Created}},
		{`{"or":[{"and":[{"field":"description","value":"cafe","condition":"CONTAIN"}]}]}`, nil},
		{`{"or":[{"and":[{"field":"createdAt","value":"1600000000000","condition":"GREATER_THAN"}]}]}`, []string{catalogtest.Deleted}},
		{`{"or":[{"and":[{"field":"createdAt","value":"1600000000000","condition":"GREATER_THAN_OR_EQUAL_TO"}]}]}`, []string{catalogtest.Created, catalogtest.Deleted}},
		{`{"or":[{"and":[{"field":"createdAt","value":"1700000000000","condition":"LESS_THAN"}]}]}`, []string{catalogtest.Created}},
		{`{"or":[{"and":[{"field":"createdAt","value":"1600000000000.5","condition":"LESS_THAN_OR_EQUAL_TO"}]}]}`, []string{catalogtest.Created}},
		{`{"or":[{"and":[{"field":"createdAt","value":"9223372036854775807","condition":"GREATER_THAN"}]}]}`, nil},
		{`{"or":[{"and":[{"field":"createdAt","value":"1e300","condition":"LESS_THAN"}]}]}`, []string{catalogtest.Created, catalogtest.Deleted}},
		{`{"or":[{"and":[{"field":"createdAt","value":"1600000000000","condition":"GREATER_THAN","negated":true}]}]}`, []string{catalogtest.Created, catalogtest.Address}},
		{`{"or":[{"and":[{"field":"owners","condition":"EXISTS"}]}]}`, []string{catalogtest.Created}},
		{`{"or":[{"and":[{"field":"owners","condition":"IS_NULL"}]}]}`, []string{catalogtest.Deleted, catalogtest.Address}},
		{`{"or":[{"and":[{"field":"tags","condition":"IS_NULL"}]}]}`, []string{catalogtest.Address}},
		{`{"or":[{"and":[{"field":"tags","value":"urn:li:tag:Engineering"}]}]}`, []string{catalogtest.Created, catalogtest.Deleted}},
		{`{"or":[{"and":[{"field":"editedFieldTags","value":"urn:li:tag:Engineering"}]}]}`, []string{catalogtest.Deleted}},
		{`{"or":[{"and":[{"field":"origin","value":""}]}]}`, []string{catalogtest.Created, catalogtest.Deleted, catalogtest.Address}},
		{`{"or":[{"and":[{"field":"removed","value":"true"}]}]}`, []string{catalogtest.Gone}},
		{`{"or":[{"and":[{"field":"removed","value":"true","negated":true}]}]}`, []string{catalogtest.Created, catalogtest.Deleted, catalogtest.Address}},
		{`{"or":[{"and":[{"field":"removed","value":""}]}]}`, []string{catalogtest.Created, catalogtest.Deleted, catalogtest.Address, catalogtest.Gone}},
		{`{"or":[{"and":[{"field":"_entityType","value":"DATASET"}]}]}`, []string{catalogtest.Created, catalogtest.Deleted, catalogtest.Address}},
		{`{"or":[{"and":[{"field":"entity","value":"chart"}]}]}`, nil},
		{`{"or":[{"and":[{"field":"urn","value":"` + catalogtest.Created + `"}]}]}`, []string{catalogtest.Created}},
		{`{"or":[{"and":[{"field":"browsePaths","value":"/prod/hive/prod_db/"}]}]}`, []string{catalogtest.Created, catalogtest.Deleted}},
		{`{"or":[{"and":[{"field":"customProperties","value":"SLA=1 h"}]}]}`, []string{catalogtest.Created}},
	} {
		t.Run(c.filter, func(t *testing.T) {
			var f catalog.Filter
			if err := json.Unmarshal([]byte(c.filter), &f); err != nil {
				t.Fatal(err)
			}
			catalogtest.Shop{SearchHarness: &catalogtest.SearchHarness{Harness: &catalogtest.Harness{Services: s.Services, T: t}}}.Expect(search.Request{Types: []string{"dataset"}, Filter: &f}, c.want...)
		})
	}
}

func TestSearchRefuses(t *testing.T) {
	s := catalogtest.NewShop(t)
	criterion := func(field, condition, value string) *catalog.Filter {
		return &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: field, Condition: condition, Value: value}}}}}
	}
	for name, r := range map[string]search.Request{
		"a field that is not searchable": {Types: []string{"dataset"}, Filter: criterion("nonsense", "EQUAL", "x")},
		"a field of another type":        {Types: []string{"tag"}, Filter: criterion("origin", "EQUAL", "PROD")},
		"an unknown condition":           {Types: []string{"dataset"}, Filter: criterion("origin", "LIKE", "x")},
		"no field":                       {Types: []string{"dataset"}, Filter: criterion("", "EQUAL", "x")},
		"a range of texts":               {Types: []string{"dataset"}, Filter: criterion("origin", "GREATER_THAN", "A")},
		"a range of no number":           {Types: []string{"dataset"}, Filter: criterion("createdAt", "LESS_THAN", "yesterday")},
		"an unknown type":                {Types: []string{"datasets"}},
		"a negative start":               {Types: []string{"dataset"}, Start: -1},
		"a negative count":               {Types: []string{"dataset"}, Count: -1},
		"an order of nothing":            {Types: []string{"dataset"}, Sort: &search.SortCriterion{Field: "nonsense"}},
		"an order by many values":        {Types: []string{"dataset"}, Sort: &search.SortCriterion{Field: "tags"}},
		"an unknown order":               {Types: []string{"dataset"}, Sort: &search.SortCriterion{Field: "urn", Order: "UP"}},
		"an unknown facet":               {Types: []string{"dataset"}, Facets: []string{"description"}},
		"a made-up scroll id":            {Types: []string{"dataset"}, Scroll: true, ScrollID: "%", Count: 1},
	} {
		if _, err := s.Search.Search(context.Background(), r); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSearchResult(t *testing.T) {
	s := catalogtest.NewShop(t)
	found := s.Find(search.Request{Types: []string{"dataset"}, Input: "fct_users_created"})
	want := search.Hit{URN: catalogtest.Created, Type: "dataset", Name: "prod_db.fct_users_created", MatchedFields: []search.MatchedField{
		{"id", "prod_db.fct_users_created"}, {"fieldPaths", "user_id"}, {"description", "One row a new user, café style"}, {"urn", catalogtest.Created},
	}}
	less := func(a, b search.MatchedField) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(want.MatchedFields, less)
	slices.SortFunc(found.Hits[0].MatchedFields, less)
	if diff := cmp.Diff([]search.Hit{want}, found.Hits); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	facets := map[string]map[string]int{}
	for _, f := range s.Find(search.Request{Types: []string{"dataset"}}).Facets {
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
	if got := s.Find(search.Request{Types: []string{"dataset"}, Input: "tags:Engineering"}).Hits; len(got) != 2 || got[0].MatchedFields[0].Value != "urn:li:tag:Engineering" {
		t.Errorf("an exact match says %+v", got)
	}
	across := s.Find(search.Request{Input: "engineering"})
	if diff := cmp.Diff([]string{catalogtest.Created, catalogtest.Deleted, "urn:li:domain:eng-1", "urn:li:tag:Engineering"}, catalogtest.HitURNs(across)); diff != "" {
		t.Errorf("across types (-want +got):\n%s", diff)
	}
	sorted := s.Find(search.Request{Types: []string{"dataset"}, Sort: &search.SortCriterion{Field: "createdAt", Order: "DESCENDING"}})
	if got := []string{sorted.Hits[0].URN, sorted.Hits[1].URN, sorted.Hits[2].URN}; !slices.Equal(got, []string{catalogtest.Deleted, catalogtest.Created, catalogtest.Address}) {
		t.Errorf("sorted: %v", got)
	}
	first := s.Find(search.Request{Types: []string{"dataset"}, Scroll: true, Count: 2})
	second := s.Find(search.Request{Types: []string{"dataset"}, Scroll: true, Count: 2, ScrollID: first.ScrollID})
	if len(first.Hits) != 2 || len(second.Hits) != 1 || second.ScrollID != "" || first.Total != 3 {
		t.Errorf("scrolling: %+v then %+v", first, second)
	}
}

func TestCountEntities(t *testing.T) {
	s := catalogtest.NewShop(t)
	counts, err := s.Search.CountEntities(context.Background(), []string{"dataset", "chart", "dashboard"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"dataset": 3, "chart": 1, "dashboard": 0}, counts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAutocomplete(t *testing.T) {
	s := catalogtest.NewShop(t)
	for _, c := range []struct {
		request search.AutocompleteRequest
		want    []string
	}{
		{search.AutocompleteRequest{Types: []string{"dataset"}, Query: "fct_us"}, []string{"prod_db.fct_users_created", "prod_db.fct_users_deleted"}},
		{search.AutocompleteRequest{Types: []string{"dataset"}, Query: "cust"}, []string{"dimCustomerAddress"}},
		{search.AutocompleteRequest{Types: []string{"dataset"}, Query: "gone"}, []string{}},
		{search.AutocompleteRequest{Types: []string{"dataset"}, Query: ""}, []string{}},
		{search.AutocompleteRequest{Types: []string{"corpuser"}, Query: "wre"}, []string{"Ada Wren"}},
		{search.AutocompleteRequest{Types: []string{"domain"}, Query: "eng"}, []string{"Engineering"}},
		{search.AutocompleteRequest{Types: []string{"tag"}, Query: "eng"}, []string{"Engineering"}},
		{search.AutocompleteRequest{Types: []string{"chart"}, Query: "sign"}, []string{"Sign-ups a day"}},
		{search.AutocompleteRequest{Types: []string{"dataset"}, Query: "kaf", Field: "platform"}, []string{"urn:li:dataPlatform:kafka"}},
		{search.AutocompleteRequest{Types: []string{"dataset"}, Query: "urn:li:dataset:(urn:li:dataPlatform:k"}, []string{catalogtest.Address}},
		{search.AutocompleteRequest{Types: []string{"dataset"}, Query: "fct", Filter: &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: "owners", Value: "urn:li:corpuser:ada"}}}}}}, []string{"prod_db.fct_users_created"}},
	} {
		c.request.Limit = 10
		found, err := s.Search.Autocomplete(context.Background(), c.request)
		if err != nil {
			t.Errorf("%+v: %v", c.request, err)
			continue
		}
		if diff := cmp.Diff(c.want, found.Texts); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.request, diff)
		}
	}
	for _, r := range []search.AutocompleteRequest{{Types: []string{"nothing"}, Query: "x"}, {Types: []string{"dataset"}, Field: "description", Query: "x"}, {Types: []string{"dataset"}, Query: "x", Limit: -1}} {
		if _, err := s.Search.Autocomplete(context.Background(), r); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestBrowse(t *testing.T) {
	s := catalogtest.NewShop(t)
	browse := func(path string, start, limit int) *search.BrowseResult {
		t.Helper()
		found, err := s.Search.Browse(context.Background(), search.BrowseRequest{EntityType: "dataset", Path: path, Start: start, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	root := browse("", 0, 10)
	if diff := cmp.Diff(&search.BrowseResult{Groups: []search.BrowseGroup{{Name: "dev", Count: 1}, {Name: "prod", Count: 2}}, Entities: []search.Hit{}, TotalGroups: 2, TotalBelow: 3}, root); diff != "" {
		t.Errorf("root (-want +got):\n%s", diff)
	}
	leaf := browse("/prod/hive/prod_db/", 0, 10)
	want := &search.BrowseResult{Path: "/prod/hive/prod_db", Groups: []search.BrowseGroup{}, TotalEntities: 2, Entities: []search.Hit{
		{URN: catalogtest.Created, Type: "dataset", Name: "prod_db.fct_users_created"}, {URN: catalogtest.Deleted, Type: "dataset", Name: "prod_db.fct_users_deleted"},
	}}
	if diff := cmp.Diff(want, leaf); diff != "" {
		t.Errorf("leaf (-want +got):\n%s", diff)
	}
	// A page goes on from the groups to the entities.
	s.Put("", "UPSERT", catalogtest.Address, "browsePaths", `{"paths":["/prod/hive"]}`)
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
	paths, err := s.Search.BrowsePaths(context.Background(), catalogtest.URN(catalogtest.Created))
	if err != nil || !slices.Equal(paths, []string{"/prod/hive/prod_db"}) {
		t.Errorf("paths %v, %v", paths, err)
	}
	v2, err := s.Search.BrowseV2(context.Background(), search.BrowseRequest{EntityType: "dataset", Limit: 10}, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]search.BrowseGroup{{Name: "Default", Count: 1}, {Name: "prod_db", Count: 2}}, v2.Groups); diff != "" {
		t.Errorf("v2 (-want +got):\n%s", diff)
	}
	if v2, err = s.Search.BrowseV2(context.Background(), search.BrowseRequest{EntityType: "dataset", Limit: 10}, "customer"); err != nil || len(v2.Groups) != 1 || v2.Groups[0].Name != "Default" {
		t.Errorf("v2, narrowed: %+v, %v", v2, err)
	}
	s.Put("", "UPSERT", catalogtest.Created, "browsePathsV2", `{"path":[{"id":"urn:li:container:c1","urn":"urn:li:container:c1"},{"id":"inner"}]}`)
	if v2, err = s.Search.BrowseV2(context.Background(), search.BrowseRequest{EntityType: "dataset", Limit: 10}, "created"); err != nil ||
		!slices.Equal(v2.Groups, []search.BrowseGroup{{Name: "urn:li:container:c1", Count: 1, URN: "urn:li:container:c1", HasSubGroups: true}}) {
		t.Errorf("v2 with a container: %+v, %v", v2, err)
	}
	for _, r := range []search.BrowseRequest{{EntityType: ""}, {EntityType: "nothing"}, {EntityType: "dataset", Start: -1}} {
		if _, err := s.Search.Browse(context.Background(), r); catalog.CodeOf(err) != catalog.Invalid {
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
	s := catalogtest.NewShop(f)
	f.Fuzz(func(t *testing.T, input, field, condition, value string, negated bool) {
		filter := &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: field, Condition: condition, Value: value, Negated: negated}}}}}
		for _, r := range []search.Request{{Types: []string{"dataset"}, Input: input, Count: 5}, {Types: []string{"dataset"}, Filter: filter, Count: 5}} {
			if _, err := s.Search.Search(context.Background(), r); err != nil && catalog.CodeOf(err) != catalog.Invalid {
				t.Errorf("%+v: %v", r, err)
			}
		}
		if _, err := s.Search.Autocomplete(context.Background(), search.AutocompleteRequest{Types: []string{"dataset"}, Query: input, Limit: 5}); err != nil {
			t.Errorf("autocomplete %q: %v", input, err)
		}
		if _, err := s.Search.Browse(context.Background(), search.BrowseRequest{EntityType: "dataset", Path: input, Limit: 5}); err != nil {
			t.Errorf("browse %q: %v", input, err)
		}
	})
}

// TestUnknownFieldWarns: where warnings are collected, a criterion on a field
// that no type has matches nothing, negated everything, and is said.
func TestUnknownFieldWarns(t *testing.T) {
	s := catalogtest.NewShop(t)
	everything := s.Find(search.Request{Types: []string{"dataset"}}).Total
	for name, c := range map[string]struct {
		criterion catalog.Criterion
		want      int
	}{
		"equal":     {catalog.Criterion{Field: "orign", Value: "PROD"}, 0},
		"exists":    {catalog.Criterion{Field: "orign", Condition: "EXISTS"}, 0},
		"negated":   {catalog.Criterion{Field: "orign", Value: "PROD", Negated: true}, everything},
		"is null":   {catalog.Criterion{Field: "orign", Condition: "IS_NULL"}, everything},
		"not null":  {catalog.Criterion{Field: "orign", Condition: "IS_NULL", Negated: true}, 0},
		"no value":  {catalog.Criterion{Field: "orign"}, 0},
		"one known": {catalog.Criterion{Field: "origin", Value: "PROD"}, everything - 1},
	} {
		ctx, warnings := search.WithWarnings(context.Background())
		found, err := s.Search.Search(ctx, search.Request{Types: []string{"dataset"}, Filter: &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{c.criterion}}}}})
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
