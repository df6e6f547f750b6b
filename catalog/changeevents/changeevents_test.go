package changeevents_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

const (
	table     = catalogtest.Table
	assertion = "urn:li:assertion:a"
	instance  = "urn:li:dataProcessInstance:i"
	anIssue   = "urn:li:incident:1"
)

// TestAppendJSON: AppendJSON appends the same JSON that encoding/json makes.
func TestAppendJSON(t *testing.T) {
	for _, e := range []changeevents.Event{
		{},
		{
			EntityType: "dataset", EntityURN: table, Category: changeevents.CategoryTag, Operation: changeevents.OperationAdd, Modifier: "urn:li:tag:\"<&>\\\n\u2028é",
			AuditStamp: catalog.AuditStamp{Time: -1, Actor: catalogtest.Ada}, Version: 2, Description: "not in it",
		},
		{EntityURN: "bad \xff bytes", Parameters: map[string]any{}},
		{Parameters: map[string]any{
			"z": "last", "a": "", "nullable": true, "number": json.Number("12345678901234567890.5"), "n": 7, "nil": nil, "list": []any{"<x>", 1.5}, "\"": "quoted",
			"b": false, "c": "c", "d": "d",
		}},
	} {
		got, err := e.AppendJSON([]byte("before "))
		text, found := bytes.CutPrefix(got, []byte("before "))
		want, wantErr := json.Marshal(&e)
		if err != nil || wantErr != nil || !found || !jsontree.EqualText(text, want) {
			t.Errorf("%s %v, not %s %v", got, err, want, wantErr)
		}
	}
	e := changeevents.Event{Parameters: map[string]any{"channel": make(chan int)}}
	if _, err := e.AppendJSON(nil); err == nil {
		t.Error("a channel became JSON")
	}
}

func service(t testing.TB) *changeevents.Service {
	t.Helper()
	registry, err := model.Load()
	if err != nil {
		t.Fatal(err)
	}
	return changeevents.New(registry)
}

// eventsOf returns the events of changes as text.
func eventsOf(t testing.TB, s *changeevents.Service, changes ...catalog.Change) []string {
	t.Helper()
	list := []string{}
	for i := range changes {
		events, err := s.Of(context.Background(), &changes[i])
		if err != nil {
			t.Fatal(err)
		}
		for k := range events {
			e := &events[k]
			if e.AuditStamp != (catalog.AuditStamp{Time: changes[i].Time, Actor: changes[i].Actor}) {
				t.Errorf("stamp of %s: %v", e.Description, e.AuditStamp)
			}
			list = append(list, strings.TrimSpace(strings.Join([]string{
				e.EntityType, e.Category, e.Operation, e.Modifier, catalogtest.MustJSON(t, e.Parameters), word(e.Breaks()),
			}, " ")))
		}
	}
	return list
}

func word(breaks bool) string {
	if breaks {
		return "breaks"
	}
	return ""
}

func column(path, native, description string) string {
	return fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":%q,"description":%q,"type":{"type":{"com.linkedin.schema.StringType":{}}}}`, path, native, description)
}

func schema(columns ...string) string {
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.Schemaless":{}},"fields":[` + strings.Join(columns, ",") + `]}`
}

func owner(kind string) string {
	return `{"owners":[{"owner":"urn:li:corpuser:bo","type":"` + kind + `"}],"lastModified":` + catalogtest.Stamp + `}`
}

func upstream(urns ...string) string {
	for i, u := range urns {
		urns[i] = `{"dataset":"` + u + `","type":"COPY"}`
	}
	return `{"upstreams":[` + strings.Join(urns, ",") + `]}`
}

func issue(state string) string {
	return `{"type":"OPERATIONAL","entities":["` + table + `"],"status":{"state":"` + state + `","lastUpdated":` + catalogtest.Stamp + `},"created":` + catalogtest.Stamp + `}`
}

