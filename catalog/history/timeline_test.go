package history_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// aSchema returns a schemaMetadata with columns and further members.
func aSchema(more string, columns ...string) string {
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.Schemaless":{}}` +
		more + `,"fields":[` + strings.Join(columns, ",") + `]}`
}

// aColumn returns a column with a type and further members.
func aColumn(path, native string, more ...string) string {
	column := fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":%q,"type":{"type":{"com.linkedin.schema.StringType":{}}}`, path, native)
	return strings.Join(append([]string{column}, more...), ",") + "}"
}

func described(text string) string { return fmt.Sprintf(`"description":%q`, text) }

// editedColumn returns an editableSchemaMetadata with one column.
func editedColumn(path string, more ...string) string {
	return fmt.Sprintf(`{"editableSchemaFieldInfo":[{"fieldPath":%q`, path) + "," + strings.Join(more, ",") + `}]}`
}

func links(pairs ...string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, fmt.Sprintf(`{"url":%q,"description":%q,"createStamp":%s}`, pairs[i], pairs[i+1], catalogtest.Stamp))
	}
	return `{"elements":[` + strings.Join(list, ",") + `]}`
}

// owned returns an ownership. Each owner is a name with a kind and, if it has one, the URN of a
// custom type.
func owned(owners ...string) string {
	var list []string
	for _, owner := range owners {
		name, kind, _ := strings.Cut(owner, " ")
		kind, own, custom := strings.Cut(kind, " ")
		member := fmt.Sprintf(`{"owner":"urn:li:corpuser:%s","type":%q`, name, kind)
		if custom {
			member += fmt.Sprintf(`,"typeUrn":"urn:li:ownershipType:%s"`, own)
		}
		list = append(list, member+"}")
	}
	return `{"owners":[` + strings.Join(list, ",") + `]}`
}

func termsOf(names ...string) string {
	var list []string
	for _, name := range names {
		list = append(list, `{"urn":"urn:li:glossaryTerm:`+name+`"}`)
	}
	return `{"terms":[` + strings.Join(list, ",") + `],"auditStamp":` + catalogtest.Stamp + `}`
}

func tagsOf(names ...string) string {
	var list []string
	for _, name := range names {
		list = append(list, `{"tag":"urn:li:tag:`+name+`"}`)
	}
	return `{"tags":[` + strings.Join(list, ",") + `]}`
}

// nest is the beginning of the paths of nested columns in the reference's examples of
// timelines.
const nest = "[version=2.0].[type=struct].[type=struct].service.[type=struct].provider."

