package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
)

const stampText = `{"time":0,"actor":"urn:li:corpuser:a"}`

func TestParse(t *testing.T) {
	r := Default()
	field := func(inner string) string {
		return `{"schemaName":"s","platform":"urn:li:dataPlatform:x","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[{"fieldPath":"f","nativeDataType":"n","type":` + inner + `}]}`
	}
	for _, c := range []struct {
		name, aspect, text string
		// want is the normalised text, "" if the text stays unchanged. fault is part of the
		// expected error.
		want, fault string
	}{
		{"empty", "corpUserEditableInfo", `{}`, "", ""},
		{"spaces go", "status", ` { "removed" : true } `, `{"removed":true}`, ""},
		{"defaults may be left out", "datasetProperties", `{"description":"d"}`, "", ""},
		{"required", "status", `{}`, "", ""},
		{"required without default", "ownership", `{"owners":[{"owner":"urn:li:corpuser:a"}]}`, "", "ERROR :: /owners/0/type :: field is required but not found and has no default value"},
		{"every fault", "ownership", `{"owners":[{"owner":"urn:li:corpuser:a","x":1}]}`, "", "/owners/0/x :: unrecognized field found but not allowed\nERROR :: /owners/0/type"},
		{"unknown", "status", `{"removed":true,"more":{}}`, "", "/more :: unrecognized field"},
		{"null of an optional field", "datasetProperties", `{"description":null,"name":"n"}`, `{"name":"n"}`, ""},
		{"boolean as text", "status", `{"removed":"true"}`, "", "/removed"},
		{"number as text", "datasetProfile", `{"timestampMillis":"1"}`, "", "/timestampMillis"},
		{"number with a fraction", "datasetProfile", `{"timestampMillis":1.5}`, "", "/timestampMillis"},
		{"integer as a float", "datasetProfile", `{"timestampMillis":1e3}`, `{"timestampMillis":1000}`, ""},
		{"integer too large", "datasetProfile", `{"timestampMillis":9223372036854775808}`, "", "/timestampMillis"},
		{"map", "datasetProperties", `{"customProperties":{"a":1}}`, "", "/customProperties/a"},
		{"enum", "ownership", `{"owners":[{"owner":"urn:li:corpuser:a","type":"BOSS"}],"lastModified":` + stampText + `}`, "", "not an enum symbol"},
		{"union", "schemaMetadata", field(`{"type":{"com.linkedin.schema.StringType":{}}}`), "", ""},
		{"union of another dialect", "schemaMetadata", field(`{"type":{"com.example.schema.StringType":{}}}`), field(`{"type":{"com.linkedin.schema.StringType":{}}}`), ""},
		{"unknown member", "schemaMetadata", field(`{"type":{"com.linkedin.schema.Nothing":{}}}`), "", "not a member type"},
		{"two members", "schemaMetadata", field(`{"type":{"a":{},"b":{}}}`), "", "one member"},
		{
			"union of one, bare", "chartInfo", `{"title":"t","description":"","inputs":["urn:li:dataset:(urn:li:dataPlatform:x,a,PROD)"],"lastModified":{"created":` + stampText + `,"lastModified":` + stampText + `}}`,
			"inputs\":[{\"string\":\"urn:li:dataset", "",
		},
		{"no urn", "domains", `{"domains":["x"]}`, "", "/domains/0: invalid urn"},
		{"urn of the wrong type", "domains", `{"domains":["urn:li:tag:x"]}`, "", "/domains/0: invalid urn"},
		{"urn of the other dialect", "domains", `{"domains":["urn:example:domain:x"]}`, "", ""},
		{"urn of a wrong arity", "domains", `{"domains":["urn:li:domain:(a,b)"]}`, "", "/domains/0"},
		{"no object", "status", `[]`, "", "not a JSON object"},
		{"no JSON", "status", `{`, "", "not JSON"},
		{"more behind", "status", `{"removed":true}{}`, "", "more text"},
	} {
		v, err := r.Parse(LI(), c.aspect, []byte(c.text))
		switch {
		case c.fault != "":
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: got %v, want %q", c.name, err, c.fault)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want == "" && string(v.JSON) != c.text:
			t.Errorf("%s: became %s", c.name, v.JSON)
		case c.want != "" && !strings.Contains(string(v.JSON), c.want) && !jsontree.EqualText(v.JSON, []byte(c.want)):
			t.Errorf("%s: became %s, want %s", c.name, v.JSON, c.want)
		}
	}
}

