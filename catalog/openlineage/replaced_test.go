package openlineage_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// checked is an event of a run that tells of an assertion about files.
func checked(second int, run, assertion string) string {
	return ran("COMPLETE", fmt.Sprintf("01:00:%02d", second), run, "", spark,
		`,"inputs":[{`+lakePath+`,"inputFacets":{"dataQualityAssertions":{"assertions":[`+assertion+`]}}}]`)
}

// stated is an event of a dataset.
func stated(second int, facets string) string {
	return fmt.Sprintf(`{"eventTime":"2026-11-27T01:00:%02dZ","schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent","dataset":{%s,"facets":{%s}}}`, second, lakePath, facets)
}

// waits is an event of a run that tells of the jobs upstream.
func waits(second int, facets string) string {
	return ran("RUNNING", fmt.Sprintf("01:00:%02d", second), sparkRun, facets, spark, "")
}

const (
	notNull = `{"assertion":"not_null","success":true,"column":"id"}`
	unique  = `{"assertion":"unique","success":false,"column":"id"}`
	plain   = `{"assertion":"accepted","column":"id"}`
)

// TestReplacedFacets compares the graphs after the events of a few moments in every order: a facet that replaces or deletes
// another one leaves nothing of it, whichever came first.
func TestReplacedFacets(t *testing.T) {
	const view = `"datasetType":{"datasetType":"VIEW"}`
	const upstream = `"lineage":{"inputs":[{"namespace":"postgres://db:5432","name":"shop.public.orders","type":"DATASET"}]}`
	const assertionInfo, schema, types, upstreams = model.AspectAssertionInfo, model.AspectSchemaMetadata, model.AspectSubTypes, model.AspectUpstreamLineage
	for _, c := range []struct {
		name   string
		events []string
		// aspect is the aspect that the events tell of, count how many entities have it at the end.
		aspect string
		count  int
	}{
		{"an assertion by another", []string{checked(1, sparkRun, notNull), checked(2, sparkRun, unique)}, assertionInfo, 1},
		{"an assertion without result by another", []string{checked(1, sparkRun, plain), checked(2, sparkRun, unique)}, assertionInfo, 1},
		{"an assertion that another run states", []string{checked(1, sparkRun, notNull), checked(2, sparkRun, unique), checked(1, lostRun, notNull)}, assertionInfo, 2},
		{"an assertion by another and back", []string{checked(1, sparkRun, notNull), checked(2, sparkRun, unique), checked(3, sparkRun, notNull)}, assertionInfo, 1},
		{"an assertion by none", []string{checked(1, sparkRun, notNull), checked(2, sparkRun, "")}, assertionInfo, 0},
		{"a schema by a deletion", []string{stated(1, lakeSchema), stated(2, `"schema":{"_deleted":true}`)}, schema, 0},
		{"a schema by one without columns", []string{stated(1, lakeSchema), stated(2, `"schema":{"fields":[]}`)}, schema, 1},
		{"a deleted schema by one without columns", []string{stated(1, lakeSchema), stated(2, `"schema":{"_deleted":true}`), stated(3, `"schema":{"fields":[]}`)}, schema, 0},
		{"a type by a deletion", []string{stated(1, view), stated(2, `"datasetType":{"_deleted":true}`)}, types, 0},
		{"a type by an unknown one", []string{stated(1, view), stated(2, `"datasetType":{"datasetType":"CUBE"}`)}, types, 0},
		{"lineage by a deletion", []string{stated(1, upstream), stated(2, `"lineage":{"_deleted":true}`)}, upstreams, 0},
		{"upstream jobs by a deletion", []string{waits(1, `"jobDependencies":{"upstream":[{"job":{"namespace":"prod","name":"other"}}]}`), waits(2, `"jobDependencies":{"_deleted":true}`)}, model.AspectDataJobInputOutput, 0},
		{"lineage by a deletion and back", []string{stated(1, upstream), stated(2, `"lineage":{"_deleted":true}`), stated(3, upstream)}, upstreams, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
				h := catalogtest.HarnessOn(t, store)
				takeAll(t, h, c.events[:1])
				if n := countOf(t, h, c.aspect); n != 1 {
					t.Errorf("after the first event, %d entities have %s, not 1", n, c.aspect)
				}
				takeAll(t, h, c.events[1:])
				if n := countOf(t, h, c.aspect); n != c.count {
					t.Errorf("%d entities have %s, not %d", n, c.aspect, c.count)
				}
			})
			events := strings.Join(c.events, "\n")
			h := catalogtest.NewHarness(t)
			takeAll(t, h, c.events)
			want := graphOf(t, h)
			for _, order := range permutations(c.events) {
				for _, kept := range []bool{false, true} {
					h := catalogtest.NewHarness(t)
					if kept {
						alone(h)
					}
					takeAll(t, h, order)
					takeAll(t, h, order[:1])
					if diff := cmp.Diff(want, graphOf(t, h)); diff != "" {
						t.Fatalf("the graph depends on the order of\n%s\n(- in order, + as\n%s\n):\n%s", events, strings.Join(order, "\n"), diff)
					}
				}
			}
		})
	}
}

// countOf is how many entities that are not removed have an aspect.
func countOf(t *testing.T, h *catalogtest.Harness, aspect string) int {
	t.Helper()
	count := 0
	for name := range graphOf(t, h) {
		if strings.HasSuffix(name, " "+aspect) {
			count++
		}
	}
	return count
}

// permutations returns a list in every order.
func permutations(list []string) [][]string {
	if len(list) == 0 {
		return [][]string{nil}
	}
	var all [][]string
	for i := range list {
		rest := append(append([]string{}, list[:i]...), list[i+1:]...)
		for _, order := range permutations(rest) {
			all = append(all, append([]string{list[i]}, order...))
		}
	}
	return all
}

// TestDeletionsOfWriters: a caller who may write the aspects of events needs no privilege to delete the aspects that
// they replace. For a caller who may not write them, nothing is deleted.
func TestDeletionsOfWriters(t *testing.T) {
	mayWrite := true
	h := catalogtest.NewProtectedHarness(t, func(ctx context.Context, wants []write.Want) []error {
		refusals := make([]error, len(wants))
		for i, w := range wants {
			if !permission.IsDecided(ctx) && (w.Kind == write.Deletes || !mayWrite && w.Aspect == model.AspectSchemaMetadata) {
				refusals[i] = catalog.Errorf(catalog.Forbidden, "no privilege")
			}
		}
		return refusals
	})
	deletion := stated(2, `"schema":{"_deleted":true}`)
	takeAll(t, h.Harness, []string{
		stated(1, lakeSchema), checked(9, sparkRun, notNull), ran("START", "01:00:08", sparkRun, "", spark, ""), ran("START", "01:00:07", sparkRun, "", spark, ""),
	})
	mayWrite = false
	if err := h.OpenLineage.Take(t.Context(), json.RawMessage(deletion), catalog.WriteOptions{Actor: catalogtest.Ada}); catalog.CodeOf(err) != catalog.Forbidden {
		t.Errorf("a caller who may not write the schema deletes it: %v", err)
	}
	if n := countOf(t, h.Harness, model.AspectSchemaMetadata); n != 1 {
		t.Errorf("%d schemas are left", n)
	}
	mayWrite = true
	takeAll(t, h.Harness, []string{deletion})
	if n := countOf(t, h.Harness, model.AspectSchemaMetadata); n != 0 {
		t.Errorf("%d schemas are left after their deletion", n)
	}
}
