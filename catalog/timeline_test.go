package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testclock"
)

// aSchema is a schemaMetadata with columns and more members.
func aSchema(more string, columns ...string) string {
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.Schemaless":{}}` +
		more + `,"fields":[` + strings.Join(columns, ",") + `]}`
}

// aColumn is a column of a type with more members.
func aColumn(path, native string, more ...string) string {
	column := fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":%q,"type":{"type":{"com.linkedin.schema.StringType":{}}}`, path, native)
	return strings.Join(append([]string{column}, more...), ",") + "}"
}

func described(text string) string { return fmt.Sprintf(`"description":%q`, text) }

// editedColumn is a column of editableSchemaMetadata.
func editedColumn(path string, more ...string) string {
	return fmt.Sprintf(`{"editableSchemaFieldInfo":[{"fieldPath":%q`, path) + "," + strings.Join(more, ",") + `}]}`
}

func links(pairs ...string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, fmt.Sprintf(`{"url":%q,"description":%q,"createStamp":%s}`, pairs[i], pairs[i+1], stamp))
	}
	return `{"elements":[` + strings.Join(list, ",") + `]}`
}

// owned is an ownership: names with kinds, and own types where there are any.
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
	return `{"terms":[` + strings.Join(list, ",") + `],"auditStamp":` + stamp + `}`
}

func tagsOf(names ...string) string {
	var list []string
	for _, name := range names {
		list = append(list, `{"tag":"urn:li:tag:`+name+`"}`)
	}
	return `{"tags":[` + strings.Join(list, ",") + `]}`
}

// nested columns as the reference's own examples of a timeline name them.
const nest = "[version=2.0].[type=struct].[type=struct].service.[type=struct].provider."