// timelineRules are the rows of the tables in docs/timeline.md: a value of an aspect, the next
// value, and the resulting events as operation, change, modifier and words.
var timelineRules = []struct {
	name, urn, aspect, category string
	before, after               string
	want                        []string
}{
	{
		"column added", catalogtest.Table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int")), aSchema("", aColumn("a", "int"), aColumn("b", "int")),
		[]string{"ADD MINOR " + catalogtest.ColumnOf(catalogtest.Table, "b") + " Column b was added"},
	},
	{
		"column removed", catalogtest.Table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int"), aColumn("b", "int")), aSchema("", aColumn("a", "int")),
		[]string{"REMOVE MAJOR " + catalogtest.ColumnOf(catalogtest.Table, "b") + " Column b was removed"},
	},
	{
		"type changed", catalogtest.Table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int"), aColumn("b", "int"), aColumn("c", "int")),
		aSchema("", aColumn("a", "bigint"), aColumn("b", "text"), aColumn("c", "int")),
		[]string{
			"MODIFY MAJOR " + catalogtest.ColumnOf(catalogtest.Table, "a") + " The type of column a was changed from 'int' to 'bigint'",
			"MODIFY MAJOR " + catalogtest.ColumnOf(catalogtest.Table, "b") + " The type of column b was changed from 'int' to 'text'",
		},
	},
	{
		"column renamed", catalogtest.Table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int", described("the key"))), aSchema("", aColumn("z", "int", described("the key"))),
		[]string{"MODIFY MINOR " + catalogtest.ColumnOf(catalogtest.Table, "a") + " Column a was renamed to z"},
	},
	{
		"renamed without a description", catalogtest.Table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int")), aSchema("", aColumn("z", "int")),
		[]string{"REMOVE MAJOR " + catalogtest.ColumnOf(catalogtest.Table, "a") + " Column a was removed", "ADD MINOR " + catalogtest.ColumnOf(catalogtest.Table, "z") + " Column z was added"},
	},
	{
		"renamed with another type", catalogtest.Table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int", described("k"))), aSchema("", aColumn("z", "text", described("k"))),
		[]string{"REMOVE MAJOR " + catalogtest.ColumnOf(catalogtest.Table, "a") + " Column a was removed", "ADD MINOR " + catalogtest.ColumnOf(catalogtest.Table, "z") + " Column z was added"},
	},
	{
		"renamed into another parent", catalogtest.Table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("p.a", "int", described("k"))), aSchema("", aColumn("q.a", "int", described("k"))),
		[]string{"REMOVE MAJOR " + catalogtest.ColumnOf(catalogtest.Table, "p.a") + " Column p.a was removed", "ADD MINOR " + catalogtest.ColumnOf(catalogtest.Table, "q.a") + " Column q.a was added"},
	},
	{
		"one renamed beside a copy", catalogtest.Table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int", described("k")), aColumn("b", "int", described("k"))),
		aSchema("", aColumn("b", "int", described("k")), aColumn("c", "int", described("k"))),
		[]string{"MODIFY MINOR " + catalogtest.ColumnOf(catalogtest.Table, "a") + " Column a was renamed to c"},
	},
	{
		"the reference's changed columns", catalogtest.Table, "schemaMetadata", "TECHNICAL_SCHEMA",
		aSchema("", aColumn("property_id", "int"), aColumn(nest+"[type=string].name", "varchar(50)", described("Service provider name")), aColumn(nest+"[type=int].id", "tinyint", described("Service provider id"))),
		aSchema("", aColumn("property_id", "int"), aColumn(nest+"[type=int].id3", "tinyint", described("Service provider name")), aColumn(nest+"[type=int].id2", "tinyint", described("Service provider id"))),
		[]string{
			"MODIFY MINOR " + catalogtest.ColumnOf(catalogtest.Table, nest+"[type=int].id") + " Column service.provider.id was renamed to service.provider.id2",
			"ADD MINOR " + catalogtest.ColumnOf(catalogtest.Table, nest+"[type=int].id3") + " Column service.provider.id3 was added",
			"REMOVE MAJOR " + catalogtest.ColumnOf(catalogtest.Table, nest+"[type=string].name") + " Column service.provider.name was removed",
		},
	},
	{"nullability", catalogtest.Table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int")), aSchema("", aColumn("a", "int", `"nullable":true`)), nil},
	{"description is no schema", catalogtest.Table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int")), aSchema("", aColumn("a", "int", described("x"))), nil},
	{"order", catalogtest.Table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int"), aColumn("b", "int")), aSchema("", aColumn("b", "int"), aColumn("a", "int")), nil},
	{
		"primary key", catalogtest.Table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema(`,"primaryKeys":["a"]`, aColumn("a", "int"), aColumn("b", "int")),
		aSchema(`,"primaryKeys":["b"]`, aColumn("a", "int"), aColumn("b", "int")),
		[]string{
			"MODIFY MAJOR " + catalogtest.ColumnOf(catalogtest.Table, "a") + " Column a is not part of the primary key any more",
			"MODIFY MAJOR " + catalogtest.ColumnOf(catalogtest.Table, "b") + " Column b was made part of the primary key",
		},
	},
	{
		"description of the entity", catalogtest.Table, "datasetProperties", "DOCUMENTATION", `{"description":"one"}`, `{"description":"two"}`,
		[]string{"MODIFY MINOR " + catalogtest.Table + " The description in datasetProperties was changed from 'one' to 'two'"},
	},
	{
		"description of the entity gone", catalogtest.Table, "datasetProperties", "DOCUMENTATION", `{"description":"one"}`, `{"name":"n"}`,
		[]string{"REMOVE MINOR " + catalogtest.Table + " The description in datasetProperties was removed: 'one'"},
	},
	{
		"long description", catalogtest.Table, "editableDatasetProperties", "DOCUMENTATION", `{"created":` + catalogtest.Stamp + `,"lastModified":` + catalogtest.Stamp + `}`,
		`{"created":` + catalogtest.Stamp + `,"lastModified":` + catalogtest.Stamp + `,"description":"` + strings.Repeat("é", 201) + `"}`,
		[]string{"ADD MINOR " + catalogtest.Table + " The description in editableDatasetProperties was added: '" + strings.Repeat("é", 199) + "…'"},
	},
	{
		"definition", "urn:li:glossaryTerm:t", "glossaryTermInfo", "DOCUMENTATION", `{"definition":"one","termSource":"INTERNAL"}`, `{"definition":"two","termSource":"INTERNAL"}`,
		[]string{"MODIFY MINOR urn:li:glossaryTerm:t The definition in glossaryTermInfo was changed from 'one' to 'two'"},
	},
	{
		"description of a column", catalogtest.Table, "schemaMetadata", "DOCUMENTATION", aSchema("", aColumn("a", "int"), aColumn("b", "int", described("b")), aColumn("c", "int", described("c"))),
		aSchema("", aColumn("a", "int", described("x")), aColumn("b", "int", described("y")), aColumn("c", "int")),
		[]string{
			"ADD MINOR " + catalogtest.ColumnOf(catalogtest.Table, "a") + " The description of column a in schemaMetadata was added: 'x'",
			"MODIFY PATCH " + catalogtest.ColumnOf(catalogtest.Table, "b") + " The description of column b in schemaMetadata was changed from 'b' to 'y'",
			"REMOVE MINOR " + catalogtest.ColumnOf(catalogtest.Table, "c") + " The description of column c in schemaMetadata was removed: 'c'",
		},
	},
	{
		"description of a renamed column", catalogtest.Table, "schemaMetadata", "DOCUMENTATION", aSchema("", aColumn("a", "int", described("k"))), aSchema("", aColumn("z", "int", described("k"))), nil,
	},
	{
		"description of a removed column", catalogtest.Table, "schemaMetadata", "DOCUMENTATION", aSchema("", aColumn("a", "int", described("k")), aColumn("b", "int")), aSchema("", aColumn("b", "int")),
		[]string{"REMOVE MINOR " + catalogtest.ColumnOf(catalogtest.Table, "a") + " The description of column a in schemaMetadata was removed: 'k'"},
	},
	{
		"edited description of a column", catalogtest.Table, "editableSchemaMetadata", "DOCUMENTATION", editedColumn("a", described("x")), editedColumn("a", described("y")),
		[]string{"MODIFY PATCH " + catalogtest.ColumnOf(catalogtest.Table, "a") + " The description of column a in editableSchemaMetadata was changed from 'x' to 'y'"},
	},
	{
		"link with another label", catalogtest.Table, "institutionalMemory", "DOCUMENTATION", links("https://a", "A"), links("https://a", "B"),
		[]string{"MODIFY PATCH https://a Link https://a was changed from 'A' to 'B'"},
	},
	{
		"the reference's changed links", catalogtest.Table, "institutionalMemory", "DOCUMENTATION", links("https://www.linkedin.com", "Sample doc", "https://www.google.com", "Google"),
		links("https://datahubproject.io/docs", "Docs", "https://datahubproject.io/docs", "Docs", "https://www.google.com", "Google"),
		[]string{
			"ADD MINOR https://datahubproject.io/docs Link https://datahubproject.io/docs was added: 'Docs'",
			"ADD MINOR https://datahubproject.io/docs Link https://datahubproject.io/docs was added: 'Docs'",
			"REMOVE MINOR https://www.linkedin.com Link https://www.linkedin.com was removed: 'Sample doc'",
		},
	},
	{
		"one of two equal links with another label", catalogtest.Table, "institutionalMemory", "DOCUMENTATION", links("https://a", "A", "https://a", "A"), links("https://a", "B", "https://a", "A"),
		[]string{"MODIFY PATCH https://a Link https://a was changed from 'A' to 'B'"},
	},
	{
		"tag", catalogtest.Table, "globalTags", "TAG", tagsOf("a", "b"), tagsOf("b", "c"),
		[]string{"REMOVE MINOR urn:li:tag:a Tag urn:li:tag:a was removed", "ADD MINOR urn:li:tag:c Tag urn:li:tag:c was added"},
	},
	{
		"tag of a column", catalogtest.Table, "schemaMetadata", "TAG", aSchema("", aColumn("a", "int")), aSchema("", aColumn("a", "int", `"globalTags":`+tagsOf("t"))),
		[]string{"ADD MINOR urn:li:tag:t Tag urn:li:tag:t was added, column a"},
	},
	{
		"tag of a renamed column", catalogtest.Table, "schemaMetadata", "TAG", aSchema("", aColumn("a", "int", described("k"), `"globalTags":`+tagsOf("t"))),
		aSchema("", aColumn("z", "int", described("k"), `"globalTags":`+tagsOf("t"))), nil,
	},
	{
		"edited tag of a column", catalogtest.Table, "editableSchemaMetadata", "TAG", editedColumn("a", `"globalTags":`+tagsOf("t")), editedColumn("a", described("x")),
		[]string{"REMOVE MINOR urn:li:tag:t Tag urn:li:tag:t was removed, column a"},
	},
	{
		"term", catalogtest.Table, "glossaryTerms", "GLOSSARY_TERM", termsOf("a"), termsOf("b"),
		[]string{"REMOVE MINOR urn:li:glossaryTerm:a Glossary term urn:li:glossaryTerm:a was removed", "ADD MINOR urn:li:glossaryTerm:b Glossary term urn:li:glossaryTerm:b was added"},
	},
	{
		"related terms", "urn:li:glossaryTerm:t", "glossaryRelatedTerms", "GLOSSARY_TERM", `{"isRelatedTerms":["urn:li:glossaryTerm:a"],"hasRelatedTerms":["urn:li:glossaryTerm:b"]}`, `{"isRelatedTerms":["urn:li:glossaryTerm:b"],"hasRelatedTerms":["urn:li:glossaryTerm:b"]}`,
		[]string{"REMOVE MINOR urn:li:glossaryTerm:a Is-a term urn:li:glossaryTerm:a was removed", "ADD MINOR urn:li:glossaryTerm:b Is-a term urn:li:glossaryTerm:b was added"},
	},
	{
		"edited term of a column", catalogtest.Table, "editableSchemaMetadata", "GLOSSARY_TERM", editedColumn("a", described("x")), editedColumn("a", described("x"), `"glossaryTerms":`+termsOf("t")),
		[]string{"ADD MINOR urn:li:glossaryTerm:t Glossary term urn:li:glossaryTerm:t was added, column a"},
	},
	{
		"owner", catalogtest.Table, "ownership", "OWNER", owned("ada TECHNICAL_OWNER"), owned("bob BUSINESS_OWNER"),
		[]string{
			"REMOVE MINOR urn:li:corpuser:ada Owner urn:li:corpuser:ada (TECHNICAL_OWNER) was removed",
			"ADD MINOR urn:li:corpuser:bob Owner urn:li:corpuser:bob (BUSINESS_OWNER) was added",
		},
	},
	{
		"type of an owner", catalogtest.Table, "ownership", "OWNER", owned("ada TECHNICAL_OWNER"), owned("ada BUSINESS_OWNER"),
		[]string{"MODIFY PATCH BUSINESS_OWNER The ownership type of urn:li:corpuser:ada was changed from 'TECHNICAL_OWNER' to 'BUSINESS_OWNER'"},
	},
	{
		"own type of an owner", catalogtest.Table, "ownership", "OWNER", owned("ada CUSTOM x"), owned("ada CUSTOM y"),
		[]string{"MODIFY PATCH urn:li:ownershipType:y The ownership type of urn:li:corpuser:ada was changed from 'urn:li:ownershipType:x' to 'urn:li:ownershipType:y'"},
	},
	{
		"second type of an owner", catalogtest.Table, "ownership", "OWNER", owned("ada TECHNICAL_OWNER"), owned("ada BUSINESS_OWNER", "ada TECHNICAL_OWNER"),
		[]string{"ADD MINOR urn:li:corpuser:ada Owner urn:li:corpuser:ada (BUSINESS_OWNER) was added"},
	},
	{
		"domain", catalogtest.Table, "domains", "DOMAIN", `{"domains":["urn:li:domain:a"]}`, `{"domains":["urn:li:domain:b"]}`,
		[]string{"REMOVE MINOR urn:li:domain:a Domain urn:li:domain:a was removed", "ADD MINOR urn:li:domain:b Domain urn:li:domain:b was added"},
	},
	{
		"deprecated", catalogtest.Table, "deprecation", "DEPRECATION", `{"deprecated":false,"note":"","actor":"` + catalogtest.Ada + `"}`, `{"deprecated":true,"note":"old","actor":"` + catalogtest.Ada + `"}`,
		[]string{"MODIFY MINOR " + catalogtest.Table + " The entity was deprecated: 'old'"},
	},
	{
		"deprecated no more", catalogtest.Table, "deprecation", "DEPRECATION", `{"deprecated":true,"note":"old","actor":"` + catalogtest.Ada + `"}`, `{"deprecated":false,"note":"","actor":"` + catalogtest.Ada + `"}`,
		[]string{"MODIFY MINOR " + catalogtest.Table + " The entity is not deprecated any more"},
	},
	{
		"note of a deprecation", catalogtest.Table, "deprecation", "DEPRECATION", `{"deprecated":true,"note":"old","actor":"` + catalogtest.Ada + `"}`, `{"deprecated":true,"note":"older","actor":"` + catalogtest.Ada + `"}`,
		[]string{"MODIFY MINOR " + catalogtest.Table + " The note of the deprecation was changed from 'old' to 'older'"},
	},
	{
		"lineage", catalogtest.Table, "upstreamLineage", "LINEAGE", `{"upstreams":[{"dataset":"` + catalogtest.Upstream + `","type":"COPY"}]}`, `{"upstreams":[]}`,
		[]string{"REMOVE MINOR " + catalogtest.Upstream + " Upstream " + catalogtest.Upstream + " was removed"},
	},
	{
		"structured properties", catalogtest.Table, "structuredProperties", "STRUCTURED_PROPERTY", propertiesOf("tier", `{"string":"gold"}`, "days", `{"double":30}`),
		propertiesOf("tier", `{"string":"silver"},{"string":"bronze"}`, "team", `{"string":"sales"}`),
		[]string{
			"REMOVE MINOR urn:li:structuredProperty:days Structured property urn:li:structuredProperty:days was removed: '30'",
			"ADD MINOR urn:li:structuredProperty:team Structured property urn:li:structuredProperty:team was added: 'sales'",
			"MODIFY MINOR urn:li:structuredProperty:tier Structured property urn:li:structuredProperty:tier was changed from 'gold' to 'silver, bronze'",
		},
	},
	{
		"applications", catalogtest.Table, "applications", "APPLICATION", `{"applications":["urn:li:application:shop"]}`, `{"applications":["urn:li:application:till"]}`,
		[]string{
			"REMOVE MINOR urn:li:application:shop Application urn:li:application:shop was removed",
			"ADD MINOR urn:li:application:till Application urn:li:application:till was added",
		},
	},
	{
		"assets of a data product", "urn:li:dataProduct:db.Orders", "dataProductProperties", "ASSET_MEMBERSHIP",
		`{"name":"Sales","assets":[{"destinationUrn":"` + catalogtest.Upstream + `"}]}`, `{"name":"All sales","assets":[]}`,
		[]string{"REMOVE MINOR " + catalogtest.Upstream + " Asset " + catalogtest.Upstream + " was removed"},
	},
	{
		"a version of a version set", catalogtest.Table, "versionProperties", "VERSIONING", versionOf("v1", true), versionOf("v2", false),
		[]string{"MODIFY MINOR " + ofVersions + " The version in " + ofVersions + " was changed from 'v1' to 'v2'"},
	},
}

// propertiesOf returns structured properties, each with its values.
func propertiesOf(pairs ...string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, `{"propertyUrn":"urn:li:structuredProperty:`+pairs[i]+`","values":[`+pairs[i+1]+`]}`)
	}
	return `{"properties":[` + strings.Join(list, ",") + `]}`
}

