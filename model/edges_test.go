package model

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func parsed(t *testing.T, aspect, text string) *Value {
	t.Helper()
	v, err := Default().Parse(LI(), aspect, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func owner(t *testing.T, text string) URN {
	t.Helper()
	u, err := ParseURN(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

const (
	datasetA = "urn:li:dataset:(urn:li:dataPlatform:x,a,PROD)"
	datasetB = "urn:li:dataset:(urn:li:dataPlatform:x,b,PROD)"
)

func TestEdges(t *testing.T) {
	column := func(dataset, name string) string { return "urn:li:schemaField:(" + dataset + "," + name + ")" }
	for _, c := range []struct {
		name, owner, aspect, text string
		want                      []string
	}{
		{
			"owners, each once", datasetA, "ownership", `{"owners":[{"owner":"urn:li:corpuser:a","type":"DATAOWNER"},{"owner":"urn:li:corpuser:a","type":"DEVELOPER"}],"lastModified":` + stampText + `}`,
			[]string{datasetA + " OwnedBy urn:li:corpuser:a"},
		},
		{
			"columns of lineage", datasetA, "upstreamLineage", `{"upstreams":[{"dataset":"` + datasetB + `","type":"COPY"}],"fineGrainedLineages":[
			{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["` + column(datasetB, "p") + `"]},
			{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["` + column(datasetB, "p") + `","` + column(datasetB, "q") + `"],"downstreams":["` + column(datasetA, "r") + `"],"confidenceScore":0.5}]}`,
			[]string{
				datasetA + " DownstreamOf " + datasetB, datasetA + " DownstreamOf " + column(datasetB, "p"), datasetA + " DownstreamOf " + column(datasetB, "q"),
				column(datasetA, "r") + " DownstreamOf " + column(datasetB, "p"), column(datasetA, "r") + " DownstreamOf " + column(datasetB, "q"),
			},
		},
		{
			"columns that are read without their values flowing", datasetA, "upstreamLineage", `{"upstreams":[],"fineGrainedLineages":[
			{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["` + column(datasetB, "p") + `"],"downstreams":["` + column(datasetA, "r") + `"],"transformOperation":"INDIRECT:JOIN,MASKED, indirect:filter"},
			{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["` + column(datasetB, "q") + `"],"downstreams":["` + column(datasetA, "r") + `"],"transformOperation":"DIRECT:IDENTITY,INDIRECT:FILTER"},
			{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["` + column(datasetB, "s") + `"],"downstreams":["` + column(datasetA, "r") + `"],"transformOperation":"INDIRECTLY"}]}`,
			[]string{
				datasetA + " DownstreamOf " + column(datasetB, "p"), datasetA + " DownstreamOf " + column(datasetB, "q"), datasetA + " DownstreamOf " + column(datasetB, "s"),
				column(datasetA, "r") + " IndirectlyDownstreamOf " + column(datasetB, "p"),
				column(datasetA, "r") + " DownstreamOf " + column(datasetB, "q"), column(datasetA, "r") + " DownstreamOf " + column(datasetB, "s"),
			},
		},
		{
			"whole datasets in the lineage of columns", datasetA, "upstreamLineage", `{"upstreams":[],"fineGrainedLineages":[
			{"upstreamType":"DATASET","downstreamType":"FIELD_SET","upstreams":["` + datasetB + `"]}]}`,
			nil,
		},
		{
			"tags of columns are not tags of the dataset", datasetA, "editableSchemaMetadata", `{"editableSchemaFieldInfo":[{"fieldPath":"f","globalTags":{"tags":[{"tag":"urn:li:tag:x"}]}}]}`,
			[]string{datasetA + " EditableSchemaFieldTaggedWith urn:li:tag:x"},
		},
		{
			"columns that a chart shows", "urn:li:chart:(looker,1)", "inputFields", `{"fields":[{"schemaFieldUrn":"` + column(datasetA, "f") + `","schemaField":{"fieldPath":"a(b,c)","nativeDataType":"n","type":{"type":{"com.linkedin.schema.StringType":{}}}}}]}`,
			[]string{"urn:li:chart:(looker,1) consumesField " + column(datasetA, "f"), "urn:li:schemaField:(urn:li:chart:(looker,1),a%28b%2Cc%29) DownstreamOf " + column(datasetA, "f")},
		},
		{
			"outputs", "urn:li:dataJob:(urn:li:dataFlow:(a,b,c),d)", "dataJobInputOutput", `{"inputDatasets":["` + datasetA + `"],"outputDatasets":["` + datasetB + `"]}`,
			[]string{"urn:li:dataJob:(urn:li:dataFlow:(a,b,c),d) Consumes " + datasetA, "urn:li:dataJob:(urn:li:dataFlow:(a,b,c),d) Produces " + datasetB},
		},
		{"nothing", datasetA, "status", `{"removed":true}`, nil},
	} {
		var got []string
		for _, e := range Default().Edges(owner(t, c.owner), parsed(t, c.aspect, c.text)) {
			got = append(got, e.Source+" "+e.Relationship+" "+e.Destination)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestEdgeAttributes(t *testing.T) {
	edges := Default().Edges(owner(t, datasetA), parsed(t, "upstreamLineage", `{"upstreams":[
		{"dataset":"`+datasetA+`","type":"COPY"},
		{"dataset":"`+datasetB+`","type":"COPY","created":{"time":3,"actor":"urn:li:corpuser:c"},"auditStamp":{"time":4,"actor":"urn:li:corpuser:u"},"properties":{"source":"UI"}}]}`))
	want := Edge{
		Source: datasetA, SourceType: "dataset", Relationship: "DownstreamOf", Destination: datasetB, DestinationType: "dataset",
		Path: "upstreams/*/dataset", CreatedOn: 3, CreatedActor: "urn:li:corpuser:c", UpdatedOn: 4, UpdatedActor: "urn:li:corpuser:u",
	}
	got := edges[1]
	if string(got.Properties) != `{"source":"UI"}` {
		t.Errorf("properties: %s", got.Properties)
	}
	got.Properties = nil
	if got.Source != want.Source || got.CreatedOn != want.CreatedOn || got.CreatedActor != want.CreatedActor ||
		got.UpdatedOn != want.UpdatedOn || got.UpdatedActor != want.UpdatedActor || got.Path != want.Path || got.DestinationType != want.DestinationType {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if edges[0].CreatedOn != 0 {
		t.Errorf("one upstream has the attributes of another: %+v", edges[0])
	}
}

func TestNodeProperties(t *testing.T) {
	r := Default()
	key, err := r.KeyValue(owner(t, datasetA))
	if err != nil {
		t.Fatal(err)
	}
	p := r.NodeProperties("dataset", parsed(t, "datasetKey", string(key)))
	if p["name"] != "a" || p["origin"] != "PROD" || p["platform"] != "urn:li:dataPlatform:x" {
		t.Errorf("key: %v", p)
	}
	p = r.NodeProperties("dataset", parsed(t, "datasetProperties", `{"name":"nice","description":"`+strings.Repeat("é", 600)+`"}`))
	if p["name"] != "nice" || len([]rune(p["description"].(string))) != maxPropertyRunes {
		t.Errorf("properties: %v", p)
	}
	p = r.NodeProperties("chart", parsed(t, "chartInfo", `{"title":"Orders","description":"","lastModified":{"created":`+stampText+`,"lastModified":`+stampText+`}}`))
	if p["name"] != "Orders" {
		t.Errorf("a title gives the name: %v", p)
	}
	if p := r.NodeProperties("dataset", parsed(t, "status", `{"removed":true}`)); p["removed"] != nil {
		t.Errorf("a reserved name: %v", p)
	}
}

func TestSearchFields(t *testing.T) {
	got := map[string][]any{}
	for _, v := range Default().SearchFields("dataset", parsed(t, "datasetProperties", `{"name":"n","customProperties":{"b":"2","a":"1"},"tags":[]}`)) {
		got[v.Field.Name] = v.Values
	}
	if !slices.Equal(got["name"], []any{"n"}) || !slices.Equal(got["customProperties"], []any{"a=1", "b=2"}) {
		t.Errorf("got %v", got)
	}
	if _, ok := got["description"]; !ok || len(got["description"]) != 0 {
		t.Errorf("a field without a value is not listed: %v", got)
	}
}

func TestTimeSeriesKey(t *testing.T) {
	key := func(text string) string {
		_, k, err := TimeSeriesKey(parsed(t, "datasetProfile", text))
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	same := key(`{"timestampMillis":5,"rowCount":1}`)
	if same != key(`{"rowCount":2,"timestampMillis":5}`) {
		t.Error("the same identity has two keys")
	}
	for _, other := range []string{
		`{"timestampMillis":6}`, `{"timestampMillis":5,"eventGranularity":{"unit":"DAY"}}`,
		`{"timestampMillis":5,"partitionSpec":{"type":"PARTITION","partition":"p"}}`, `{"timestampMillis":5,"messageId":"m"}`,
	} {
		if key(other) == same {
			t.Errorf("%s has the key of another value", other)
		}
	}
}

// TestCustomModel loads the example of the documentation.
func TestCustomModel(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "custom-models.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "<!-- tested by TestCustomModel -->\n```json\n")
	text, _, _ := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("the page has no example")
	}
	r, err := Load([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	v, err := r.Parse(LI(), "robotInfo", []byte(`{"name":"R2","reads":["`+datasetA+`"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if edges := r.Edges(owner(t, "urn:li:robot:1"), v); len(edges) != 1 || edges[0].Relationship != "Reads" || !v.Aspect.HasLineage() {
		t.Errorf("edges: %+v", edges)
	}
	if e, _ := r.Entity("DATASET"); !e.Has("freshness") || !slices.Contains(r.RelationshipNames(), "Reads") {
		t.Error("the dataset has no new aspect")
	}
	if fields := r.aspects["robotInfo"].search; len(fields) != 1 || !fields[0].QueryByDefault {
		t.Errorf("the name of a robot is not searched: %+v", fields)
	}
	if _, ok := Default().Entity("robot"); ok {
		t.Error("the built-in model has changed")
	}
	for name, bad := range map[string]string{
		"unknown member": `{"things":[]}`, "not JSON": `{`, "aspect twice": `{"aspects":[{"name":"status","record":"<prefix>.common.Status","kind":"versioned"}]}`,
		"aspect without record": `{"aspects":[{"name":"x","record":"<prefix>.x.Y","kind":"versioned"}]}`,
		"record twice":          `{"records":[{"name":"<prefix>.common.Status","kind":"record","fields":[]}]}`,
		"unknown type":          `{"records":[{"name":"<prefix>.x.Y","kind":"record","fields":[{"name":"a","type":"Nothing"}]}]}`,
		"entity without key":    `{"entities":[{"name":"x","aspects":[]}]}`,
		"another key":           `{"entities":[{"name":"dataset","keyAspect":"tagKey","aspects":[]}]}`,
		"relationship":          `{"relationships":[{"relationship":"A","aspect":"nothing","fieldPath":"x"}]}`,
		"relationship's name":   `{"relationships":[{"relationship":"A` + "`" + `","aspect":"status","fieldPath":"x"}]}`,
		"relationship's letter": `{"relationships":[{"relationship":"\u212a","aspect":"status","fieldPath":"x"}]}`, // the Kelvin sign, whose lower case is k
		"relationship's brace":  `{"relationships":[{"relationship":"A { }","aspect":"status","fieldPath":"x"}]}`,
		"entity's name":         `{"entities":[{"name":"a {} node","keyAspect":"tagKey","keyRecord":"<prefix>.metadata.key.TagKey","aspects":[]}]}`,
	} {
		if _, err := Load([]byte(bad)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
