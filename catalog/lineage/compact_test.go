package lineage_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testseed"
)

type tree = map[string]any

func decoded(t *testing.T, v any) tree {
	t.Helper()
	var found tree
	if err := json.Unmarshal([]byte(catalogtest.MustJSON(t, v)), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

func itemsOf(v any) []any {
	items, _ := v.([]any)
	return items
}

// named replaces the indexes in some members by the URNs.
func named(o tree, urns []any, members ...string) {
	for _, name := range members {
		switch value := o[name].(type) {
		case float64:
			o[name] = urns[int(value)]
		case []any:
			for i := range value {
				value[i] = urns[int(value[i].(float64))]
			}
		}
	}
}

// expanded expands a compact answer to the whole form, as a caller does.
func expanded(answer tree) tree {
	urns := itemsOf(answer["urns"])
	var edges []tree
	for _, item := range itemsOf(answer["edges"]) {
		edge := tree{}
		for name, value := range itemsOf(answer["statements"])[int(item.(tree)["statement"].(float64))].(tree) {
			edge[name] = value
		}
		for _, name := range []string{"upstream", "downstream", "statedBy"} {
			edge[name] = item.(tree)[name]
		}
		named(edge, urns, "upstream", "downstream", "statedBy")
		edges = append(edges, edge)
	}
	near, far := "downstream", "upstream"
	if answer["direction"] == lineage.Downstream {
		near, far = far, near
	}
	for _, item := range itemsOf(answer["entities"]) {
		entity := item.(tree)
		named(entity, urns, "urn", "platform", "entity", "owners", "behind")
		for i, path := range itemsOf(entity["paths"]) {
			steps := []any{tree{"urn": entity["urn"]}}
			for k, at := range path.([]any) {
				edge := edges[int(at.(float64))]
				if k == 0 {
					steps[0] = tree{"urn": edge[near]}
				}
				steps = append(steps, tree{"urn": edge[far], "edge": edge})
			}
			entity["paths"].([]any)[i] = steps
		}
	}
	within := itemsOf(answer["within"])
	for _, name := range []string{"urns", "edges", "statements", "within"} {
		delete(answer, name)
	}
	if len(within) > 0 {
		list := []any{}
		for _, at := range within {
			list = append(list, edges[int(at.(float64))])
		}
		answer["edges"] = list
	}
	return answer
}

// TestCompactExpands: the compact form of an answer says exactly the same as the whole form, in
// random graphs of tables and columns, some stated by jobs, some with siblings.
func TestCompactExpands(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		seed := testseed.Of(t)
		random := rand.New(rand.NewPCG(seed, 3))
		h, ctx := services.New(services.Options{Store: store}), context.Background()
		const tables = 14
		table := func(n int) string {
			return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,compact%d.t%02d,PROD)", seed, n)
		}
		var proposals []write.Proposal
		says := func(urn, aspect, value string) {
			p := catalogtest.Proposal(write.Upsert, urn, aspect, value)
			p.System = &catalog.SystemMetadata{RunID: fmt.Sprintf("run-%d", random.IntN(3))}
			proposals = append(proposals, p)
		}
		for n := range tables {
			var upstreams, columns []string
			for up := range n {
				if random.IntN(3) > 0 {
					continue
				}
				upstreams = append(upstreams, fmt.Sprintf(`{"dataset":%q,"type":"COPY","auditStamp":{"time":%d,"actor":"urn:li:corpuser:ada"}}`, table(up), random.IntN(3)))
				columns = append(columns, fmt.Sprintf(`{"upstreamType":"FIELD_SET","upstreams":[%q],"downstreamType":"FIELD","downstreams":[%q],"confidenceScore":0.%d}`,
					catalogtest.ColumnOf(table(up), "c"), catalogtest.ColumnOf(table(n), "c"), 1+random.IntN(3)))
			}
			says(table(n), "upstreamLineage", `{"upstreams":[`+strings.Join(upstreams, ",")+`],"fineGrainedLineages":[`+strings.Join(columns, ",")+`]}`)
			says(table(n), "ownership", fmt.Sprintf(`{"owners":[{"owner":"urn:li:corpuser:u%d","type":"TECHNICAL_OWNER"}]}`, random.IntN(4)))
			if len(columns) > 0 && random.IntN(2) == 0 {
				job := fmt.Sprintf("urn:li:dataJob:(urn:li:dataFlow:(airflow,compact%d,PROD),j%d)", seed, n)
				says(job, "dataJobInputOutput", fmt.Sprintf(`{"inputDatasets":[],"outputDatasets":[%q],"fineGrainedLineages":[%s]}`, table(n), columns[0]))
			}
			if n > 0 && random.IntN(4) == 0 {
				says(table(n), "siblings", fmt.Sprintf(`{"siblings":[%q],"primary":false}`, table(random.IntN(n))))
			}
		}
		if _, err := h.IngestBatch(ctx, proposals, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		paths := 0
		for range 40 {
			request := lineage.Request{
				Walk:  lineage.WalkQuery{URN: catalogtest.URN(table(random.IntN(tables))), Direction: lineage.Upstream, MergeSiblings: random.IntN(4) == 0},
				Count: 1 + random.IntN(20), Paths: random.IntN(4), Edges: random.IntN(2) == 0, Basis: random.IntN(4) == 0,
			}
			if random.IntN(2) == 0 {
				request.Walk.Direction = lineage.Downstream
			}
			if random.IntN(3) == 0 {
				request.Walk.Columns = true
			}
			whole, err := h.Lineage.Of(ctx, request)
			if err != nil {
				t.Fatal(err)
			}
			compact, err := whole.Compact()
			if err != nil {
				t.Fatal(err)
			}
			for i := range whole.Entities {
				paths += len(whole.Entities[i].Paths)
			}
			if diff := cmp.Diff(decoded(t, whole), expanded(decoded(t, compact))); diff != "" {
				t.Fatalf("%+v (-whole +expanded):\n%s", request, diff)
			}
		}
		if paths == 0 {
			t.Error("no answer has a path")
		}
		for _, urn := range []string{table(0), catalogtest.ColumnOf(table(0), "c"), table(tables - 1)} {
			impact, err := h.Lineage.Impact(ctx, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(urn)}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decoded(t, impact), expanded(decoded(t, impact.Compact()))); diff != "" {
				t.Errorf("the impact of %s (-whole +expanded):\n%s", urn, diff)
			}
		}
	})
}