// TestEvents: each category has its events, for a change from one value of an aspect to
// another.
func TestEvents(t *testing.T) {
	field := func(path string) string { return "urn:li:schemaField:(" + table + "," + path + ")" }
	tag := "urn:li:tag:pii"
	labels := `{"tags":[{"tag":"` + tag + `"}]}`
	columnLabel := `{"editableSchemaFieldInfo":[{"fieldPath":"a","globalTags":` + labels + `}]}`
	columnSaid := func(path, kind, more string) string {
		return fmt.Sprintf(`{"fieldPath":%q,"fieldUrn":%q,%s"nativeDataType":%q,"nullable":false}`, path, field(path), more, kind)
	}
	for _, c := range []struct {
		name, urn, aspect, was, now string
		want                        []string
	}{
		{"tag", table, "globalTags", `{"tags":[]}`, labels, []string{`dataset TAG ADD ` + tag + ` {"tagUrn":"` + tag + `"}`}},
		{"no tag", table, "globalTags", labels, `{"tags":[]}`, []string{`dataset TAG REMOVE ` + tag + ` {"tagUrn":"` + tag + `"}`}},
		{"same", table, "globalTags", labels, labels, nil},
		{"tag of a column", table, "editableSchemaMetadata", "", columnLabel, []string{
			`schemaField TAG ADD ` + tag + ` {"fieldPath":"a","parentUrn":"` + table + `","tagUrn":"` + tag + `"}`,
		}},
		{"term", table, "glossaryTerms", "", `{"terms":[{"urn":"urn:li:glossaryTerm:t"}],"auditStamp":` + catalogtest.Stamp + `}`, []string{
			`dataset GLOSSARY_TERM ADD urn:li:glossaryTerm:t {"termUrn":"urn:li:glossaryTerm:t"}`,
		}},
		{"owner", table, "ownership", "", owner("DATAOWNER"), []string{`dataset OWNER ADD urn:li:corpuser:bo {"ownerType":"DATAOWNER","ownerUrn":"urn:li:corpuser:bo"}`}},
		{"another kind of owner", table, "ownership", owner("DATAOWNER"), owner("PRODUCER"), []string{
			`dataset OWNER MODIFY PRODUCER {"ownerType":"PRODUCER","ownerUrn":"urn:li:corpuser:bo"}`,
		}},
		{"no domain", table, "domains", `{"domains":["urn:li:domain:d"]}`, "", []string{`dataset DOMAIN REMOVE urn:li:domain:d {"domainUrn":"urn:li:domain:d"}`}},
		{"deprecated", table, "deprecation", "", `{"deprecated":true,"note":"old","actor":"` + catalogtest.Ada + `"}`, []string{
			`dataset DEPRECATION MODIFY DEPRECATED {"note":"old","status":"DEPRECATED"} breaks`,
		}},
		{"active again", table, "deprecation", `{"deprecated":true,"note":"","actor":"` + catalogtest.Ada + `"}`, `{"deprecated":false,"note":"","actor":"` + catalogtest.Ada + `"}`, []string{
			`dataset DEPRECATION MODIFY ACTIVE {"status":"ACTIVE"}`,
		}},
		{"columns", table, "schemaMetadata", schema(column("a", "int", ""), column("b", "int", "")), schema(column("b", "text", ""), column("c", "int", "")), []string{
			`dataset TECHNICAL_SCHEMA REMOVE ` + field("a") + ` ` + columnSaid("a", "int", "") + ` breaks`,
			`dataset TECHNICAL_SCHEMA MODIFY ` + field("b") + ` {"fieldPath":"b","fieldUrn":"` + field("b") + `","modificationCategory":"TYPE_CHANGE","nativeDataType":"text","nullable":false} breaks`,
			`dataset TECHNICAL_SCHEMA ADD ` + field("c") + ` ` + columnSaid("c", "int", ""),
		}},
		{"renamed", table, "schemaMetadata", schema(column("a", "int", "the id")), schema(column("id", "int", "the id")), []string{
			`dataset TECHNICAL_SCHEMA MODIFY ` + field("a") + ` {"fieldPath":"a","fieldUrn":"` + field("a") + `","modificationCategory":"RENAME","nativeDataType":"int","newFieldPath":"id","nullable":false} breaks`,
		}},
		{"documentation", table, "editableDatasetProperties", "", `{"description":"d"}`, []string{`dataset DOCUMENTATION ADD ` + table + ` {"description":"d"}`}},
		{"upstreams", table, "upstreamLineage", upstream(catalogtest.Upstream), upstream(), []string{
			`dataset LINEAGE REMOVE ` + catalogtest.Upstream + ` {"direction":"UPSTREAM","relationship":"DownstreamOf","urn":"` + catalogtest.Upstream + `"} breaks`,
		}},
		{"created", table, "datasetKey", "", `{}`, []string{`dataset LIFECYCLE CREATE  null`}},
		{"soft-deleted", table, "status", `{"removed":false}`, `{"removed":true}`, []string{`dataset LIFECYCLE SOFT_DELETE  null breaks`}},
		{"reinstated", table, "status", `{"removed":true}`, `{"removed":false}`, []string{`dataset LIFECYCLE REINSTATE  null`}},
		{"never deleted", table, "status", "", `{"removed":false}`, nil},
		{"hard-deleted", table, "datasetKey", `{}`, "", []string{`dataset LIFECYCLE HARD_DELETE  null breaks`}},
		{"run started", instance, "dataProcessInstanceRunEvent", "", `{"timestampMillis":1,"status":"STARTED","attempt":2}`, []string{`dataProcessInstance RUN STARTED  {"attempt":2}`}},
		{"run completed", instance, "dataProcessInstanceRunEvent", "", `{"timestampMillis":1,"status":"COMPLETE","result":{"type":"FAILURE","nativeResultType":"x"}}`, []string{
			`dataProcessInstance RUN COMPLETED  {"runResult":"FAILURE"}`,
		}},
		{"assertion failed", assertion, "assertionRunEvent", "", `{"timestampMillis":1,"status":"COMPLETE","runId":"r","assertionUrn":"` + assertion + `","asserteeUrn":"` + table + `","result":{"type":"FAILURE"}}`, []string{
			`assertion RUN COMPLETED  {"asserteeUrn":"` + table + `","assertionResult":"FAILURE","runId":"r","runResult":"COMPLETE"} breaks`,
		}},
		{"incident", anIssue, "incidentInfo", "", issue("ACTIVE"), []string{`incident INCIDENT ACTIVE  {"entities":"` + table + `"}`}},
		{"incident resolved", anIssue, "incidentInfo", issue("ACTIVE"), issue("RESOLVED"), []string{`incident INCIDENT RESOLVED  {"entities":"` + table + `"}`}},
		{"not told of", table, "datasetProfile", "", `{"timestampMillis":1,"rowCount":2}`, nil},
		{"cannot be read", table, "globalTags", "", `{"tags":"none"`, nil},
	} {
		change := changeOf(c.urn, c.aspect, c.was, c.now)
		if got := eventsOf(t, service(t), change); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func changeOf(urn, aspect, was, now string) catalog.Change {
	change := catalog.Change{Time: 7, Actor: catalogtest.Ada, Kind: catalog.ChangeUpsert, URN: urn, EntityType: catalogtest.URN(urn).EntityType(), Aspect: aspect}
	if was != "" {
		change.Previous, change.PreviousSystem = []byte(was), &catalog.SystemMetadata{}
	}
	if now != "" {
		change.Value, change.System = []byte(now), &catalog.SystemMetadata{}
	} else {
		change.Kind = catalog.ChangeDelete
	}
	return change
}

// TestPrunedEvents: a change without values still has the events that need none.
func TestPrunedEvents(t *testing.T) {
	s := service(t)
	for _, c := range []struct {
		change catalog.Change
		want   int
	}{
		{changeOf(table, "globalTags", "", `{"tags":[{"tag":"urn:li:tag:pii"}]}`), 0}, // the entity may have had the tag before
		{changeOf(table, "incidentInfo", "", issue("ACTIVE")), 0},
		{changeOf(table, "status", "", `{"removed":true}`), 1},
		{changeOf(table, "status", `{"removed":true}`, ""), 0},
		{changeOf(table, "datasetKey", `{}`, ""), 1},
	} {
		c.change.ValuesPruned = true
		if got := eventsOf(t, s, c.change); len(got) != c.want {
			t.Errorf("%s: %q", c.change.Aspect, got)
		}
	}
	restated := changeOf(table, "upstreamLineage", upstream(catalogtest.Upstream), upstream())
	restated.Kind = catalog.ChangeRestate
	unknown := changeOf(table, "globalTags", "", `{"tags":[{"tag":"urn:li:tag:pii"}]}`)
	unknown.EntityType = "spaceship"
	if got := eventsOf(t, s, restated, unknown); len(got) != 0 {
		t.Errorf("restated, and of no type: %q", got)
	}
}

// TestEventsAgreeWithTimelines: after random writes, the events equal the timeline of the
// versions.
func TestEventsAgreeWithTimelines(t *testing.T) {
	h := catalogtest.NewHarness(t)
	random := rand.New(rand.NewPCG(23, 1))
	some := func(of ...string) []string {
		return slices.DeleteFunc(of, func(string) bool { return random.IntN(2) == 0 })
	}
	for range 60 {
		aspect, value := "globalTags", `{"tags":[`+strings.Join(some(`{"tag":"urn:li:tag:a"}`, `{"tag":"urn:li:tag:b"}`), ",")+`]}`
		switch random.IntN(5) {
		case 0:
			aspect, value = "schemaMetadata", schema(some(column("a", "int", "x"), column("b", []string{"int", "text"}[random.IntN(2)], ""), column("c", "int", "x"))...)
		case 1:
			aspect, value = "upstreamLineage", upstream(some(catalogtest.Upstream, catalogtest.MartTable)...)
		case 2:
			aspect, value = "ownership", owner([]string{"DATAOWNER", "PRODUCER"}[random.IntN(2)])
		case 3:
			aspect, value = "deprecation", fmt.Sprintf(`{"deprecated":%t,"note":"n","actor":"`+catalogtest.Ada+`"}`, random.IntN(2) == 0)
		}
		h.Put("", write.Upsert, table, aspect, value)
	}
	told := []string{}
	for _, change := range h.Logged() {
		events, err := service(t).Of(context.Background(), &change)
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			if slices.Contains(history.TimelineCategories(), events[i].Category) {
				told = append(told, fmt.Sprint(events[i].AuditStamp.Time, events[i].EntityURN, events[i].Category, events[i].Operation, events[i].Description))
			}
		}
	}
	transactions, err := h.History.Timeline(context.Background(), history.TimelineRequest{URN: catalogtest.URN(table), Start: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{}
	for _, tx := range transactions {
		for i := range tx.ChangeEvents {
			e := &tx.ChangeEvents[i]
			want = append(want, fmt.Sprint(e.AuditStamp.Time, e.EntityURN, e.Category, e.Operation, e.Description))
		}
	}
	slices.Sort(told)
	slices.Sort(want)
	if len(want) < 20 || !slices.Equal(told, want) {
		t.Errorf("events:\n%s\ntimeline:\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
}
