package gql_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

func nthTable(i int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,graph.t%05d,PROD)", i)
}

// treeOf writes tables with owners and tags. Each table derives from two other tables, which
// are nearer to the first table.
func treeOf(t *testing.T, c *services.Services, tables int) {
	t.Helper()
	var proposals []write.Proposal
	says := func(urn, aspect, value string) {
		proposals = append(proposals, write.Proposal{
			EntityType: "dataset", EntityURN: urn, AspectName: aspect, Aspect: &write.GenericAspect{ContentType: "application/json", Value: []byte(value)},
		})
	}
	for i := range tables {
		if i > 0 {
			says(nthTable(i), "upstreamLineage", fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"COPY"},{"dataset":%q,"type":"COPY"}]}`, nthTable(i/3), nthTable(i/2)))
		}
		if i < 1000 {
			says(nthTable(i), "ownership", fmt.Sprintf(`{"owners":[{"owner":"urn:li:corpuser:u%d","type":"TECHNICAL_OWNER"},{"owner":"urn:li:corpGroup:g%d","type":"DATA_STEWARD"}]}`, i%50, i%7))
			says(nthTable(i), "globalTags", fmt.Sprintf(`{"tags":[{"tag":"urn:li:tag:t%d"},{"tag":"urn:li:tag:s%d"}]}`, i%20, i%30))
		}
	}
	if _, err := c.IngestBatch(context.Background(), proposals, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// TestLargeGraphs: an answer may have all fields of a graph of 1,000 nodes. Of a graph of
// 10,000 nodes, it may have the fields that a distant view draws. An answer that would be too
// large is refused as any other answer.
func TestLargeGraphs(t *testing.T) {
	c := testcatalog.New(t)
	treeOf(t, c, 10_000)
	h := gql.New(gql.Options{Catalog: c})
	const (
		ref        = " { urn name platformName exists removed } "
		everything = `nodes { urn type entityType subType name platform platformName parent ` + ref + ` degree exists removed deprecated owners ` + ref + ` tags ` + ref + ` terms ` + ref +
			` domain ` + ref + ` upstreams downstreams columns } edges { upstream downstream type manual transformOperation confidence query statedBy since sinceRun sinceActor { name } until untilRun untilActor { name } }`
		fromAfar = `nodes { urn name type degree upstreams downstreams removed } edges { upstream downstream }`
	)
	graph := func(limit int, selection string) (nodes, edges, total int, partial bool, refused string) {
		t.Helper()
		text := ask(t, h, fmt.Sprintf(`{ lineageGraph(input: {urn: %q, hops: 0, limit: %d}) { total partial reason %s } }`, nthTable(0), limit, selection), nil)
		var answer struct {
			Errors []struct{ Message string }
			Data   struct {
				LineageGraph *struct {
					Total   int
					Partial bool
					Nodes   []struct {
						URN          string
						Owners, Tags []struct{ URN string }
					}
					Edges []struct{ Upstream string }
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatal(err)
		}
		if len(answer.Errors) > 0 {
			return 0, 0, 0, false, answer.Errors[0].Message
		}
		g := answer.Data.LineageGraph
		for _, n := range g.Nodes {
			if selection == everything && len(n.Owners)+len(n.Tags) != 4 {
				t.Errorf("%s has %d owners and %d tags", n.URN, len(n.Owners), len(n.Tags))
			}
		}
		return len(g.Nodes), len(g.Edges), g.Total, g.Partial, ""
	}
	if nodes, edges, total, partial, refused := graph(1000, everything); nodes != 1000 || edges < 1500 || total != 10_000 || !partial || refused != "" {
		t.Errorf("%d nodes, %d edges of %d, partial %v, refused %q", nodes, edges, total, partial, refused)
	}
	if nodes, edges, total, partial, refused := graph(10_000, fromAfar); nodes != 10_000 || edges < 15_000 || total != 10_000 || partial || refused != "" {
		t.Errorf("%d nodes, %d edges of %d, partial %v, refused %q", nodes, edges, total, partial, refused)
	}
	if _, _, _, _, refused := graph(5_000, everything); !strings.Contains(refused, "ask for smaller pages or fewer fields") {
		t.Errorf("everything of 5,000 nodes: %q", refused)
	}
}

// TestUnknownNearest: an unknown entity is refused with the entities of similar names. An
// entity that only edges name is not among these.
func TestUnknownNearest(t *testing.T) {
	c := testcatalog.New(t)
	const start, wrong = "urn:li:dataset:(urn:li:dataPlatform:hive,marts.customers,PROD)", "urn:li:dataset:(urn:li:dataPlatform:hive,marts.custmers,PROD)"
	writeAspect(t, c, start, "datasetProperties", `{"name":"customers"}`)
	h := gql.New(gql.Options{Catalog: c})
	for _, query := range []string{
		`entityDetails(urn: %q) { ref { urn } }`,
		`lineageGraph(input: {urn: %q}) { total }`,
		`lineageDiff(input: {urn: %q, direction: UPSTREAM, before: 1}) { partial }`,
		`lineageChanges(input: {urn: %q}) { total }`,
		`impact(input: {urn: %q}) { total }`,
		`impact(input: {urn: %q, column: "a"}) { total }`,
		`columnLineageCounts(urn: %q) { fieldPath }`,
	} {
		got := ask(t, h, fmt.Sprintf("{ "+query+" }", wrong), nil)
		var answer struct {
			Errors []struct {
				Message    string
				Extensions struct {
					Code    int
					Nearest []string
				}
			}
		}
		if err := json.Unmarshal([]byte(got), &answer); err != nil || len(answer.Errors) != 1 {
			t.Fatalf("%s: %s %v", query, got, err)
		}
		if e := answer.Errors[0]; e.Extensions.Code != 404 || !slices.Contains(e.Extensions.Nearest, start) || !strings.Contains(e.Message, "nearest are ") || slices.Contains(e.Extensions.Nearest, wrong) {
			t.Errorf("%s: %+v", query, e)
		}
	}
	const ghost = "urn:li:dataset:(urn:li:dataPlatform:hive,graph.ghost,PROD)"
	writeAspect(t, c, start, "upstreamLineage", `{"upstreams":[{"dataset":"`+ghost+`","type":"COPY"}]}`)
	got := ask(t, h, fmt.Sprintf(`{ entityRefs(urns: [%q]) { exists name } lineageGraph(input: {urn: %q}) { total } impact(input: {urn: %q}) { total } }`, ghost, ghost, ghost), nil)
	if strings.Contains(got, "errors") || !strings.Contains(got, `"exists":false`) || !strings.Contains(got, `"lineageGraph":{"total":2}`) {
		t.Errorf("named by an edge: %s", got)
	}
}

// TestLineageOperationsRefused: wrong arguments are refused with an error that names the
// mistake.
func TestLineageOperationsRefused(t *testing.T) {
	c := testcatalog.New(t)
	treeOf(t, c, 4)
	h := gql.New(gql.Options{Catalog: c})
	start, nothing := nthTable(0), nthTable(99)
	many := strings.Repeat(`"`+start+`",`, 1001)
	for _, one := range []struct {
		query string
		code  int
		says  string
	}{
		{`lineageGraph(input: {urn: "nonsense"}) { total }`, 400, "invalid urn"},
		{`lineageGraph(input: {urn: "` + nothing + `"}) { total }`, 404, "nothing is known"},
		{`lineageGraph(input: {urn: "` + start + `", hops: -1}) { total }`, 400, "negative"},
		{`lineageGraph(input: {urn: "` + start + `", limit: 0}) { total }`, 400, "1 to 10000"},
		{`lineageGraph(input: {urn: "` + start + `", limit: 10001}) { total }`, 400, "1 to 10000"},
		{`lineageGraph(input: {urn: "` + start + `", asOf: -5}) { total }`, 400, "milliseconds"},
		{`lineageDiff(input: {urn: "nonsense", direction: UPSTREAM, before: 1}) { partial }`, 400, "invalid urn"},
		{`lineageDiff(input: {urn: "` + nothing + `", direction: UPSTREAM, before: 1}) { partial }`, 404, "nothing is known"},
		{`lineageDiff(input: {urn: "` + start + `", direction: UPSTREAM, before: 2, after: 1}) { partial }`, 400, "before the moment"},
		{`lineageDiff(input: {urn: "` + start + `", direction: UPSTREAM, before: 0}) { partial }`, 400, "two moments"},
		{`lineageDiff(input: {urn: "` + start + `", direction: UPSTREAM, before: 1, hops: -1}) { partial }`, 400, "negative"},
		{`lineageChanges(input: {urn: "nonsense"}) { total }`, 400, "invalid urn"},
		{`lineageChanges(input: {urn: "` + nothing + `"}) { total }`, 404, "nothing is known"},
		{`lineageChanges(input: {urn: "` + start + `", from: 2, to: 1}) { total }`, 400, "after the moment"},
		{`lineageChanges(input: {urn: "` + start + `", count: 1001}) { total }`, 400, "1000"},
		{`lineageChanges(input: {urn: "` + start + `", start: -1}) { total }`, 400, "negative"},
		{`lineageChanges(input: {urn: "` + start + `", categories: ["weather"]}) { total }`, 400, "no category"},
		{`impact(input: {urn: "nonsense"}) { total }`, 400, "invalid urn"},
		{`impact(input: {urn: "` + nothing + `"}) { total }`, 404, "nothing is known"},
		{`impact(input: {urn: "` + start + `", change: DROP}) { total }`, 400, "only a column"},
		{`impact(input: {urn: "urn:li:schemaField:(` + start + `,a)", column: "b"}) { total }`, 400, "is a column itself"},
		{`impact(input: {urn: "` + start + `", count: -1}) { total }`, 400, "negative"},
		{`impact(input: {urn: "` + start + `", count: 10001}) { total }`, 400, "at most 10000"},
		{`impact(input: {urn: "` + start + `", hops: -1}) { total }`, 400, "negative"},
		{`labelledColumns(input: {labels: ["nonsense"]}) { next }`, 400, "invalid urn"},
		{`labelledColumns(input: {labels: []}) { next }`, 400, "at least one"},
		{`labelledColumns(input: {labels: ["` + start + `"]}) { next }`, 400, "tag or glossaryTerm"},
		{`labelledColumns(input: {labels: ["urn:li:tag:nothing"]}) { next }`, 404, "nothing is known"},
		{`labelledColumns(input: {labels: ["urn:li:tag:nothing"], count: 201}) { next }`, 400, "1 to 200"},
		{`labelledColumns(input: {labels: ["urn:li:tag:nothing"], after: "` + start + `"}) { next }`, 400, "of the page before"},
		{`columnLineageCounts(urn: "nonsense") { fieldPath }`, 400, "invalid urn"},
		{`columnLineageCounts(urn: "` + nothing + `") { fieldPath }`, 404, "nothing is known"},
		{`columnLineageCounts(urn: "urn:li:schemaField:(` + start + `,a)") { fieldPath }`, 400, "is a column"},
		{`entityRefs(urns: ["` + start + `", "nonsense"]) { name }`, 400, "invalid urn"},
		{`entityRefs(urns: [` + many + `]) { name }`, 400, "at most 1000"},
	} {
		answer := ask(t, h, "{ "+one.query+" }", nil)
		if !strings.Contains(answer, fmt.Sprintf(`"code":%d`, one.code)) || !strings.Contains(answer, one.says) {
			t.Errorf("%.200s: %.500s", one.query, answer)
		}
	}
}