const ofVersions = "urn:li:versionSet:(orders,dataset)"

// versionOf returns a version of a version set.
func versionOf(tag string, latest bool) string {
	return fmt.Sprintf(`{"versionSet":%q,"version":{"versionTag":%q},"sortId":"a","isLatest":%t}`, ofVersions, tag, latest)
}

// TestTimelineRules: each change of an aspect has the documented events.
func TestTimelineRules(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for name, kind := range map[string]string{"tier": "string", "team": "string", "days": "number"} {
		h.Run("define", "urn:li:structuredProperty:"+name, "propertyDefinition",
			fmt.Sprintf(`{"qualifiedName":%q,"valueType":"urn:li:dataType:datahub.%s","entityTypes":["urn:li:entityType:datahub.dataset"],"cardinality":"MULTIPLE"}`, name, kind))
	}
	seen := map[string]bool{}
	for i, c := range timelineRules {
		t.Run(c.name, func(t *testing.T) {
			own := func(text string) string { // own gives each case an entity of its own
				return strings.ReplaceAll(text, "db.Orders", fmt.Sprintf("db.t%d", i))
			}
			urn := own(c.urn)
			h.Run("first", urn, c.aspect, c.before)
			catalogtest.Past(t)
			h.Run("second", urn, c.aspect, c.after)
			found, err := h.History.Timeline(context.Background(), history.TimelineRequest{URN: catalogtest.URN(urn), Categories: []string{c.category}})
			h.Want("", err)
			var got []string
			if len(found) > 0 {
				for _, e := range found[len(found)-1].ChangeEvents {
					if found[len(found)-1].VersionStamp == c.aspect+":0" { // if the newest transaction is not this version, the change has no event
						got = append(got, strings.Join([]string{e.Operation, e.SemVerChange, e.Modifier, e.Description}, " "))
						seen[c.category] = true
					}
				}
			}
			var want []string
			for _, line := range c.want {
				want = append(want, own(line))
			}
			if !slices.Equal(got, want) {
				t.Errorf("\n got %q\nwant %q", got, want)
			}
		})
	}
	for _, name := range history.TimelineCategories() {
		if !seen[name] {
			t.Errorf("no rule of %s is tested", name)
		}
	}
}