func TestDialectSpelling(t *testing.T) {
	text := `{"schemaName":"s","platform":"urn:example:dataPlatform:x","version":0,"hash":"","platformSchema":{"com.linkedin.schema.KafkaSchema":{"documentSchema":""}},"fields":[]}`
	v, err := Default().Parse(Example(), "schemaMetadata", []byte(text))
	if err != nil || !strings.Contains(string(v.JSON), `"com.example.schema.StreamSchema"`) {
		t.Errorf("%s %v", v.JSON, err)
	}
	back, err := Default().Parse(LI(), "schemaMetadata", v.JSON)
	if err != nil || !strings.Contains(string(back.JSON), `"com.linkedin.schema.KafkaSchema"`) {
		t.Errorf("%s %v", back.JSON, err)
	}
	if a, ok := Default().AspectByRecord("com.example.common.Ownership"); !ok || a.Name != "ownership" {
		t.Error("a record of the other dialect is not found")
	}
	if _, ok := Default().AspectByRecord("org.other.common.Ownership"); ok {
		t.Error("a record of no dialect is found")
	}
}

func FuzzParseAspect(f *testing.F) {
	for _, seed := range []string{`{"removed":true}`, `{"owners":[],"lastModified":{"time":1,"actor":"urn:li:corpuser:a"}}`, `{"tags":[{"tag":"urn:li:tag:x"}]}`, `{"a":[[{}]]}`, `null`} {
		for _, aspect := range []string{"status", "ownership", "globalTags", "schemaMetadata", "upstreamLineage"} {
			f.Add(aspect, seed)
		}
	}
	f.Fuzz(func(t *testing.T, aspect, text string) {
		v, err := Default().Parse(LI(), aspect, []byte(text))
		if err != nil {
			return
		}
		reparsed, err := Default().Parse(LI(), aspect, v.JSON)
		if err != nil || !jsontree.EqualText(reparsed.JSON, v.JSON) {
			t.Fatalf("%s became %s: %v", text, v.JSON, err)
		}
		owner, _ := ParseURN("urn:li:dataset:(urn:li:dataPlatform:x,a,PROD)")
		Default().Edges(owner, v)
		Default().SearchFields("dataset", v)
		Default().NodeProperties("dataset", v)
	})
}

