package openlineage_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/model"
)

// moved is an event of a run that reads a table and writes files.
func moved(kind, at, run, job string) string {
	return ran(kind, at, run, "", job, `,"inputs":[`+orders+`],"outputs":[{`+lakePath+`}]`)
}

// edgesOf returns the edges of the only job that has any, and the number of their versions.
func edgesOf(t *testing.T, h *catalogtest.Harness) (edges []map[string]any, versions int64) {
	t.Helper()
	for urn := range urnsWith(t, h, model.AspectDataJobInputOutput) {
		found, err := h.Store.LatestAspects(t.Context(), []string{urn}, []string{model.AspectDataJobInputOutput})
		if err != nil || len(found[urn]) != 1 {
			t.Fatalf("%d aspects: %v", len(found[urn]), err)
		}
		var value struct {
			InputDatasetEdges, OutputDatasetEdges []map[string]any
		}
		if err := json.Unmarshal(found[urn][0].Value, &value); err != nil {
			t.Fatal(err)
		}
		return append(value.InputDatasetEdges, value.OutputDatasetEdges...), found[urn][0].Seq
	}
	t.Fatal("no job has edges")
	return nil, 0
}

// urnsWith returns the entities that have an aspect.
func urnsWith(t *testing.T, h *catalogtest.Harness, aspect string) map[string]bool {
	t.Helper()
	urns := map[string]bool{}
	for name := range graphOf(t, h) {
		if urn := name[:max(len(name)-len(aspect)-1, 0)]; name == urn+" "+aspect {
			urns[urn] = true
		}
	}
	return urns
}

// TestRestatedEdges: a run that states its edges again moves their time on by whole hours since it has stated them first.
// Within an hour nothing is written.
func TestRestatedEdges(t *testing.T) {
	h := catalogtest.NewHarness(t)
	const hour = 60 * 60 * 1000
	var first float64
	for i, c := range []struct {
		event    string
		versions int64
		hours    float64
	}{
		{moved("START", "01:00:00.500", sparkRun, spark), 1, 0},
		{moved("RUNNING", "01:30:00", sparkRun, spark), 1, 0},
		{moved("RUNNING", "02:00:00", sparkRun, spark), 1, 0},
		{moved("RUNNING", "02:00:01", sparkRun, spark), 2, 1},
		{moved("RUNNING", "02:59:00", sparkRun, spark), 2, 1},
		{moved("COMPLETE", "05:00:00", sparkRun, spark), 3, 3},
		{moved("START", "06:00:00.500", nextRun, spark), 4, 5},
		{moved("COMPLETE", "06:10:00", nextRun, spark), 4, 5},
	} {
		takeAll(t, h, []string{c.event})
		edges, versions := edgesOf(t, h)
		if len(edges) != 2 || versions != c.versions {
			t.Errorf("event %d: %d edges in version %d, want 2 in version %d", i, len(edges), versions, c.versions)
		}
		for _, e := range edges {
			at := e["lastModified"].(map[string]any)["time"].(float64)
			if i == 0 {
				first = at
			}
			if at != first+c.hours*hour {
				t.Errorf("event %d: an edge is %v hours old, want %v", i, (at-first)/hour, c.hours)
			}
		}
	}
}

// TestRestatedInAnyOrder compares the graphs after the events of two runs of two jobs in all orders: one run tells of both
// jobs, and the runs overlap.
func TestRestatedInAnyOrder(t *testing.T) {
	events := []string{
		moved("START", "01:00:00", sparkRun, spark), moved("START", "01:10:00", nextRun, spark),
		moved("RUNNING", "01:20:00", sparkRun, task), moved("COMPLETE", "03:30:00", sparkRun, spark),
	}
	var want map[string]any
	for _, order := range permutations(events) {
		h := catalogtest.NewHarness(t)
		alone(h)
		takeAll(t, h, order)
		got := graphOf(t, h)
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the order\n%s\ngives another graph: %s", strings.Join(order, "\n"), diff)
		}
	}
}

// TestEqualValuesOfRuns: the end of a run does not write its begin again. A begin that is told later replaces it.
func TestEqualValuesOfRuns(t *testing.T) {
	h := catalogtest.NewHarness(t)
	series := func() (count int) {
		for _, c := range h.Logged() {
			if c.Aspect == model.AspectDataProcessInstanceRunEvent && c.Kind == catalog.ChangeUpsert {
				count++
			}
		}
		return count
	}
	for i, c := range []struct {
		event string
		count int
	}{
		{ran("START", "01:00:00", sparkRun, "", spark, ""), 1},
		{ran("START", "01:00:00", sparkRun, "", spark, ""), 0},
		{ran("COMPLETE", "01:10:00", sparkRun, "", spark, ""), 1},
		{ran("START", "00:50:00", sparkRun, "", spark, ""), 2}, // another begin, and another duration
	} {
		before := series()
		takeAll(t, h, []string{c.event})
		if count := series() - before; count != c.count {
			t.Errorf("event %d writes %d values of the time series, want %d", i, count, c.count)
		}
	}
	values := graphOf(t, h)[fmt.Sprintf("urn:li:dataProcessInstance:%s %s", sparkRun, model.AspectDataProcessInstanceRunEvent)]
	if list, _ := values.([]any); len(list) != 2 {
		t.Errorf("the run has %d values: %v", len(list), values)
	}
}