// TestTimelineOfTheFormerLatest: a version that is no longer the latest of its set has a new
// value and no event.
func TestTimelineOfTheFormerLatest(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Run("first", catalogtest.Table, "versionProperties", versionOf("v1", true))
	catalogtest.Past(t)
	later := strings.Replace(versionOf("v2", true), `"sortId":"a"`, `"sortId":"b"`, 1)
	h.Run("second", catalogtest.Upstream, "versionProperties", later)
	former, err := h.Aspect(context.Background(), catalogtest.URN(catalogtest.Table), "versionProperties", graphstore.LatestVersion)
	h.Want("", err)
	if !strings.Contains(string(former.Value), `"isLatest":false`) {
		t.Errorf("the former latest: %s", former.Value)
	}
	found, err := h.History.Timeline(context.Background(), history.TimelineRequest{URN: catalogtest.URN(catalogtest.Table), Categories: []string{"VERSIONING"}})
	h.Want("", err)
	var got []string
	for i := range found {
		for _, e := range found[i].ChangeEvents {
			got = append(got, found[i].VersionStamp+" "+e.Operation)
		}
	}
	if !slices.Equal(got, []string{"versionProperties:1 ADD"}) {
		t.Errorf("events: %q", got)
	}
}

// TestTimelineParameters checks the parameters of events.
func TestTimelineParameters(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Put("", write.Upsert, catalogtest.Table, "schemaMetadata", aSchema("", aColumn("a", "int", `"nullable":true`, `"globalTags":`+tagsOf("t"))))
	h.Put("", write.Upsert, catalogtest.Table, "ownership", owned("ada CUSTOM x"))
	for category, want := range map[string]string{
		"TECHNICAL_SCHEMA": `{"fieldPath":"a","fieldUrn":"` + catalogtest.ColumnOf(catalogtest.Table, "a") + `","nativeDataType":"int","nullable":true}`,
		"TAG":              `{"fieldPath":"a","parentUrn":"` + catalogtest.Table + `","tagUrn":"urn:li:tag:t"}`,
		"OWNER":            `{"ownerType":"CUSTOM","ownerTypeUrn":"urn:li:ownershipType:x","ownerUrn":"` + catalogtest.Ada + `"}`,
	} {
		found, err := h.History.Timeline(context.Background(), history.TimelineRequest{URN: catalogtest.URN(catalogtest.Table), Categories: []string{category}})
		h.Want("", err)
		if len(found) != 1 || len(found[0].ChangeEvents) != 1 {
			t.Fatalf("%s: %s", category, catalogtest.MustJSON(t, found))
		}
		if got := catalogtest.MustJSON(t, found[0].ChangeEvents[0].Parameters); got != want {
			t.Errorf("%s: %s, wanted %s", category, got, want)
		}
	}
}