func BenchmarkParse(b *testing.B) {
	text := []byte(`{"name":"t","description":"` + strings.Repeat("text ", 360) + `","customProperties":{"team":"a","tier":"gold"},"tags":[]}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Default().Parse(LI(), "datasetProperties", text); err != nil {
			b.Fatal(err)
		}
	}
}

// patched parses a patch and applies it.
func patched(aspect string, current []byte, patch string, stamp Stamp) (json.RawMessage, error) {
	operations, err := ReadPatch([]byte(patch))
	if err != nil {
		return nil, err
	}
	return Default().Patch(aspect, current, operations, stamp, limits.MaxAspectBytes)
}

func TestPatch(t *testing.T) {
	stamp := Stamp{Time: 5, Actor: "urn:li:corpuser:a"}
	const encoded = "urn%3Ali%3Adataset%3A%28urn%3Ali%3AdataPlatform%3Ax%2Ca%2CPROD%29"
	for _, c := range []struct{ name, aspect, current, patch, want string }{
		{"absent", "globalTags", "", `[{"op":"add","path":"/tags/urn:li:tag:x","value":{"tag":"urn:li:tag:x"}}]`, `{"tags":[{"tag":"urn:li:tag:x"}]}`},
		{"order is kept", "globalTags", `{"tags":[{"tag":"b"},{"tag":"a"}]}`, `[{"op":"add","path":"/tags/0new","value":{"tag":"0new"}}]`, `{"tags":[{"tag":"b"},{"tag":"a"},{"tag":"0new"}]}`},
		{"remove ignores its value", "globalTags", `{"tags":[{"tag":"b"}]}`, `[{"op":"remove","path":"/tags/b","value":{}}]`, `{"tags":[]}`},
		{"owner by type", "ownership", `{"owners":[{"owner":"o","type":"A"},{"owner":"o","type":"B"}],"lastModified":{}}`, `[{"op":"remove","path":"/owners/o/A"}]`, `{"owners":[{"owner":"o","type":"B"}],"lastModified":{}}`},
		{"owner's parents are made", "ownership", "", `[{"op":"add","path":"/owners/o/A","value":{"owner":"o","type":"A"}}]`, `{"owners":[{"owner":"o","type":"A"}],"lastModified":{"time":5,"actor":"urn:li:corpuser:a"}}`},
		{"encoded token", "upstreamLineage", "", `[{"op":"add","path":"/upstreams/` + encoded + `","value":{"dataset":"d"}}]`, `{"upstreams":[{"dataset":"d"}],"fineGrainedLineages":[]}`},
		{"list of texts", "datasetProperties", `{"tags":["x","y"]}`, `[{"op":"remove","path":"/tags/x"}]`, `{"tags":["y"]}`},
		{"a list put there stays", "globalTags", "", `[{"op":"replace","path":"/tags","value":[{"tag":"z"}]}]`, `{"tags":[{"tag":"z"}]}`},
		{"custom property", "dataJobInfo", "", `[{"op":"add","path":"/customProperties/a","value":"b"}]`, `{"customProperties":{"a":"b"}}`},
		{"term", "glossaryTerms", `{"terms":[],"auditStamp":{}}`, `[{"op":"add","path":"/terms/t","value":{"urn":"t"}}]`, `{"terms":[{"urn":"t"}],"auditStamp":{}}`},
		{"job's edge", "dataJobInputOutput", `{"inputDatasetEdges":[{"destinationUrn":"a"}]}`, `[{"op":"remove","path":"/inputDatasetEdges/a"}]`, `{"inputDatasetEdges":[]}`},
		{"asset", "dataProductProperties", `{"assets":[]}`, `[{"op":"add","path":"/assets/a","value":{"destinationUrn":"a"}}]`, `{"assets":[{"destinationUrn":"a"}]}`},
		{"tag of a field", "editableSchemaMetadata", `{"editableSchemaFieldInfo":[{"fieldPath":"f","globalTags":{"tags":[]}}]}`, `[{"op":"add","path":"/editableSchemaFieldInfo/f/globalTags/tags/x","value":{"tag":"x"}}]`, `{"editableSchemaFieldInfo":[{"fieldPath":"f","globalTags":{"tags":[{"tag":"x"}]}}]}`},
		{"term of a field", "editableSchemaMetadata", `{"editableSchemaFieldInfo":[{"fieldPath":"f"}],"created":{},"lastModified":{}}`, `[{"op":"add","path":"/editableSchemaFieldInfo/f/glossaryTerms/terms/x","value":{"urn":"x"}}]`, `{"editableSchemaFieldInfo":[{"fieldPath":"f","glossaryTerms":{"terms":[{"urn":"x"}],"auditStamp":{"time":5,"actor":"urn:li:corpuser:a"}}}],"created":{},"lastModified":{}}`},
		{"term of a field that nothing is said of", "editableSchemaMetadata", `{"editableSchemaFieldInfo":[],"created":{},"lastModified":{}}`, `[{"op":"add","path":"/editableSchemaFieldInfo/a/glossaryTerms/terms/x","value":{"urn":"x"}}]`, `{"editableSchemaFieldInfo":[{"fieldPath":"a","glossaryTerms":{"terms":[{"urn":"x"}],"auditStamp":{"time":5,"actor":"urn:li:corpuser:a"}}}],"created":{},"lastModified":{}}`},
		{"a stamp stays", "glossaryTerms", `{"terms":[],"auditStamp":{"time":1,"actor":"b"}}`, `[{"op":"add","path":"/terms/t","value":{"urn":"t"}}]`, `{"terms":[{"urn":"t"}],"auditStamp":{"time":1,"actor":"b"}}`},
		{"flow", "dataFlowInfo", `{"name":"n","customProperties":{}}`, `[{"op":"replace","path":"/name","value":"m"}]`, `{"name":"m","customProperties":{}}`},
	} {
		var current []byte
		if c.current != "" {
			current = []byte(c.current)
		}
		got, err := patched(c.aspect, current, c.patch, stamp)
		if err != nil || !jsontree.EqualText(got, []byte(c.want)) {
			t.Errorf("%s: got %s %v, want %s", c.name, got, err, c.want)
		}
	}
	for name, patch := range map[string]string{
		"no list": `{}`, "missing target": `[{"op":"replace","path":"/tags/none","value":{}}]`, "a text as parent": `[{"op":"add","path":"/tags/x","value":"x"},{"op":"add","path":"/tags/x/y","value":1}]`,
		"no value": `[{"op":"add","path":"/tags/x"}]`, "no slash": `[{"op":"remove","path":"tags"}]`, "the value itself": `[{"op":"remove","path":""}]`,
		"more text": `[]]`, "unknown operation": `[{"op":"jump","path":"/tags"}]`, "a test": `[{"op":"test","path":"/tags","value":[]}]`, "a copy": `[{"op":"copy","from":"/tags","path":"/x"}]`, "a move": `[{"op":"move","from":"/tags","path":"/x"}]`, "not an object any more": `[{"op":"replace","path":"","value":1}]`,
	} {
		var fault *PatchError
		if got, err := patched("globalTags", nil, patch, stamp); !errors.As(err, &fault) {
			t.Errorf("%s: got %s %v", name, got, err)
		}
	}
	if _, err := patched("deprecation", nil, `[]`, stamp); !errors.Is(err, ErrNotPatchable) {
		t.Errorf("an aspect without template: %v", err)
	}
}

func FuzzPatch(f *testing.F) {
	f.Add("globalTags", `{"tags":[{"tag":"a"}]}`, `[{"op":"remove","path":"/tags/a"}]`)
	f.Add("ownership", `{"owners":[{"owner":"o","type":"A"}]}`, `[{"op":"add","path":"/owners/p/B","value":{}}]`)
	f.Add("editableSchemaMetadata", `{}`, `[{"op":"add","path":"/editableSchemaFieldInfo/f/globalTags/tags/a","value":{}}]`)
	f.Add("globalTags", `{"tags":[{"tag":"a","attribution":{"source":"s"}}]}`, `{"arrayPrimaryKeys":{"tags":["attribution␟source","tag"]},"patch":[{"op":"remove","path":"/tags/s"},{"op":"add","path":"/tags//b","value":{}}]}`)
	f.Add("status", `{"a":[{"b":[1]}]}`, `{"forceGenericPatch":true,"patch":[{"op":"add","path":"/a/0/b/-","value":2},{"op":"replace","path":"/a/0","value":[]}]}`)
	f.Add("upstreamLineage", `{"fineGrainedLineages":[{"downstreams":["d"],"upstreams":["u"]}]}`, `[{"op":"remove","path":"/fineGrainedLineages/NONE/d/NONE/u"},{"op":"add","path":"/fineGrainedLineages/X/d/q/v","value":{"confidenceScore":0.5}}]`)
	f.Fuzz(func(t *testing.T, aspect, current, patch string) {
		operations, err := ReadPatch([]byte(patch))
		if err != nil {
			return
		}
		first, err := Default().Patch(aspect, []byte(current), operations, Stamp{}, limits.MaxAspectBytes)
		if err != nil {
			return
		}
		// The same patch has the same result again, because the first result shares no memory
		// with the patch.
		second, err := Default().Patch(aspect, []byte(current), operations, Stamp{}, limits.MaxAspectBytes)
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s on %s: %s, and then %s %v", patch, current, first, second, err)
		}
	})
}
