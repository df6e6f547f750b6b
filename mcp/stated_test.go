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
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testcatalog"
)

// object is a JSON object of an answer.
type object = map[string]any

func hive(name string) string { return "urn:li:dataset:(urn:li:dataPlatform:hive," + name + ",PROD)" }

// putAs writes an aspect of a table in a run, as the actor urn:li:corpuser:ada.
func putAs(t *testing.T, c *services.Services, run, table, aspect, value string) {
	t.Helper()
	if _, err := c.Ingest(context.Background(), catalog.Proposal{
		EntityType: "dataset", EntityURN: hive(table), AspectName: aspect, ChangeType: catalog.Upsert,
		Aspect: &catalog.GenericAspect{Value: json.RawMessage(value), ContentType: "application/json"},
		System: &catalog.SystemMetadata{RunID: run},
	}, catalog.WriteOptions{Actor: "urn:li:corpuser:ada"}); err != nil {
		t.Fatal(err)
	}
}

// itemsOf lists the objects in a member of an object.
func itemsOf(o object, member string) []object {
	list, _ := o[member].([]any)
	var items []object
	for _, item := range list {
		o, _ := item.(object)
		items = append(items, o)
	}
	return items
}

// statedOf returns who stated each item of an answer, with its name. The moment of a
// write is replaced by a word.
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

// stating is a catalog of the chain a, b, c of tables, in which labels and edges say who
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
	drawn := object{"actor": "urn:li:corpuser:eve", "run": "r3", "source": "UI", "since": "1970-01-01T00:00:02.000Z", "query": "urn:li:query:q"}
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
		"said":  object{"actor": "urn:li:corpuser:bot", "run": "r1", "source": "urn:li:dataHubAction:x", "since": "1970-01-01T00:00:01.000Z"},
		"t":     object{"actor": "urn:li:corpuser:eve", "run": "r1"},
	}, statedOf(t, found, itemsOf(entity, "labels"), "name"))
	check("owners", map[any]any{
		"urn:li:corpuser:eve": object{"actor": "urn:li:corpuser:ada", "run": "r2", "source": "https://example.com", "since": "the write"},
	}, statedOf(t, found, itemsOf(entity, "owned_by"), "urn"))
	found = answer("columns", `{"dataset":"`+hive("b")+`"}`)
	column := itemsOf(found, "columns")[0]
	check("labels of a column", map[any]any{
		"said": object{"actor": "urn:li:corpuser:bot", "since": "1970-01-01T00:00:01.000Z"},
	}, statedOf(t, found, itemsOf(column, "labels"), "name"))

	found = answer("lineage", `{"of":"`+hive("c")+`"}`)
	hops := itemsOf(found, "entities")
	check("lineage", map[any]any{hive("b"): plain("r4"), hive("a"): drawn}, statedOf(t, found, hops, "urn"))
	for _, h := range hops {
		if want := map[any]any{hive("a"): hive("b")}[h["urn"]]; h["via"] != want {
			t.Errorf("%s is reached via %v, want %v", h["urn"], h["via"], want)
		}
	}
	found = answer("lineage", `{"of":"urn:li:schemaField:(`+hive("b")+`,x)"}`)
	columns := itemsOf(found, "entities")
	sure := plain("r3")
	sure["confidence"] = 0.5
	check("lineage of a column", map[any]any{"x": sure}, statedOf(t, found, columns, "name"))
	found = answer("paths", `{"from":"`+hive("a")+`","to":"`+hive("c")+`"}`)
	between, _ := found["paths"].([]any)
	check("paths", map[any]any{hive("a"): nil, hive("b"): drawn, hive("c"): plain("r4")}, statedOf(t, found, itemsOf(object{"path": between[0]}, "path"), "urn"))
	found = answer("lineage_changes", `{"of":"`+hive("c")+`","before":"2020-01-01"}`)
	edges := itemsOf(found, "edges")
	check("lineage_changes", map[any]any{hive("b"): plain("r4"), hive("a"): drawn}, statedOf(t, found, edges, "upstream"))
}

// TestStatedOnce: everything with one origin refers to one statement. Of what one run wrote
// at several moments, each says its own.
func TestStatedOnce(t *testing.T) {
	c := testcatalog.New(t)
	const tables = 30
	for i := range tables {
		putAs(t, c, "nightly", fmt.Sprintf("t%02d", i), "upstreamLineage", fmt.Sprintf(`{"upstreams":[{"dataset":"%s","type":"TRANSFORMED","auditStamp":{"time":%d,"actor":"urn:li:corpuser:ada"},"created":{"time":%d,"actor":"urn:li:corpuser:ada"}}]}`, hive("source"), 1000+i%3, 1000+i%3))
	}
	answer, refused := ask(t, client(t, c, false), "lineage", `{"of":"`+hive("source")+`","direction":"downstream","limit":200}`)
	if refused != "" {
		t.Fatal(refused)
	}
	if diff := cmp.Diff([]object{{
		"number": float64(1), "actor": "urn:li:corpuser:ada", "run": "nightly", "since": "1970-01-01T00:00:01.000Z",
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
	if diff := cmp.Diff(map[any]int{nil: tables / 3, "1970-01-01T00:00:01.001Z": tables / 3, "1970-01-01T00:00:01.002Z": tables / 3}, moments); diff != "" {
		t.Error(diff)
	}
}

// TestStatementsFit: an answer with many origins is bounded together with these, and has
// no statement that nothing refers to.
func TestStatementsFit(t *testing.T) {
	c := testcatalog.New(t)
	const tables = 150
	for i := range tables {
		putAs(t, c, fmt.Sprintf("%s%03d", strings.Repeat("r", 300), i), fmt.Sprintf("t%03d", i), "upstreamLineage", `{"upstreams":[{"dataset":"`+hive("source")+`","type":"TRANSFORMED"}]}`)
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

// TestManyLabels: an entity with more labels than fit into an answer says of the first
// who stated them, and that the others are missing.
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