// TestTimelineNumbers checks the parts of version numbers, and categories without events.
func TestTimelineNumbers(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Put("", write.Upsert, catalogtest.Table, "schemaMetadata", aSchema("", aColumn("a", "int"))) // the first version has no description
	catalogtest.Past(t)
	h.Put("", write.Upsert, catalogtest.Table, "schemaMetadata", aSchema("", aColumn("a", "int", described("x"))))
	catalogtest.Past(t)
	h.Put("", write.Upsert, catalogtest.Table, "schemaMetadata", aSchema("", aColumn("a", "int", described("y"))))
	catalogtest.Past(t)
	h.Put("", write.Upsert, catalogtest.Table, "schemaMetadata", aSchema("", aColumn("a", "text", described("z"))))
	catalogtest.Past(t)
	numbers := func(categories ...string) string {
		t.Helper()
		found, err := h.History.Timeline(context.Background(), history.TimelineRequest{URN: catalogtest.URN(catalogtest.Table), Categories: categories})
		h.Want("", err)
		var list []string
		for i := range found {
			list = append(list, found[i].SemVer+" "+found[i].SemVerChange)
		}
		return strings.Join(list, ", ")
	}
	for _, c := range []struct{ category, want string }{
		{"DOCUMENTATION", "0.1.0-computed MINOR, 0.1.1-computed PATCH, 0.1.2-computed PATCH"},
		{"technical_schema", "0.0.0-computed MINOR, 1.0.0-computed MAJOR"},
		{"LIFECYCLE", ""},
		{"RUN", ""},
	} {
		if got := numbers(c.category); got != c.want {
			t.Errorf("%s: %s, wanted %s", c.category, got, c.want)
		}
	}
	if got := numbers("DOCUMENTATION", "TECHNICAL_SCHEMA", "RUN"); got != "0.0.0-computed MINOR, 0.1.0-computed MINOR, 0.1.1-computed PATCH, 1.0.0-computed MAJOR" {
		t.Errorf("two together: %s", got)
	}
}

