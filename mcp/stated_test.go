package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// object is a JSON object of an answer.
type object = map[string]any

func hive(name string) string { return "urn:li:dataset:(urn:li:dataPlatform:hive," + name + ",PROD)" }

// putAs writes an aspect of a table in a run, as the actor urn:li:corpuser:ada.
func putAs(t *testing.T, c *services.Services, run, table, aspect, value string) {
	t.Helper()
	if _, err := c.Ingest(context.Background(), write.Proposal{
		EntityType: "dataset", EntityURN: hive(table), AspectName: aspect, ChangeType: write.Upsert,
		Aspect: &write.GenericAspect{Value: json.RawMessage(value), ContentType: "application/json"},
		System: &catalog.SystemMetadata{RunID: run},
	}, catalog.WriteOptions{Actor: "urn:li:corpuser:ada"}); err != nil {
		t.Fatal(err)
	}
}

// itemsOf lists the objects in a list that is a member of an object.
func itemsOf(o object, member string) []object {
	list, _ := o[member].([]any)
	var items []object
	for _, item := range list {
		o, _ := item.(object)
		items = append(items, o)
	}
	return items
}

// statedOf returns, by the member name of each item of an answer, who stated the item. The time
// of a write is replaced by a word.
func statedOf(t *testing.T, answer object, items []object, name string) map[any]any {
	t.Helper()
	statements, all := itemsOf(answer, "statements"), map[any]any{}
	for _, item := range items {
		number, _ := item["stated"].(float64)
		if number == 0 {
			all[item[name]] = nil
			continue
		}
		stated := maps.Clone(statements[int(number)-1])
		if stated["number"] != number {
			t.Errorf("the statement %v has the number %v", number, stated["number"])
		}
		delete(stated, "number")
		if item["since"] != nil {
			stated["since"] = item["since"]
		}
		if since, _ := stated["since"].(string); strings.HasPrefix(since, "20") {
			stated["since"] = "the write"
		}
		all[item[name]] = stated
	}
	return all
}

// stating makes a catalog with the chain a, b, c of tables, in which labels and edges say who
// stated them.
func stating(t *testing.T) *services.Services {
	t.Helper()
	c := testcatalog.New(t)
	putAs(t, c, "r1", "b", "globalTags", `{"tags":[{"tag":"urn:li:tag:plain"},{"tag":"urn:li:tag:said","attribution":{"time":1000,"actor":"urn:li:corpuser:bot","source":"urn:li:dataHubAction:x"}}]}`)
	putAs(t, c, "r1", "b", "glossaryTerms", `{"terms":[{"urn":"urn:li:glossaryTerm:t","actor":"urn:li:corpuser:eve"}],"auditStamp":{"time":1,"actor":"urn:li:corpuser:ada"}}`)
	putAs(t, c, "r2", "b", "ownership", `{"owners":[{"owner":"urn:li:corpuser:eve","type":"NONE","source":{"type":"MANUAL","url":"https://example.com"}}],"lastModified":{"time":1,"actor":"urn:li:corpuser:ada"}}`)
	putAs(t, c, "r2", "b", "schemaMetadata", `{"schemaName":"b","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[
		{"fieldPath":"x","nativeDataType":"INT","type":{"type":{"com.linkedin.schema.NumberType":{}}},"globalTags":{"tags":[{"tag":"urn:li:tag:plain"},{"tag":"urn:li:tag:said","attribution":{"time":1000,"actor":"urn:li:corpuser:bot"}}]}}]}`)
	putAs(t, c, "r3", "b", "upstreamLineage", `{"upstreams":[{"dataset":"`+hive("a")+`","type":"TRANSFORMED","created":{"time":2000,"actor":"urn:li:corpuser:eve"},"properties":{"source":"UI"},"query":"urn:li:query:q"}],
		"fineGrainedLineages":[{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["urn:li:schemaField:(`+hive("a")+`,x)"],"downstreams":["urn:li:schemaField:(`+hive("b")+`,x)"],"confidenceScore":0.5}]}`)
	putAs(t, c, "r4", "c", "upstreamLineage", `{"upstreams":[{"dataset":"`+hive("b")+`","type":"TRANSFORMED"}]}`)
	return c
}

