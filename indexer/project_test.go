package indexer

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/model"
)

const table = "urn:li:dataset:(urn:li:dataPlatform:hive,shop.fctOrders,PROD)"

// project makes a document from aspects.
func project(t *testing.T, urn string, aspects map[string]string) Document {
	t.Helper()
	r := model.Default()
	u, err := model.ParseURN(urn)
	if err != nil {
		t.Fatal(err)
	}
	entity, _ := r.Entity(u.EntityType())
	key, err := r.KeyValue(u)
	if err != nil {
		t.Fatal(err)
	}
	var values []*model.Value
	add := func(name, text string) {
		value, err := r.ParseStored(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, value)
	}
	add(entity.KeyAspect, string(key))
	for name, text := range aspects {
		add(name, text)
	}
	d, ok := NewSchema(r).Project(u, values)
	if !ok {
		t.Fatal("there is no document")
	}
	for _, list := range d.Values {
		slices.Sort(list)
	}
	return d
}

func TestProject(t *testing.T) {
	d := project(t, table, map[string]string{
		"datasetProperties":    `{"name":"Orders","description":"Every order","customProperties":{"b":"2","a":"1"},"created":{"time":5}}`,
		"ownership":            `{"owners":[{"owner":"urn:li:corpuser:ada","type":"DATAOWNER"},{"owner":"urn:li:corpuser:ada","type":"PRODUCER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}`,
		"globalTags":           `{"tags":[{"tag":"urn:li:tag:Hot"}]}`,
		"browsePaths":          `{"paths":["/prod/hive/shop/","/mine"]}`,
		"browsePathsV2":        `{"path":[{"id":"urn:li:container:c","urn":"urn:li:container:c"},{"id":"shop"}]}`,
		"status":               `{"removed":true}`,
		"deprecation":          `{"deprecated":true,"note":"","actor":"urn:li:corpuser:ada"}`,
		"dataPlatformInstance": `{"platform":"urn:li:dataPlatform:hive"}`,
		"upstreamLineage":      `{"upstreams":[{"dataset":"urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD)","type":"COPY"},{"dataset":"urn:li:dataset:(urn:li:dataPlatform:hive,b,PROD)","type":"COPY"}]}`,
	})
	want := map[string][]string{
		"urn": {table}, "_entityType": {"dataset"}, "removed": {"true"}, "deprecated": {"true"}, "id": {"shop.fctOrders"}, "name": {"Orders"}, "_entityName": {"Orders"},
		"description": {"Every order"}, "customProperties": {"a=1", "b=2"}, "createdAt": {"5"}, "origin": {"PROD"}, "platform": {"urn:li:dataPlatform:hive"},
		"owners": {"urn:li:corpuser:ada"}, "tags": {"urn:li:tag:Hot"}, "hasOwners": {"true"}, "hasTags": {"true"}, "hasDescription": {"true"}, "hasUpstreams": {"true"},
		"browsePaths": {"/mine", "/prod/hive/shop"}, "^browsePaths": {"", "/mine", "/prod", "/prod/hive", "/prod/hive/shop"},
		"browsePathV2": {"␟urn:li:container:c␟shop"}, "^browsePathV2": {"␟urn:li:container:c", "␟urn:li:container:c␟shop"},
		"upstreams":  {"urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD)", "urn:li:dataset:(urn:li:dataPlatform:hive,b,PROD)"},
		"^name":      {"fct order", "order", "shop fct order"},
		"ownerTypes": {"urn:li:ownershipType:__system__dataowner", "urn:li:ownershipType:__system__producer"},
		"ownerTypes.urn:li:ownershipType:__system__dataowner": {"urn:li:corpuser:ada"},
		"ownerTypes.urn:li:ownershipType:__system__producer":  {"urn:li:corpuser:ada"},
	}
	if diff := cmp.Diff(want, d.Values); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int64{"createdAt": 5}, d.Numbers); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if !d.Removed || d.Weight != 0.5 {
		t.Errorf("removed %t, weight %v", d.Removed, d.Weight)
	}
	if got := strings.Join(d.Text[TextName], "|"); !strings.Contains(got, "shop fct order") || !strings.Contains(got, "order") {
		t.Errorf("name text %q", got)
	}
	if body := strings.Join(d.Text[TextBody], "|"); !strings.Contains(body, "every order") || strings.Contains(body, "prod") {
		t.Errorf("body text %q: the description and not the environment", body)
	}
	if !slices.Contains(d.Text[TextMinor], "fctorder") {
		t.Errorf("minor text %q lacks the name in one piece", d.Text[TextMinor])
	}
}