// told returns a timeline as text, one line for each event.
func told(h *catalogtest.Harness, urn string, categories ...string) []string {
	h.T.Helper()
	found, err := h.History.Timeline(context.Background(), history.TimelineRequest{URN: catalogtest.URN(urn), Categories: categories})
	h.Want("", err)
	list := []string{}
	for _, tx := range found {
		for _, e := range tx.ChangeEvents {
			list = append(list, strings.TrimSuffix(tx.SemVer, "-computed")+" "+e.Operation+" "+e.Description)
		}
	}
	return list
}

func tells(h *catalogtest.Harness, what string, got, want []string) {
	h.T.Helper()
	if !slices.Equal(got, want) {
		h.T.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// TestTimelineOfARollback: on both stores, a timeline has the changes of a run that was rolled
// back, and marks these changes as rolled back.
func TestTimelineOfARollback(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		f := &catalogtest.Faulty{Store: store}
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now}), T: t, Store: f}
		defer func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}()
		const dropped = "urn:li:dataset:(urn:li:dataPlatform:hive,db.Dropped,PROD)"
		h.Run("good", dropped, "schemaMetadata", aSchema("", aColumn("a", "int"), aColumn("b", "int")))
		catalogtest.Past(t)
		h.Run("bad", dropped, "schemaMetadata", aSchema("", aColumn("a", "int"), aColumn("c", "int")))
		catalogtest.Past(t)
		h.Run("bad", dropped, "schemaMetadata", aSchema("", aColumn("a", "int"))) // only the last value of a run counts
		catalogtest.Past(t)
		h.Run("bad", dropped, "globalTags", tagsOf("t"))
		catalogtest.Past(t)
		h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad")})
		catalogtest.Past(t)
		h.Run("better", dropped, "schemaMetadata", aSchema("", aColumn("a", "int"), aColumn("b", "int"), aColumn("d", "int")))
		catalogtest.Past(t)
		tells(h, "columns", told(h, dropped, "TECHNICAL_SCHEMA"), []string{
			"0.0.0 ADD Column a was added", "0.0.0 ADD Column b was added",
			"1.0.0 REMOVE Column b was removed (run bad, rolled back since)",
			"1.1.0 ADD Column b was added (rollback of run bad)",
			"1.2.0 ADD Column d was added",
		})
		tells(h, "tags", told(h, dropped, "TAG"), []string{
			"0.1.0 ADD Tag urn:li:tag:t was added (run bad, rolled back since)",
			"0.2.0 REMOVE Tag urn:li:tag:t was removed (rollback of run bad)",
		})
		// A second rollback follows the first: it restores the version of the other run.
		h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("better")})
		tells(h, "columns after another rollback", told(h, dropped, "TECHNICAL_SCHEMA"), []string{
			"0.0.0 ADD Column a was added", "0.0.0 ADD Column b was added",
			"1.0.0 REMOVE Column b was removed (run bad, rolled back since)",
			"1.1.0 ADD Column b was added (rollback of run bad)",
			"1.2.0 ADD Column d was added (run better, rolled back since)",
			"2.0.0 REMOVE Column d was removed (rollback of run better)",
		})
		found, err := h.History.Timeline(context.Background(), history.TimelineRequest{URN: catalogtest.URN(dropped), Categories: []string{"TAG"}, Raw: true})
		h.Want("", err)
		if len(found) != 2 || found[0].VersionStamp != "" || found[1].Actor != catalogtest.Ada || found[1].ChangeEvents[0].AuditStamp.Actor != catalogtest.Ada ||
			catalogtest.MustJSON(t, found[1].ChangeEvents[0].Parameters) != `{"rollback":true,"runId":"bad","tagUrn":"urn:li:tag:t"}` ||
			string(found[1].RawDiff) != `[{"op":"remove","path":"/globalTags"}]` {
			t.Errorf("the rollback: %s", catalogtest.MustJSON(t, found))
		}
		undone := map[string]any{
			"rollback": false, "rolledBackAt": time.UnixMilli(found[1].Timestamp).UTC().Format(time.RFC3339Nano), "rolledBackBy": catalogtest.Ada,
			"runId": "bad", "tagUrn": "urn:li:tag:t",
		}
		if got := found[0].ChangeEvents[0].Parameters; !maps.Equal(got, undone) {
			t.Errorf("what was rolled back: %v", got)
		}
		runs, _, err := h.Removal.Runs(context.Background(), 0, 50, true)
		h.Want("", err)
		for _, r := range runs {
			if r.RunID == "" || r.RunID == "bad" || r.RunID == "better" && r.TimeSeriesRows > 0 { // other tests have left runs in Neo4j
				t.Errorf("a run after the rollback: %+v", r)
			}
		}
	})
}

