package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
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

// statedOf returns who stated each item, with its name. The moment of a write is
// replaced by a word.
func statedOf(t *testing.T, items []object, name string) map[any]any {
	t.Helper()
	all := map[any]any{}
	for _, item := range items {
		stated, _ := item["stated"].(object)
		if since, _ := stated["since"].(string); strings.HasPrefix(since, "20") {
			stated["since"] = "the write"
		}
		all[item[name]] = item["stated"]
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
	entity := itemsOf(answer("entities", `{"names":["`+hive("b")+`"]}`), "entities")[0]
	check("labels", map[any]any{
		"plain": plain("r1"),
		"said":  object{"actor": "urn:li:corpuser:bot", "run": "r1", "source": "urn:li:dataHubAction:x", "since": "1970-01-01T00:00:01.000Z"},
		"t":     object{"actor": "urn:li:corpuser:eve", "run": "r1", "since": "the write"},
	}, statedOf(t, itemsOf(entity, "labels"), "name"))
	check("owners", map[any]any{
		"urn:li:corpuser:eve": object{"actor": "urn:li:corpuser:ada", "run": "r2", "source": "https://example.com", "since": "the write"},
	}, statedOf(t, itemsOf(entity, "owned_by"), "urn"))
	column := itemsOf(answer("columns", `{"dataset":"`+hive("b")+`"}`), "columns")[0]
	check("labels of a column", map[any]any{
		"said": object{"actor": "urn:li:corpuser:bot", "since": "1970-01-01T00:00:01.000Z"},
	}, statedOf(t, itemsOf(column, "labels"), "name"))

	hops := itemsOf(answer("lineage", `{"of":"`+hive("c")+`"}`), "entities")
	check("lineage", map[any]any{hive("b"): plain("r4"), hive("a"): drawn}, statedOf(t, hops, "urn"))
	for _, h := range hops {
		if want := map[any]any{hive("a"): hive("b")}[h["urn"]]; h["via"] != want {
			t.Errorf("%s is reached via %v, want %v", h["urn"], h["via"], want)
		}
	}
	columns := itemsOf(answer("lineage", `{"of":"urn:li:schemaField:(`+hive("b")+`,x)"}`), "entities")
	sure := plain("r3")
	sure["confidence"] = 0.5
	check("lineage of a column", map[any]any{"x": sure}, statedOf(t, columns, "name"))
	between, _ := answer("paths", `{"from":"`+hive("a")+`","to":"`+hive("c")+`"}`)["paths"].([]any)
	check("paths", map[any]any{hive("a"): nil, hive("b"): drawn, hive("c"): plain("r4")}, statedOf(t, itemsOf(object{"path": between[0]}, "path"), "urn"))
	edges := itemsOf(answer("lineage_changes", `{"of":"`+hive("c")+`","before":"2020-01-01"}`), "edges")
	check("lineage_changes", map[any]any{hive("b"): plain("r4"), hive("a"): drawn}, statedOf(t, edges, "upstream"))
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