// TestProjectOfKeyAlone: an entity without a named field gets its name from its URN.
func TestProjectOfKeyAlone(t *testing.T) {
	d := project(t, "urn:li:domain:marketing-1", nil)
	if diff := cmp.Diff([]string{"marketing 1"}, d.Values[FieldName]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := d.Completions[FieldURN]; !slices.Equal(got, []string{"marketing-1"}) {
		t.Errorf("completions %q", got)
	}
	if d.Removed || !slices.Equal(d.Values[FieldRemoved], []string{"false"}) {
		t.Errorf("removed: %v", d.Values[FieldRemoved])
	}
}

// TestProjectBounds: texts that are too long and values that are too many are left out.
func TestProjectBounds(t *testing.T) {
	long := strings.Repeat("x", maxText)
	d := project(t, table, map[string]string{"datasetProperties": `{"description":"` + long + `"}`})
	if len(d.Values["description"]) != 0 {
		t.Error("a text of 4096 bytes is indexed")
	}
	d = project(t, table, map[string]string{"datasetProperties": `{"description":"` + long[1:] + `"}`})
	if len(d.Values["description"]) != 1 {
		t.Error("a text of 4095 bytes is not indexed")
	}
	var owners []string
	for i := range maxArray + 10 {
		owners = append(owners, `{"owner":"urn:li:corpuser:u`+strings.Repeat("i", i%7)+string(rune('a'+i%26))+strings.Repeat("j", i)+`","type":"DATAOWNER"}`)
	}
	d = project(t, table, map[string]string{"ownership": `{"owners":[` + strings.Join(owners, ",") + `],"lastModified":{"time":0,"actor":"urn:li:corpuser:a"}}`})
	if len(d.Values["owners"]) != maxArray {
		t.Errorf("%d owners are indexed, want %d", len(d.Values["owners"]), maxArray)
	}
}

func TestSchema(t *testing.T) {
	s := NewSchema(model.Default())
	field := func(entityType, name string) *Field {
		t.Helper()
		f, ok := s.Field(entityType, name)
		if !ok {
			t.Fatalf("%s has no %s", entityType, name)
		}
		return f
	}
	if f := field("dataset", "tags"); f.Kind != KindURN || !f.Facet || f.DisplayName != "Tagged With" || !slices.Equal(f.Types, []string{"tag"}) {
		t.Errorf("tags: %+v", f)
	}
	if f := field("dataset", "owners"); !slices.Equal(f.Types, []string{"corpGroup", "corpuser"}) || f.Text {
		t.Errorf("owners: %+v", f)
	}
	if f := field("dataset", "id"); f.Class != TextName || !f.Completes || !f.Sortable() {
		t.Errorf("id: %+v", f)
	}
	if f := field("dataset", "createdAt"); f.Kind != KindNumber || !f.Sortable() || f.Text {
		t.Errorf("createdAt: %+v", f)
	}
	if f := field("dataset", "hasOwners"); f.Kind != KindBoolean || f.Default != "false" {
		t.Errorf("hasOwners: %+v", f)
	}
	if _, ok := s.Field("tag", "origin"); ok {
		t.Error("a tag has an origin")
	}
	if !slices.Contains(s.TimeSeries("dataset"), "datasetProfile") || !s.Fills("dataset", "datasetKey") || s.Fills("dataset", "embed") {
		t.Errorf("aspects that fill fields: %v", s.TimeSeries("dataset"))
	}
	if s.Fingerprint() != NewSchema(model.Default()).Fingerprint() {
		t.Error("the fingerprint changes from one time to the next")
	}
	custom, err := model.Load([]byte(`{"searchable":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Fingerprint() != NewSchema(custom).Fingerprint() {
		t.Error("an empty custom model changes the fingerprint")
	}
}

// TestSimplify: a simplified condition holds for the same documents.
func TestSimplify(t *testing.T) {
	docs := []Document{{}, {Values: map[string][]string{"a": {"1"}}}, {Values: map[string][]string{"a": {"2"}, "b": {"1"}}}}
	a, b := In{"a", []string{"1"}}, Exists{"b"}
	for _, e := range []Expr{
		And{},
		Or{},
		Not{And{}},
		Not{Or{}},
		And{nil, a},
		And{And{a, b}, Or{}},
		Or{a, And{}},
		Or{Or{a}, b},
		Not{Not{a}},
		Not{Not{Not{b}}},
		And{a, Not{Or{b, And{a, nil}}}},
		Or{Not{a}, Not{And{}}},
		And{Or{a, b}, Or{a}},
	} {
		for i := range docs {
			if got, want := Holds(Simplify(e), &docs[i]), Holds(e, &docs[i]); got != want {
				t.Errorf("%#v on document %d: simplified %t, want %t", e, i, got, want)
			}
		}
	}
}

// TestProjectOfDerivedFields checks the fields that annotations of the newest model add to
// a document.
func TestProjectOfDerivedFields(t *testing.T) {
	r := model.Default()
	u, _ := model.ParseURN(table)
	var values []*model.Value
	for name, text := range map[string]string{
		"datasetProperties": `{"name":"Orders"}`,
		"glossaryTerms":     `{"terms":[{"urn":"urn:li:glossaryTerm:a"}],"auditStamp":{"time":0,"actor":"urn:li:corpuser:a"}}`,
		"siblings":          `{"siblings":["urn:li:dataset:(urn:li:dataPlatform:dbt,a,PROD)"],"primary":true}`,
		"ownership": `{"owners":[{"owner":"urn:li:corpuser:ada","type":"CUSTOM","typeUrn":"urn:li:ownershipType:x"},{"owner":"urn:li:corpuser:bob","type":"CUSTOM","typeUrn":"urn:li:ownershipType:y"},
			{"owner":"urn:li:corpuser:ada","type":"CUSTOM","typeUrn":"urn:li:ownershipType:y"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:a"}}`,
		"structuredProperties": `{"properties":[{"propertyUrn":"urn:li:structuredProperty:io.acryl.days","values":[{"double":30.0},{"double":0.5}]},
			{"propertyUrn":"urn:li:structuredProperty:team","values":[{"string":"Data"}]}]}`,
	} {
		value, err := r.ParseStored(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		value.ModifiedOn = 77
		values = append(values, value)
	}
	s := NewSchema(r)
	d, _ := s.Project(u, values)
	for field, want := range map[string][]string{
		"_entityName": {"Orders"}, "termsModifiedAt": {"77"}, "hasSiblings": {"true"},
		"ownerTypes":                         {"urn:li:ownershipType:x", "urn:li:ownershipType:y"},
		"ownerTypes.urn:li:ownershipType:y":  {"urn:li:corpuser:bob", "urn:li:corpuser:ada"},
		"structuredProperties.io.acryl.days": {"30", "0.5"}, "structuredProperties.team": {"Data"},
	} {
		if diff := cmp.Diff(want, d.Values[field]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", field, diff)
		}
		if _, ok := s.Field("dataset", field); !ok {
			t.Errorf("%s is not a field", field)
		}
	}
	if d.Numbers["termsModifiedAt"] != 77 {
		t.Errorf("numbers: %v", d.Numbers)
	}
	if !slices.Contains(d.SortKeys, "_entityName") || !slices.Contains(d.Facets, "hasSiblings") {
		t.Errorf("sort keys %v, facets %v", d.SortKeys, d.Facets)
	}
	for _, name := range []string{"tags.x", "structuredProperties.", "structuredProperties"} {
		if _, ok := s.Field("dataset", name); ok {
			t.Errorf("%s is a field", name)
		}
	}
	if _, ok := s.Field("dataHubSecret", "structuredProperties.team"); ok {
		t.Error("secrets have structured properties")
	}
}