// TestTimelineOfWhatIsGone: an entity that a run created has a timeline after the soft rollback
// of the run. A hard delete also deletes the record of the rollback, but the result of the
// delete does not count this record.
func TestTimelineOfWhatIsGone(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Run("made", catalogtest.Table, "ownership", owned("ada TECHNICAL_OWNER"))
	catalogtest.Past(t)
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("made")})
	want := []string{
		"0.0.0 ADD Owner urn:li:corpuser:ada (TECHNICAL_OWNER) was added (run made, rolled back since)",
		"0.1.0 REMOVE Owner urn:li:corpuser:ada (TECHNICAL_OWNER) was removed (rollback of run made)",
	}
	tells(h, "after the rollback", told(h, catalogtest.Table, "OWNER"), want)
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("made")}) // no version of the run is left to roll back
	tells(h, "after it again", told(h, catalogtest.Table, "OWNER"), want)
	deleted, err := h.Removal.Delete(context.Background(), catalogtest.URN(catalogtest.Table), false, catalog.WriteOptions{Actor: catalogtest.Ada})
	h.Want("", err)
	if deleted.TimeSeriesRows != 0 {
		t.Errorf("deleted: %+v", deleted)
	}
	tells(h, "after the delete", told(h, catalogtest.Table, "OWNER"), []string{})
}

