package openlineage_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/openlineage"
	"github.com/headwater-io/headwater/model"
)

var update = flag.Bool("update", false, "rewrite the table of docs/openlineage.md")

// withFacet is the last event of a run that has a facet at one place.
func withFacet(f *openlineage.Facet, facet string) string {
	at := func(of openlineage.Place, key string) string {
		if f.Of != of {
			return ""
		}
		return fmt.Sprintf(`,%q:{%q:%s}`, key, f.Key, facet)
	}
	return `{"eventType":"COMPLETE","eventTime":"2026-11-27T10:00:00Z","run":{"runId":"r"` + at(openlineage.OfRun, "facets") + `},"job":{"namespace":"n","name":"j"` + at(openlineage.OfJob, "facets") +
		`},"inputs":[{"namespace":"mysql://db:3306","name":"shop.in"` + at(openlineage.OfInput, "inputFacets") + `}],"outputs":[{"namespace":"s3://lake","name":"out"` + at(openlineage.OfDataset, "facets") + at(openlineage.OfOutput, "outputFacets") + `}]}`
}

// sentOf returns the copies of a facet that the server keeps.
func sentOf(t *testing.T, h *catalogtest.Harness, f *openlineage.Facet) (sent []openlineage.SentFacet) {
	t.Helper()
	for urn := range graphOf(t, h) {
		text, aspect, _ := strings.Cut(urn, " ")
		u, err := model.ParseURN(text)
		if err != nil {
			t.Fatal(err)
		}
		if aspect != model.AspectDataProcessInstanceKey && aspect != model.AspectDataJobKey && aspect != model.AspectDatasetKey {
			continue
		}
		k, err := h.OpenLineage.SentAbout(t.Context(), u)
		if catalog.CodeOf(err) == catalog.NotFound {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		sets := []map[string]openlineage.SentFacet{k.Facets}
		for _, d := range append(k.Inputs, k.Outputs...) {
			sets = append(sets, d.Facets)
		}
		for _, set := range sets {
			if facet, ok := set[f.Key]; ok {
				sent = append(sent, facet)
			}
		}
	}
	return sent
}

// TestFacets takes an event with each facet of the specification: the facet is kept, and changes the graph if the
// table says so. A facet that is not valid costs nothing else of the event.
func TestFacets(t *testing.T) {
	plain := catalogtest.NewHarness(t)
	takeAll(t, plain, []string{withFacet(&openlineage.Facet{}, "")})
	without := graphOf(t, plain)
	for _, f := range openlineage.Facets() {
		t.Run(string(f.Of)+" "+f.Key, func(t *testing.T) {
			h := catalogtest.NewHarness(t)
			takeAll(t, h, []string{withFacet(&f, f.Example)})
			sent := sentOf(t, h, &f)
			if len(sent) == 0 || sent[0].EventTime != "2026-11-27T10:00:00Z" {
				t.Fatalf("the facet is kept as %v", sent)
			}
			var facet, want any
			if err := json.Unmarshal(sent[0].Facet, &facet); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(f.Example), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, facet); diff != "" {
				t.Error(diff)
			}
			if f.Becomes == "" || cmp.Equal(without, graphOf(t, h)) {
				t.Error("the table says nothing of the facet, or the graph is the same as without it")
			}
			wrong := catalogtest.NewHarness(t)
			takeAll(t, wrong, []string{withFacet(&f, `[1,{"a":[null]}]`)})
			if diff := cmp.Diff(entitiesOf(without), entitiesOf(graphOf(t, wrong))); diff != "" {
				t.Errorf("a facet that is not valid costs or makes entities:\n%s", diff)
			}
		})
	}
}

// entitiesOf returns the entities of a graph.
func entitiesOf(graph map[string]any) map[string]bool {
	entities := map[string]bool{}
	for name := range graph {
		urn, _, _ := strings.Cut(name, " ")
		entities[urn] = true
	}
	return entities
}

const tableBegins, tableEnds = "<!-- written by TestFacetTable -->\n", "<!-- end -->\n"

// TestFacetTable compares the table of docs/openlineage.md with the facets.
func TestFacetTable(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "openlineage.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), tableBegins)
	old, after, ended := strings.Cut(rest, tableEnds)
	if !begun || !ended {
		t.Fatal("the page has no place for the table")
	}
	var b strings.Builder
	b.WriteString("| facet | of | becomes | kept with |\n| --- | --- | --- | --- |\n")
	for _, f := range openlineage.Facets() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Key, f.Of, f.Becomes, f.Place())
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+tableBegins+b.String()+tableEnds+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(old, b.String()); diff != "" {
		t.Errorf("run the test with -update and look at the difference:\n%s", diff)
	}
}