// TestWhoStated: tags, terms, owners and edges say who or what stated them.
func TestWhoStated(t *testing.T) {
	session := client(t, stating(t), false)
	plain := func(run string) object {
		return object{"actor": "urn:li:corpuser:ada", "run": run, "since": "the write"}
	}
	drawn := object{"actor": "urn:li:corpuser:eve", "run": "r3", "source": "UI", "since": "1970-01-01T00:00:02Z", "query": "urn:li:query:q"}
	answer := func(tool, arguments string) object {
		t.Helper()
		found, refused := ask(t, session, tool, arguments)
		if refused != "" {
			t.Fatalf("%s: %s", tool, refused)
		}
		return found
	}
	check := func(what string, want, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	found := answer("entities", `{"names":["`+hive("b")+`"]}`)
	entity := itemsOf(found, "entities")[0]
	check("labels", map[any]any{
		"plain": plain("r1"),
		"said":  object{"actor": "urn:li:corpuser:bot", "run": "r1", "source": "urn:li:dataHubAction:x", "since": "1970-01-01T00:00:01Z"},
		"t":     object{"actor": "urn:li:corpuser:eve", "run": "r1"},
	}, statedOf(t, found, itemsOf(entity, "labels"), "name"))
	check("owners", map[any]any{
		"urn:li:corpuser:eve": object{"actor": "urn:li:corpuser:ada", "run": "r2", "source": "https://example.com", "since": "the write"},
	}, statedOf(t, found, itemsOf(entity, "owned_by"), "urn"))
	found = answer("columns", `{"dataset":"`+hive("b")+`"}`)
	column := itemsOf(found, "columns")[0]
	check("labels of a column", map[any]any{
		"said": object{"actor": "urn:li:corpuser:bot", "since": "1970-01-01T00:00:01Z"},
	}, statedOf(t, found, itemsOf(column, "labels"), "name"))

	found = answer("lineage", `{"of":"`+hive("c")+`"}`)
	hops := itemsOf(found, "entities")
	check("lineage", map[any]any{hive("b"): plain("r4"), hive("a"): drawn}, statedOf(t, found, hops, "urn"))
	found = answer("lineage", `{"of":"urn:li:schemaField:(`+hive("b")+`,x)"}`)
	columns := itemsOf(found, "entities")
	sure := plain("r3")
	sure["confidence"] = 0.5
	check("lineage of a column", map[any]any{"x": sure}, statedOf(t, found, columns, "name"))
	found = answer("paths", `{"from":"`+hive("a")+`","to":"`+hive("c")+`"}`)
	between, _ := found["paths"].([]any)
	check("paths", map[any]any{hive("a"): nil, hive("b"): drawn, hive("c"): plain("r4")}, statedOf(t, found, itemsOf(object{"path": between[0]}, "path"), "urn"))
	check("who states the steps of a path", []any{nil, nil, nil}, membersOf(itemsOf(object{"path": between[0]}, "path"), "stated_in"))
	found = answer("lineage_changes", `{"of":"`+hive("c")+`","before":"2020-01-01"}`)
	edges := itemsOf(found, "edges")
	check("lineage_changes", map[any]any{hive("b"): nil, hive("a"): drawn}, statedOf(t, found, edges, "upstream"))
	runs := map[any]any{}
	for _, e := range edges {
		runs[e["upstream"]] = e["run"]
	}
	check("runs of changes", map[any]any{hive("b"): "r4", hive("a"): "r3"}, runs)
}

// TestStatedOnce: all items with the same origin refer to one statement. An edge that the run
// wrote an hour or more before or after has its own time.
func TestStatedOnce(t *testing.T) {
	c := testcatalog.New(t)
	const tables = 30
	for i := range tables {
		putAs(t, c, "nightly", fmt.Sprintf("t%02d", i), "upstreamLineage", fmt.Sprintf(`{"upstreams":[{"dataset":"%s","type":"TRANSFORMED","auditStamp":{"time":%d,"actor":"urn:li:corpuser:ada"},"created":{"time":%d,"actor":"urn:li:corpuser:ada"}}]}`, hive("source"), 1000+i%3*1_800_000, 1000+i%3*1_800_000))
	}
	answer, refused := ask(t, client(t, c, false), "lineage", `{"of":"`+hive("source")+`","direction":"downstream","limit":200}`)
	if refused != "" {
		t.Fatal(refused)
	}
	if diff := cmp.Diff([]object{{
		"number": float64(1), "actor": "urn:li:corpuser:ada", "run": "nightly", "since": "1970-01-01T00:00:01Z",
	}}, itemsOf(answer, "statements")); diff != "" {
		t.Error(diff)
	}
	moments := map[any]int{}
	for _, hop := range itemsOf(answer, "entities") {
		moments[hop["since"]]++
		if hop["stated"] != float64(1) {
			t.Errorf("%v refers to %v", hop["urn"], hop["stated"])
		}
	}
	if diff := cmp.Diff(map[any]int{nil: tables / 3 * 2, "1970-01-01T01:00:01Z": tables / 3}, moments); diff != "" {
		t.Error(diff)
	}
}

// TestStatementsFit: the size of an answer with many origins is bounded, statements included.
// Each statement in the answer has an item that refers to it.
func TestStatementsFit(t *testing.T) {
	c := testcatalog.New(t)
	const tables = 150
	for i := range tables {
		putAs(t, c, fmt.Sprintf("%s%03d", strings.Repeat("r", 300), i), fmt.Sprintf("t%03d", i), "upstreamLineage", `{"upstreams":[{"dataset":"`+hive("source")+`","type":"TRANSFORMED","properties":{"source":"UI"}}]}`)
	}
	session := client(t, c, false)
	for _, tool := range []string{"lineage", "lineage_changes"} {
		list, more := "entities", ""
		if tool == "lineage_changes" {
			list, more = "edges", `,"before":"2020-01-01"`
		}
		answer, refused := ask(t, session, tool, `{"of":"`+hive("source")+`","direction":"downstream","limit":200`+more+`}`)
		text, err := json.Marshal(answer)
		if refused != "" || err != nil || len(text) > limits.MaxAgentAnswer*5/4 {
			t.Errorf("%s: %q, %d bytes, %v", tool, refused, len(text), err)
		}
		numbers := map[any]bool{}
		for _, item := range itemsOf(answer, list) {
			numbers[item["stated"]] = true
		}
		statements := itemsOf(answer, "statements")
		if seen := len(itemsOf(answer, list)); seen == 0 || seen == tables || len(statements) != seen || len(numbers) != seen {
			t.Errorf("%s: %d rows refer to %d of %d statements", tool, seen, len(numbers), len(statements))
		}
	}
}

// TestManyLabels: of an entity with more labels than fit into an answer, the first labels say
// who stated them, and the answer says that the others are missing.
func TestManyLabels(t *testing.T) {
	c := testcatalog.New(t)
	tags := make([]string, 400)
	for i := range tags {
		tags[i] = fmt.Sprintf(`{"tag":"urn:li:tag:t%04d"}`, i)
	}
	putAs(t, c, "r", "b", "globalTags", `{"tags":[`+strings.Join(tags, ",")+`]}`)
	answer, refused := ask(t, client(t, c, false), "entities", `{"names":["`+hive("b")+`"]}`)
	if refused != "" {
		t.Fatal(refused)
	}
	text, err := json.Marshal(answer)
	labels := itemsOf(itemsOf(answer, "entities")[0], "labels")
	reason, _ := answer["reason"].(string)
	if err != nil || len(text) > limits.MaxAgentAnswer || len(labels) == 0 || len(labels) >= len(tags) || !strings.Contains(reason, "who stated it") {
		t.Errorf("%d bytes, %d labels, %q, %v", len(text), len(labels), reason, err)
	}
}

// membersOf lists the values of a member of objects.
func membersOf(objects []object, name string) []any {
	all := make([]any, len(objects))
	for i, o := range objects {
		all[i] = o[name]
	}
	return all
}

// TestHopsRefer: a hop names the hop before it by number. It names an entity that is not in the
// answer by URN. A hop has a number only if other hops refer to it.
func TestHopsRefer(t *testing.T) {
	c := testcatalog.New(t)
	for _, edge := range [][2]string{{"b", "a"}, {"c", "b"}, {"d", "b"}, {"e", "d"}} {
		putAs(t, c, "r", edge[0], "upstreamLineage", `{"upstreams":[{"dataset":"`+hive(edge[1])+`","type":"TRANSFORMED"}]}`)
	}
	putAs(t, c, "r", "f", "upstreamLineage", `{"upstreams":[{"dataset":"`+hive("e")+`","type":"TRANSFORMED"}],
		"fineGrainedLineages":[{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["urn:li:schemaField:(`+hive("e")+`,x)"],"downstreams":["urn:li:schemaField:(`+hive("f")+`,y)"]}]}`)
	session := client(t, c, false)
	hop := func(table string, degree float64, more object) object {
		o := object{"urn": hive(table), "name": table, "degree": degree, "stated": 1.0}
		maps.Copy(o, more)
		return o
	}
	for arguments, want := range map[string][]object{
		`{"of":"` + hive("a") + `","direction":"downstream"}`: {
			hop("b", 1, object{"number": 1.0}), hop("c", 2, object{"via": 1.0}), hop("d", 2, object{"number": 2.0, "via": 1.0}),
			hop("e", 3, object{"number": 3.0, "via": 2.0}), hop("f", 4, object{"via": 3.0}),
		},
		`{"of":"` + hive("a") + `","direction":"downstream","start":2}`: {
			hop("d", 2, object{"number": 1.0, "via_urn": hive("b")}), hop("e", 3, object{"number": 2.0, "via": 1.0}), hop("f", 4, object{"via": 2.0}),
		},
		`{"of":"urn:li:schemaField:(` + hive("f") + `,y)"}`: {
			{"urn": "urn:li:schemaField:(" + hive("e") + ",x)", "name": "x", "degree": 1.0, "stated": 1.0},
		},
	} {
		answer, refused := ask(t, session, "lineage", arguments)
		if refused != "" {
			t.Fatal(refused)
		}
		hops := itemsOf(answer, "entities")
		for _, o := range hops {
			delete(o, "unknown")
		}
		if diff := cmp.Diff(want, hops); diff != "" {
			t.Errorf("%s (-want +got):\n%s", arguments, diff)
		}
	}
}