// TestTimelineIsBounded: if there are very many rollbacks, the timeline has the newest.
func TestTimelineIsBounded(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Run("good", catalogtest.Table, "globalTags", tagsOf("good"))
	rounds := limits.TimelineTakenBack + history.RolledBackPage + 2
	for i := range rounds {
		run := fmt.Sprintf("bad%d", i)
		// Each write has a millisecond of its own: a timeline shows only the outcome of two writes in
		// the same millisecond.
		testclock.Forward(2 * time.Millisecond)
		h.Run(run, catalogtest.Table, "globalTags", tagsOf("good", run))
		testclock.Forward(2 * time.Millisecond)
		h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun(run)})
	}
	told := told(h, catalogtest.Table, "TAG")
	if len(told) != 1+2*limits.TimelineTakenBack {
		t.Errorf("%d events", len(told))
	}
	if last := told[len(told)-1]; !strings.HasSuffix(last, fmt.Sprintf("(rollback of run bad%d)", rounds-1)) {
		t.Errorf("the last: %s", last)
	}
	var all []json.RawMessage // each line is either a change or its rollback
	for _, line := range told[1:] {
		if strings.Contains(line, "rolled back since") {
			all = append(all, nil)
		}
	}
	if len(all) != limits.TimelineTakenBack {
		t.Errorf("%d were done", len(all))
	}
}
