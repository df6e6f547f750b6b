package indexwrap_test

import (
	"context"
	"maps"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/indexer/embedded"
	"github.com/headwater-io/headwater/indexer/indexwrap"
)

// TestSearchMany: SearchMany counts as one operation, also if one of its queries cannot be
// answered.
func TestSearchMany(t *testing.T) {
	ctx := context.Background()
	inner, err := embedded.Open(ctx, embedded.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	document := indexer.Document{URN: "urn:li:tag:a", Type: "tag", Weight: 1, Values: map[string][]string{
		indexer.FieldURN: {"urn:li:tag:a"}, indexer.FieldType: {"tag"}, indexer.FieldRemoved: {"false"},
	}}
	if err := inner.Write(ctx, indexer.Batch{Put: []indexer.Document{document}}); err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	x := indexwrap.New(inner, indexwrap.Options{Metrics: registry})
	queries := []*indexer.Query{{Size: 2}, {Size: 1, Scroll: true, After: "%%%"}, {Size: 1}}
	answers, err := x.SearchMany(ctx, queries)
	if err != nil || len(answers) != 3 || answers[1].Err == nil || answers[2].Result == nil {
		t.Fatalf("%+v, %v", answers, err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.SearchMany(ctx, queries); err == nil {
		t.Error("a closed index answers")
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]float64{}
	for _, family := range families {
		if family.GetName() != "headwater_index_calls_total" {
			continue
		}
		for _, metric := range family.GetMetric() {
			labels := ""
			for _, label := range metric.GetLabel() {
				labels += " " + label.GetValue()
			}
			counted[labels] = metric.GetCounter().GetValue()
		}
	}
	if want := map[string]float64{" SearchMany ok": 1, " SearchMany unavailable": 1}; !maps.Equal(counted, want) {
		t.Errorf("counted %v", counted)
	}
}