// timelineRules are the rows of the tables in docs/timeline.md: what an aspect
// says, what it says next, and the events of that: operation, change, modifier,
// words.
var timelineRules = []struct {
	name, urn, aspect, category string
	before, after               string
	want                        []string
}{
	{
		"column added", table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int")), aSchema("", aColumn("a", "int"), aColumn("b", "int")),
		[]string{"ADD MINOR " + columnOf(table, "b") + " Column b was added"},
	},
	{
		"column removed", table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int"), aColumn("b", "int")), aSchema("", aColumn("a", "int")),
		[]string{"REMOVE MAJOR " + columnOf(table, "b") + " Column b was removed"},
	},
	{
		"type changed", table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int"), aColumn("b", "int"), aColumn("c", "int")),
		aSchema("", aColumn("a", "bigint"), aColumn("b", "text"), aColumn("c", "int")),
		[]string{
			"MODIFY MAJOR " + columnOf(table, "a") + " The type of column a was changed from 'int' to 'bigint'",
			"MODIFY MAJOR " + columnOf(table, "b") + " The type of column b was changed from 'int' to 'text'",
		},
	},
	{
		"column renamed", table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int", described("the key"))), aSchema("", aColumn("z", "int", described("the key"))),
		[]string{"MODIFY MINOR " + columnOf(table, "a") + " Column a was renamed to z"},
	},
	{
		"renamed without a description", table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int")), aSchema("", aColumn("z", "int")),
		[]string{"REMOVE MAJOR " + columnOf(table, "a") + " Column a was removed", "ADD MINOR " + columnOf(table, "z") + " Column z was added"},
	},
	{
		"renamed with another type", table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int", described("k"))), aSchema("", aColumn("z", "text", described("k"))),
		[]string{"REMOVE MAJOR " + columnOf(table, "a") + " Column a was removed", "ADD MINOR " + columnOf(table, "z") + " Column z was added"},
	},
	{
		"renamed into another parent", table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("p.a", "int", described("k"))), aSchema("", aColumn("q.a", "int", described("k"))),
		[]string{"REMOVE MAJOR " + columnOf(table, "p.a") + " Column p.a was removed", "ADD MINOR " + columnOf(table, "q.a") + " Column q.a was added"},
	},
	{
		"one renamed beside a copy", table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int", described("k")), aColumn("b", "int", described("k"))),
		aSchema("", aColumn("b", "int", described("k")), aColumn("c", "int", described("k"))),
		[]string{"MODIFY MINOR " + columnOf(table, "a") + " Column a was renamed to c"},
	},
	{
		"the reference's changed columns", table, "schemaMetadata", "TECHNICAL_SCHEMA",
		aSchema("", aColumn("property_id", "int"), aColumn(nest+"[type=string].name", "varchar(50)", described("Service provider name")), aColumn(nest+"[type=int].id", "tinyint", described("Service provider id"))),
		aSchema("", aColumn("property_id", "int"), aColumn(nest+"[type=int].id3", "tinyint", described("Service provider name")), aColumn(nest+"[type=int].id2", "tinyint", described("Service provider id"))),
		[]string{
			"MODIFY MINOR " + columnOf(table, nest+"[type=int].id") + " Column service.provider.id was renamed to service.provider.id2",
			"ADD MINOR " + columnOf(table, nest+"[type=int].id3") + " Column service.provider.id3 was added",
			"REMOVE MAJOR " + columnOf(table, nest+"[type=string].name") + " Column service.provider.name was removed",
		},
	},
	{"nullability", table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int")), aSchema("", aColumn("a", "int", `"nullable":true`)), nil},
	{"description is no schema", table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int")), aSchema("", aColumn("a", "int", described("x"))), nil},
	{"order", table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema("", aColumn("a", "int"), aColumn("b", "int")), aSchema("", aColumn("b", "int"), aColumn("a", "int")), nil},
	{
		"primary key", table, "schemaMetadata", "TECHNICAL_SCHEMA", aSchema(`,"primaryKeys":["a"]`, aColumn("a", "int"), aColumn("b", "int")),
		aSchema(`,"primaryKeys":["b"]`, aColumn("a", "int"), aColumn("b", "int")),
		[]string{
			"MODIFY MAJOR " + columnOf(table, "a") + " Column a is not part of the primary key any more",
			"MODIFY MAJOR " + columnOf(table, "b") + " Column b was made part of the primary key",
		},
	},
	{
		"description of the entity", table, "datasetProperties", "DOCUMENTATION", `{"description":"one"}`, `{"description":"two"}`,
		[]string{"MODIFY MINOR " + table + " The description in datasetProperties was changed from 'one' to 'two'"},
	},
	{
		"description of the entity gone", table, "datasetProperties", "DOCUMENTATION", `{"description":"one"}`, `{"name":"n"}`,
		[]string{"REMOVE MINOR " + table + " The description in datasetProperties was removed: 'one'"},
	},
	{
		"long description", table, "editableDatasetProperties", "DOCUMENTATION", `{"created":` + stamp + `,"lastModified":` + stamp + `}`,
		`{"created":` + stamp + `,"lastModified":` + stamp + `,"description":"` + strings.Repeat("é", 201) + `"}`,
		[]string{"ADD MINOR " + table + " The description in editableDatasetProperties was added: '" + strings.Repeat("é", 199) + "…'"},
	},
	{
		"definition", "urn:li:glossaryTerm:t", "glossaryTermInfo", "DOCUMENTATION", `{"definition":"one","termSource":"INTERNAL"}`, `{"definition":"two","termSource":"INTERNAL"}`,
		[]string{"MODIFY MINOR urn:li:glossaryTerm:t The definition in glossaryTermInfo was changed from 'one' to 'two'"},
	},
	{
		"description of a column", table, "schemaMetadata", "DOCUMENTATION", aSchema("", aColumn("a", "int"), aColumn("b", "int", described("b")), aColumn("c", "int", described("c"))),
		aSchema("", aColumn("a", "int", described("x")), aColumn("b", "int", described("y")), aColumn("c", "int")),
		[]string{
			"ADD MINOR " + columnOf(table, "a") + " The description of column a in schemaMetadata was added: 'x'",
			"MODIFY PATCH " + columnOf(table, "b") + " The description of column b in schemaMetadata was changed from 'b' to 'y'",
			"REMOVE MINOR " + columnOf(table, "c") + " The description of column c in schemaMetadata was removed: 'c'",
		},
	},
	{
		"description of a renamed column", table, "schemaMetadata", "DOCUMENTATION", aSchema("", aColumn("a", "int", described("k"))), aSchema("", aColumn("z", "int", described("k"))), nil,
	},
	{
		"description of a removed column", table, "schemaMetadata", "DOCUMENTATION", aSchema("", aColumn("a", "int", described("k")), aColumn("b", "int")), aSchema("", aColumn("b", "int")),
		[]string{"REMOVE MINOR " + columnOf(table, "a") + " The description of column a in schemaMetadata was removed: 'k'"},
	},
	{
		"edited description of a column", table, "editableSchemaMetadata", "DOCUMENTATION", editedColumn("a", described("x")), editedColumn("a", described("y")),
		[]string{"MODIFY PATCH " + columnOf(table, "a") + " The description of column a in editableSchemaMetadata was changed from 'x' to 'y'"},
	},
	{
		"link with another label", table, "institutionalMemory", "DOCUMENTATION", links("https://a", "A"), links("https://a", "B"),
		[]string{"MODIFY PATCH https://a Link https://a was changed from 'A' to 'B'"},
	},
	{
		"the reference's changed links", table, "institutionalMemory", "DOCUMENTATION", links("https://www.linkedin.com", "Sample doc", "https://www.google.com", "Google"),
		links("https://datahubproject.io/docs", "Docs", "https://datahubproject.io/docs", "Docs", "https://www.google.com", "Google"),
		[]string{
			"ADD MINOR https://datahubproject.io/docs Link https://datahubproject.io/docs was added: 'Docs'",
			"ADD MINOR https://datahubproject.io/docs Link https://datahubproject.io/docs was added: 'Docs'",
			"REMOVE MINOR https://www.linkedin.com Link https://www.linkedin.com was removed: 'Sample doc'",
		},
	},
	{
		"one of two equal links with another label", table, "institutionalMemory", "DOCUMENTATION", links("https://a", "A", "https://a", "A"), links("https://a", "B", "https://a", "A"),
		[]string{"MODIFY PATCH https://a Link https://a was changed from 'A' to 'B'"},
	},
	{
		"tag", table, "globalTags", "TAG", tagsOf("a", "b"), tagsOf("b", "c"),
		[]string{"REMOVE MINOR urn:li:tag:a Tag urn:li:tag:a was removed", "ADD MINOR urn:li:tag:c Tag urn:li:tag:c was added"},
	},
	{
		"tag of a column", table, "schemaMetadata", "TAG", aSchema("", aColumn("a", "int")), aSchema("", aColumn("a", "int", `"globalTags":`+tagsOf("t"))),
		[]string{"ADD MINOR urn:li:tag:t Tag urn:li:tag:t was added, column a"},
	},
	{
		"tag of a renamed column", table, "schemaMetadata", "TAG", aSchema("", aColumn("a", "int", described("k"), `"globalTags":`+tagsOf("t"))),
		aSchema("", aColumn("z", "int", described("k"), `"globalTags":`+tagsOf("t"))), nil,
	},
	{
		"edited tag of a column", table, "editableSchemaMetadata", "TAG", editedColumn("a", `"globalTags":`+tagsOf("t")), editedColumn("a", described("x")),
		[]string{"REMOVE MINOR urn:li:tag:t Tag urn:li:tag:t was removed, column a"},
	},
	{
		"term", table, "glossaryTerms", "GLOSSARY_TERM", termsOf("a"), termsOf("b"),
		[]string{"REMOVE MINOR urn:li:glossaryTerm:a Glossary term urn:li:glossaryTerm:a was removed", "ADD MINOR urn:li:glossaryTerm:b Glossary term urn:li:glossaryTerm:b was added"},
	},
	{
		"edited term of a column", table, "editableSchemaMetadata", "GLOSSARY_TERM", editedColumn("a", described("x")), editedColumn("a", described("x"), `"glossaryTerms":`+termsOf("t")),
		[]string{"ADD MINOR urn:li:glossaryTerm:t Glossary term urn:li:glossaryTerm:t was added, column a"},
	},
	{
		"owner", table, "ownership", "OWNER", owned("ada TECHNICAL_OWNER"), owned("bob BUSINESS_OWNER"),
		[]string{
			"REMOVE MINOR urn:li:corpuser:ada Owner urn:li:corpuser:ada (TECHNICAL_OWNER) was removed",
			"ADD MINOR urn:li:corpuser:bob Owner urn:li:corpuser:bob (BUSINESS_OWNER) was added",
		},
	},
	{
		"type of an owner", table, "ownership", "OWNER", owned("ada TECHNICAL_OWNER"), owned("ada BUSINESS_OWNER"),
		[]string{"MODIFY PATCH BUSINESS_OWNER The ownership type of urn:li:corpuser:ada was changed from 'TECHNICAL_OWNER' to 'BUSINESS_OWNER'"},
	},
	{
		"own type of an owner", table, "ownership", "OWNER", owned("ada CUSTOM x"), owned("ada CUSTOM y"),
		[]string{"MODIFY PATCH urn:li:ownershipType:y The ownership type of urn:li:corpuser:ada was changed from 'urn:li:ownershipType:x' to 'urn:li:ownershipType:y'"},
	},
	{
		"second type of an owner", table, "ownership", "OWNER", owned("ada TECHNICAL_OWNER"), owned("ada BUSINESS_OWNER", "ada TECHNICAL_OWNER"),
		[]string{"ADD MINOR urn:li:corpuser:ada Owner urn:li:corpuser:ada (BUSINESS_OWNER) was added"},
	},
	{
		"domain", table, "domains", "DOMAIN", `{"domains":["urn:li:domain:a"]}`, `{"domains":["urn:li:domain:b"]}`,
		[]string{"REMOVE MINOR urn:li:domain:a Domain urn:li:domain:a was removed", "ADD MINOR urn:li:domain:b Domain urn:li:domain:b was added"},
	},
	{
		"deprecated", table, "deprecation", "DEPRECATION", `{"deprecated":false,"note":"","actor":"` + ada + `"}`, `{"deprecated":true,"note":"old","actor":"` + ada + `"}`,
		[]string{"MODIFY MINOR " + table + " The entity was deprecated: 'old'"},
	},
	{
		"deprecated no more", table, "deprecation", "DEPRECATION", `{"deprecated":true,"note":"old","actor":"` + ada + `"}`, `{"deprecated":false,"note":"","actor":"` + ada + `"}`,
		[]string{"MODIFY MINOR " + table + " The entity is not deprecated any more"},
	},
	{
		"note of a deprecation", table, "deprecation", "DEPRECATION", `{"deprecated":true,"note":"old","actor":"` + ada + `"}`, `{"deprecated":true,"note":"older","actor":"` + ada + `"}`,
		[]string{"MODIFY MINOR " + table + " The note of the deprecation was changed from 'old' to 'older'"},
	},
	{
		"lineage", table, "upstreamLineage", "LINEAGE", `{"upstreams":[{"dataset":"` + upstream + `","type":"COPY"}]}`, `{"upstreams":[]}`,
		[]string{"REMOVE MINOR " + upstream + " Upstream " + upstream + " was removed"},
	},
}

// TestTimelineRules: which events tell of a change.
func TestTimelineRules(t *testing.T) {
	h := newHarness(t)
	seen := map[string]bool{}
	for i, c := range timelineRules {
		t.Run(c.name, func(t *testing.T) {
			own := func(text string) string { // an entity of its own
				return strings.ReplaceAll(text, "db.Orders", fmt.Sprintf("db.t%d", i))
			}
			urn := own(c.urn)
			h.run("first", urn, c.aspect, c.before)
			past(t)
			h.run("second", urn, c.aspect, c.after)
			found, err := h.Timeline(context.Background(), TimelineRequest{URN: urn, Categories: []string{c.category}})
			h.want("", err)
			var got []string
			if len(found) > 0 {
				for _, e := range found[len(found)-1].ChangeEvents {
					if found[len(found)-1].VersionStamp == c.aspect+":0" { // or the change told nothing
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
	for _, name := range TimelineCategories() {
		if !seen[name] {
			t.Errorf("no rule of %s is tested", name)
		}
	}
}

// TestTimelineParameters: what an event says beside its words.
func TestTimelineParameters(t *testing.T) {
	h := newHarness(t)
	h.put("", Upsert, table, "schemaMetadata", aSchema("", aColumn("a", "int", `"nullable":true`, `"globalTags":`+tagsOf("t"))))
	h.put("", Upsert, table, "ownership", owned("ada CUSTOM x"))
	for category, want := range map[string]string{
		"TECHNICAL_SCHEMA": `{"fieldPath":"a","fieldUrn":"` + columnOf(table, "a") + `","nativeDataType":"int","nullable":true}`,
		"TAG":              `{"fieldPath":"a","parentUrn":"` + table + `","tagUrn":"urn:li:tag:t"}`,
		"OWNER":            `{"ownerType":"CUSTOM","ownerTypeUrn":"urn:li:ownershipType:x","ownerUrn":"` + ada + `"}`,
	} {
		found, err := h.Timeline(context.Background(), TimelineRequest{URN: table, Categories: []string{category}})
		h.want("", err)
		if len(found) != 1 || len(found[0].ChangeEvents) != 1 {
			t.Fatalf("%s: %s", category, mustJSON(t, found))
		}
		if got := mustJSON(t, found[0].ChangeEvents[0].Parameters); got != want {
			t.Errorf("%s: %s, wanted %s", category, got, want)
		}
	}
}

// TestTimelineNumbers: the parts of the numbers, and categories of which there
// is nothing to tell.
func TestTimelineNumbers(t *testing.T) {
	h := newHarness(t)
	h.put("", Upsert, table, "schemaMetadata", aSchema("", aColumn("a", "int"))) // no description yet
	past(t)
	h.put("", Upsert, table, "schemaMetadata", aSchema("", aColumn("a", "int", described("x"))))
	past(t)
	h.put("", Upsert, table, "schemaMetadata", aSchema("", aColumn("a", "int", described("y"))))
	past(t)
	h.put("", Upsert, table, "schemaMetadata", aSchema("", aColumn("a", "text", described("z"))))
	past(t)
	numbers := func(categories ...string) string {
		t.Helper()
		found, err := h.Timeline(context.Background(), TimelineRequest{URN: table, Categories: categories})
		h.want("", err)
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

// told is what a timeline says, one line an event.
func told(h *harness, urn string, categories ...string) []string {
	h.t.Helper()
	found, err := h.Timeline(context.Background(), TimelineRequest{URN: urn, Categories: categories})
	h.want("", err)
	list := []string{}
	for _, tx := range found {
		for _, e := range tx.ChangeEvents {
			list = append(list, strings.TrimSuffix(tx.SemVer, "-computed")+" "+e.Operation+" "+e.Description)
		}
	}
	return list
}

func tells(h *harness, what string, got, want []string) {
	h.t.Helper()
	if !slices.Equal(got, want) {
		h.t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// TestTimelineOfARollback: what a run did that was taken back is told, and that
// it was, on both stores.
func TestTimelineOfARollback(t *testing.T) {
	bothStores(t, func(t *testing.T, store graphstore.Store) {
		f := &faulty{Store: store}
		h := &harness{Catalog: New(Options{Store: f, Now: testclock.Now}), t: t, store: f}
		defer func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}()
		const dropped = "urn:li:dataset:(urn:li:dataPlatform:hive,db.Dropped,PROD)"
		h.run("good", dropped, "schemaMetadata", aSchema("", aColumn("a", "int"), aColumn("b", "int")))
		past(t)
		h.run("bad", dropped, "schemaMetadata", aSchema("", aColumn("a", "int"), aColumn("c", "int")))
		past(t)
		h.run("bad", dropped, "schemaMetadata", aSchema("", aColumn("a", "int"))) // what it left counts
		past(t)
		h.run("bad", dropped, "globalTags", tagsOf("t"))
		past(t)
		h.rollback("", RollbackRequest{Origin: ofRun("bad")})
		past(t)
		h.run("better", dropped, "schemaMetadata", aSchema("", aColumn("a", "int"), aColumn("b", "int"), aColumn("d", "int")))
		past(t)
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
		// A second rollback over the first, the other run's version first.
		h.rollback("", RollbackRequest{Origin: ofRun("better")})
		tells(h, "columns after another rollback", told(h, dropped, "TECHNICAL_SCHEMA"), []string{
			"0.0.0 ADD Column a was added", "0.0.0 ADD Column b was added",
			"1.0.0 REMOVE Column b was removed (run bad, rolled back since)",
			"1.1.0 ADD Column b was added (rollback of run bad)",
			"1.2.0 ADD Column d was added (run better, rolled back since)",
			"2.0.0 REMOVE Column d was removed (rollback of run better)",
		})
		found, err := h.Timeline(context.Background(), TimelineRequest{URN: dropped, Categories: []string{"TAG"}, Raw: true})
		h.want("", err)
		if len(found) != 2 || found[0].VersionStamp != "" || found[1].Actor != ada || found[1].ChangeEvents[0].AuditStamp.Actor != ada ||
			mustJSON(t, found[1].ChangeEvents[0].Parameters) != `{"rollback":true,"runId":"bad","tagUrn":"urn:li:tag:t"}` ||
			string(found[1].RawDiff) != `[{"op":"remove","path":"/globalTags"}]` {
			t.Errorf("the rollback: %s", mustJSON(t, found))
		}
		runs, _, err := h.Runs(context.Background(), 0, 50, true)
		h.want("", err)
		for _, r := range runs {
			if r.RunID == "" || r.RunID == "bad" || r.RunID == "better" && r.TimeSeriesRows > 0 { // others have left runs in Neo4j
				t.Errorf("a run after the rollback: %+v", r)
			}
		}
	})
}

// TestTimelineOfWhatIsGone: an entity that a run made is told after its soft
// rollback, and a hard delete takes the record along without counting it.
func TestTimelineOfWhatIsGone(t *testing.T) {
	h := newHarness(t)
	h.run("made", table, "ownership", owned("ada TECHNICAL_OWNER"))
	past(t)
	h.rollback("", RollbackRequest{Origin: ofRun("made")})
	want := []string{
		"0.0.0 ADD Owner urn:li:corpuser:ada (TECHNICAL_OWNER) was added (run made, rolled back since)",
		"0.1.0 REMOVE Owner urn:li:corpuser:ada (TECHNICAL_OWNER) was removed (rollback of run made)",
	}
	tells(h, "after the rollback", told(h, table, "OWNER"), want)
	h.rollback("", RollbackRequest{Origin: ofRun("made")}) // nothing is left to take back
	tells(h, "after it again", told(h, table, "OWNER"), want)
	deleted, err := h.Delete(context.Background(), table, false, WriteOptions{Actor: ada})
	h.want("", err)
	if deleted.TimeSeriesRows != 0 {
		t.Errorf("deleted: %+v", deleted)
	}
	tells(h, "after the delete", told(h, table, "OWNER"), []string{})
}

// TestTimelineIsBounded: of very many rollbacks the newest are told.
func TestTimelineIsBounded(t *testing.T) {
	h := newHarness(t)
	h.run("good", table, "globalTags", tagsOf("good"))
	rounds := limits.TimelineTakenBack + rolledBackPage + 2
	for i := range rounds {
		run := fmt.Sprintf("bad%d", i)
		h.run(run, table, "globalTags", tagsOf("good", run))
		h.rollback("", RollbackRequest{Origin: ofRun(run)})
	}
	told := told(h, table, "TAG")
	if len(told) != 1+2*limits.TimelineTakenBack {
		t.Errorf("%d events", len(told))
	}
	if last := told[len(told)-1]; !strings.HasSuffix(last, fmt.Sprintf("(rollback of run bad%d)", rounds-1)) {
		t.Errorf("the last: %s", last)
	}
	var all []json.RawMessage // each of which tells once what was done and once that it was undone
	for _, line := range told[1:] {
		if strings.Contains(line, "rolled back since") {
			all = append(all, nil)
		}
	}
	if len(all) != limits.TimelineTakenBack {
		t.Errorf("%d were done", len(all))
	}
}
